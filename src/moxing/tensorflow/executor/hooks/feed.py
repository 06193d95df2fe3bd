"""Values for the placeholders of a `model_fn`."""

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.hooks.aggregative import AggregativeSessionRunHook


class FeedSessionRunHook(AggregativeSessionRunHook):
    """Feeds the same values in every step.

    Args:
        feed_dict: from placeholders to values; each device has its own placeholders, and its own hook.
    """

    def __init__(self, feed_dict: Mapping[Any, Any]) -> None:
        super().__init__()
        self.feed_dict = feed_dict

    def before_run(self, run_context: Any) -> Any:
        del run_context
        return tf.train.SessionRunArgs(fetches=None, feed_dict=self.feed_dict) if self.feed_dict else None

    def support_aggregation(self) -> bool:
        return False

    def support_sync_workers(self) -> bool:
        return False

    def run_inter_mode(self) -> bool:
        return False
