"""A training step and a validation step, once, with their parts shown."""

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, call_model, keras_version_of, tensorflow_variable
from runyard.config.train_args import TrainArgs
from runyard.data.elements import Element
from runyard.data.shapes import describe
from runyard.runner.check import CheckReport, Row
from runyard.runner.fitting import refuse_unfit
from runyard.runner.job_script import JobScript
from runyard.runner.validation import choose_validated, training_inputs
from runyard.training.groups import group_variables
from runyard.training.losses import build_losses
from runyard.training.metric_board import build_board
from runyard.training.optimizers import build_optimizer
from runyard.training.outputs import OutputLayout, layout_of

REGULARISATION = "regularisation"


def rehearse_step(script: JobScript, *, model: Any, element: Element, args: TrainArgs, report: CheckReport) -> None:
    """Forward, losses, gradients, optimizers, metrics."""
    keras = keras_version_of(model)
    assert keras is not None and args.losses is not None, "the model and the job file were checked"
    with report.part(), tf.GradientTape(persistent=True) as tape:
        outputs = _forward(script, model, training_inputs(args).apply(element.inputs), what="training set")
        layout = layout_of(model, outputs)
        _show_outputs(layout, outputs, part="output", report=report)
        with report.part():
            total = _total_loss(script, model, element, outputs, layout=layout, args=args, report=report)
            with tape.stop_recording():
                _optimizers(script, model, args=args, keras=keras, tape=tape, loss=total, report=report)
        with report.part():
            _metrics(script, model, element, outputs, layout=layout, args=args, report=report)


def rehearse_validation(
    script: JobScript, *, model: Any, elements: Mapping[str, Element], args: TrainArgs, report: CheckReport
) -> None:
    """The model that fits the validation sets, and its metrics on them."""
    saved = script.model_to_save(model)
    for key, element in elements.items():
        part = f"val({key})" if key else "val"
        with report.part():
            spec = tf.nest.map_structure(tf.TensorSpec.from_tensor, element.inputs)
            validated = choose_validated(args, trained=model, saved=saved, input_spec=spec)
            if validated.remark and validated.remark not in report.remarks:
                report.remarks.append(validated.remark)
            inputs = validated.inputs.apply(element.inputs)
            outputs = _forward(script, validated.model, inputs, what=f"{part} dataset")
            layout = layout_of(validated.model, outputs)
            _show_outputs(layout, outputs, part=f"{part} output", report=report)
            _metrics(script, validated.model, element, outputs, layout=layout, args=args, report=report, val=key)


def _forward(script: JobScript, model: Any, inputs: Any, *, what: str) -> Any:
    message = f"the {what} does not fit the model {model.name!r}"
    expected = None
    if getattr(model, "input_shape", None) is not None:
        expected = f"{model.input_shape}"
    with refuse_unfit(message, came=inputs, folder=script.script.path.parent, expected=expected):
        return call_model(model, inputs, training=True)


def _total_loss(
    script: JobScript,
    model: Any,
    element: Element,
    outputs: Any,
    *,
    layout: OutputLayout,
    args: TrainArgs,
    report: CheckReport,
) -> Any:
    keras = keras_version_of(model)
    assert keras is not None and args.losses is not None
    losses = build_losses(args.losses, layout=layout, keras=keras, factory=script.loss_factory(model))
    report.remarks.extend(losses.remarks)
    came = {"labels": element.labels, "outputs": outputs}
    with refuse_unfit("the labels do not fit the losses", came=came, folder=script.script.path.parent):
        values = losses(element.labels, outputs, element.weights)
    for loss, value in zip([loss for loss in losses.by_output if loss], values, strict=True):
        report.rows.append(Row("loss", loss.output, value=_number(value)))
    regularisation = [tf.cast(value, tf.float32) for value in model.losses]
    if regularisation:
        report.rows.append(Row("loss", REGULARISATION, value=_number(tf.add_n(regularisation))))
    return tf.add_n([*values, *regularisation])


def _metrics(
    script: JobScript,
    model: Any,
    element: Element,
    outputs: Any,
    *,
    layout: OutputLayout,
    args: TrainArgs,
    report: CheckReport,
    val: str | None = None,
) -> None:
    keras = keras_version_of(model)
    assert keras is not None
    board = build_board(
        args.metrics,
        args.weighted_metrics,
        layout=layout,
        labels=element.labels,
        outputs=outputs,
        keras=keras,
        factory=script.metric_factory(model),
    )
    came = {"labels": element.labels, "outputs": outputs}
    with refuse_unfit("the labels do not fit the metrics", came=came, folder=script.script.path.parent):
        board.update(element, outputs)
        results = board.results()
    for name, value in results.items():
        shown = name if val is None else f"val_{name}({val})" if val else f"val_{name}"
        report.rows.append(Row("metric", shown, value=_number(value)))


def _optimizers(
    script: JobScript,
    model: Any,
    *,
    args: TrainArgs,
    keras: KerasVersion,
    tape: Any,
    loss: Any,
    report: CheckReport,
) -> None:
    groups = group_variables(
        model, optimizers=len(args.optimizer), ungrouped=args.ungrouped, ask_user=script.variable_groups
    )
    report.remarks.extend(groups.remarks)
    for spec, variables in zip(args.optimizer, groups.groups, strict=True):
        optimizer = build_optimizer(spec, keras=keras)
        optimizer.build(variables)
        gradients = tape.gradient(loss, [tensorflow_variable(variable) for variable in variables])
        pairs = [
            (gradient, variable)
            for gradient, variable in zip(gradients, variables, strict=True)
            if gradient is not None
        ]
        optimizer.apply_gradients(pairs)
        numbers = sum(int(tf.size(variable)) for variable in variables)
        text = f"{len(variables)} variables, {numbers:,} numbers"
        report.rows.append(Row("optimizer", spec.type, value=text))


def _show_outputs(layout: OutputLayout, outputs: Any, *, part: str, report: CheckReport) -> None:
    named = dict(zip(layout.names, layout.flatten(outputs), strict=True))
    report.rows.extend(Row(part, path, shape, dtype) for path, shape, dtype in describe(named))


def _number(value: Any) -> str:
    return f"{float(value):.6g}" if not isinstance(value, list) else ", ".join(f"{item:.6g}" for item in value)
