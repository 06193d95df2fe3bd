"""A model that has seen the shapes of a batch, so that losses and metrics can be made to fit its outputs."""

from dataclasses import dataclass
from typing import Any

from runyard.bridge import KerasVersion
from runyard.config.written_forms import LossForms, MetricForms
from runyard.data.elements import Element
from runyard.data.inputs import InputChoice
from runyard.training.losses import Factory as LossFactory
from runyard.training.losses import Losses, build_losses
from runyard.training.metric_board import MetricBoard, build_board
from runyard.training.metrics import Factory as MetricFactory
from runyard.training.outputs import OutputLayout, layout_of, trace_outputs


@dataclass(frozen=True)
class TracedModel:
    """What a model makes of a batch, as symbolic tensors.

    Args:
        element: the batch.
        outputs: of the model for it.
        keras: which of the two makes losses and metrics.
    """

    element: Element
    outputs: Any
    layout: OutputLayout
    keras: KerasVersion

    def losses(self, forms: LossForms, *, factory: LossFactory) -> Losses:
        """Losses for the outputs.

        Raises:
            ModelError: if they do not fit the outputs.
            DataError: if one needs labels that the batch does not have.
        """
        losses = build_losses(forms, layout=self.layout, keras=self.keras, factory=factory)
        losses.refuse_missing(self.element.labels)
        return losses

    def metrics(
        self, plain: MetricForms | None, *, weighted: MetricForms | None, factory: MetricFactory
    ) -> MetricBoard:
        """Metrics for the outputs.

        Raises:
            ModelError: if they do not fit the outputs, or two would have one name.
            DataError: if one needs labels that the batch does not have.
        """
        return build_board(
            plain,
            weighted,
            layout=self.layout,
            labels=self.element.labels,
            outputs=self.outputs,
            keras=self.keras,
            factory=factory,
        )


def trace_model(model: Any, *, element: Element, inputs: InputChoice, keras: KerasVersion) -> TracedModel:
    """Calls the model with the shapes of a batch, which creates its variables.

    Args:
        element: a batch as `tf.TensorSpec`s.
        inputs: which of its tensors the model is called with.
    """
    outputs = trace_outputs(model, inputs.apply(element.inputs))
    return TracedModel(element, outputs, layout_of(model, outputs), keras)
