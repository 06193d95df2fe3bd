"""XLA compiles the step, and nothing else changes."""

import pytest

from runyard.bridge import KerasVersion
from tests.training.test_determinism import two_outputs
from tests.training.trainings import TARGET, X, Y, apart, rows, small_model, trained

SGD = {"optimizer": "sgd"}
PCGRAD = {"optimizer": {"type": "sgd", "grad_process": "pcgrad"}}


@pytest.mark.parametrize("setting", [{}, {"gradient": {"accumulate_steps": 2}}, {"term_on_nan": True}])
def test_compiled_and_not_compiled_agree(keras: KerasVersion, setting: dict[str, object]) -> None:
    plain = trained(small_model(keras), rows(X, Y), **setting)
    assert apart(trained(small_model(keras), rows(X, Y), jit_compile=True, **setting), plain) < 1e-5


@pytest.mark.parametrize("setting", [SGD, PCGRAD], ids=["sgd", "pcgrad"])
def test_several_outputs_and_regularisation(setting: dict[str, object]) -> None:
    plain, compiled = [
        trained(
            _without_dropout(),
            rows(X, (Y, TARGET)),
            losses=["bce", "mse"],
            jit_compile=compile_it,
            **setting,
        )
        for compile_it in (False, True)
    ]
    assert apart(plain, compiled) < 1e-5


def _without_dropout() -> object:
    model = two_outputs(2, seed=3)
    for layer in model.layers:
        if hasattr(layer, "rate"):
            layer.rate = 0.0
    return model
