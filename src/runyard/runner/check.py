"""`runyard check`: will the job run? Answered in seconds, with every problem at once."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from runyard.errors import RunyardError
from runyard.runner.plan import Plan
from runyard.runner.starting import start


@dataclass(frozen=True)
class Row:
    """One line of the table: a tensor, a loss, a metric."""

    part: str
    name: str
    shape: str = ""
    dtype: str = ""
    value: str = ""


@dataclass
class CheckReport:
    """What went through the job, and what did not."""

    rows: list[Row] = field(default_factory=list[Row])
    problems: list[RunyardError] = field(default_factory=list[RunyardError])
    remarks: list[str] = field(default_factory=list[str])

    @contextlib.contextmanager
    def part(self) -> Iterator[None]:
        """A part of the check: its failure is a problem of the report, and the next part goes on."""
        try:
            yield
        except RunyardError as problem:
            self.problems.append(problem)

    def remark(self, *remarks: str) -> None:
        """Adds those that have not been made yet."""
        self.remarks += [remark for remark in dict.fromkeys(remarks) if remark not in self.remarks]

    @property
    def exit_code(self) -> int:
        return self.problems[0].exit_code if self.problems else 0


def check_job(plan: Plan) -> CheckReport:
    """Loads the script, builds the model, and sends one batch through model, losses, metrics and optimizers."""
    start(plan)
    from runyard.runner.rehearsal import rehearse

    report = CheckReport(remarks=list(plan.remarks))
    rehearse(plan, report=report)
    return report
