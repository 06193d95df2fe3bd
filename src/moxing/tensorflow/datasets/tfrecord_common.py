"""The older name of `moxing.tensorflow.datasets.tfrecord.tfrecord_common`."""

from moxing.tensorflow.datasets.tfrecord.tfrecord_common import *  # noqa: F403
