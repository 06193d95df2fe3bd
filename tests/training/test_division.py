"""One process that does the work of several workers or devices: what a larger batch gives."""

from typing import Any

import numpy as np
import pytest

from runyard.training.division import Division
from tests.training.worker_cases import SAME

pytestmark = pytest.mark.slow

_DIVISIONS = {"two shards": Division(2, 1), "two replicas": Division(1, 2), "both": Division(2, 2)}


@pytest.mark.parametrize("division", _DIVISIONS.values(), ids=_DIVISIONS)
@pytest.mark.parametrize("name", SAME)
def test_a_divided_step_gives_what_a_larger_batch_gives(name: str, division: Division, keras: Any) -> None:
    found = SAME[name].run(keras, division=division)
    expected = SAME[name].run(keras, scale=division.parts)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, atol=1e-5, rtol=1e-5, err_msg=key)
