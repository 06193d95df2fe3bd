"""What TensorFlow this is."""

from moxing.tensorflow.utils.tf_util import version_info


def test_versions_compare_as_numbers() -> None:
    assert version_info() >= (1, 13, 0)
    assert version_info() > (2, 9)
    assert version_info() < (3,)
    assert all(isinstance(part, int) for part in version_info())
