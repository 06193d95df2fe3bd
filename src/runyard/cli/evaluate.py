"""`runyard evaluate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runyard.cli.options import about_a_job
from runyard.telemetry import show_error, show_table, show_text, terminal_width

if TYPE_CHECKING:
    from runyard.config import JobRequest
    from runyard.runner.evaluation.comparison import Comparison


OnlineModel = Annotated[
    str | None,
    typer.Option("--online-model", metavar="PATH", help="What ${ONLINE_MODEL}$ stands for in eval_args.models."),
]


@about_a_job
def command(
    request: "JobRequest",
    upstream: Annotated[
        Path | None,
        typer.Option(
            "--upstream-output-file", metavar="FILE", help="A training's result file: its models are evaluated first."
        ),
    ] = None,
    online_model: OnlineModel = None,
) -> None:
    """Evaluate saved models on the test set, and compare them."""
    from runyard.runner.evaluate import EvaluateOptions, evaluate

    comparison = evaluate(request, EvaluateOptions(upstream, online_model), show=show)
    if comparison.failed:
        raise typer.Exit(comparison.exit_code)


def show(comparison: "Comparison") -> None:
    from runyard.runner.evaluation.comparison_table import comparison_table

    table = comparison_table(comparison)
    for columns, rows in table.parts(width=terminal_width()):
        show_table(columns, rows)
    if table.legend:
        show_text(table.legend)
    for model in comparison.failed:
        show_error(f"{model.name} ({model.path}) was not evaluated: {model.error}")
