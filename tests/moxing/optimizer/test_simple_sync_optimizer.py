import numpy as np
import pytest

from moxing.tensorflow.optimizer import get_optimizer_fn, get_optimizer_wrapper_fn
from moxing.tensorflow.optimizer.simple_sync_optimizer import SimpleSyncOptimizer
from tests.moxing.optimizer.steps import weights_after

START = np.ones((2, 2))
GRADIENTS = [np.full((2, 2), value) for value in (1.0, -3.0)]


def test_one_worker_has_nobody_to_wait_for() -> None:
    plain = get_optimizer_fn("momentum", 0.1)
    ours = weights_after(lambda: SimpleSyncOptimizer(plain(), num_workers=1, task_index=0), START, GRADIENTS)
    np.testing.assert_array_equal(ours, weights_after(plain, START, GRADIENTS))


def test_several_workers_are_told_what_keeps_them_in_step() -> None:
    with pytest.raises(TypeError, match=r"num_workers=4 .*\n  hint: .*--sync_replicas=True"):
        SimpleSyncOptimizer(get_optimizer_fn("sgd", 0.1)(), num_workers=4, task_index=1)


def test_elastic_averaging_names_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"no optimizer wrapper 'easgd'\n  hint: .*--sync_replicas=False"):
        get_optimizer_wrapper_fn("easgd", get_optimizer_fn("sgd", 0.1)())
