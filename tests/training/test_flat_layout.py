import numpy as np
import tensorflow as tf

from runyard.training.flat_layout import FlatLayout


def test_joined_and_split_again() -> None:
    tensors = [tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([5.0]), tf.constant(6.0), tf.zeros([0, 2])]
    layout = FlatLayout([tensor.shape for tensor in tensors])
    vector = layout.join(tensors)
    assert vector.numpy().tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert layout.size == 6
    for before, after in zip(tensors, layout.split(vector), strict=True):
        assert after.shape == before.shape
        assert np.array_equal(after, before)
