"""Requests that make no sense are refused before anything is built."""

from functools import wraps
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.executor.failures import NotCallable, WrongValue
from runyard.errors import RunyardError
from tests.moxing.executor.models import classifier, lines, run, samples


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"run_mode": "invalid"}, "`run_mode` of mox.run is 'invalid'; it must be mox.ModeKeys.TRAIN or"),
        ({"run_mode": "EXPORT"}, "EXPORT is added by `export_model`"),
        ({"inter_mode": "EXPORT"}, "`inter_mode`"),
        ({"input_fn": None}, "`input_fn` of mox.run is missing"),
        ({"model_fn": None}, "`model_fn` of mox.run is missing"),
        ({"optimizer_fn": None}, "`optimizer_fn` of mox.run is missing"),
        ({"optimizer_fn": []}, "`optimizer_fn` of mox.run is missing"),
        ({"batch_size": 0}, "`batch_size` of mox.run is 0"),
        ({"batch_size": "many"}, "`batch_size` of mox.run is 'many'"),
        ({"max_number_of_steps": -1}, "`max_number_of_steps` of mox.run is -1"),
        ({"max_number_of_steps": float("inf")}, "`max_number_of_steps` of mox.run is inf"),
        ({"log_every_n_steps": 1.5}, "`log_every_n_steps` of mox.run is 1.5"),
        ({"save_model_secs": "60"}, "`save_model_secs` of mox.run is '60'; it must be a number of seconds from 0 on"),
        ({"save_model_secs": -5}, "`save_model_secs` of mox.run is -5"),
        ({"save_model_secs": float("nan")}, "`save_model_secs` of mox.run is nan"),
        ({"log_dir": 3}, "`log_dir` of mox.run is 3; it must be a path"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match="mox") as failure:
        run(**arguments)
    assert isinstance(failure.value, RunyardError)
    assert words in str(failure.value)


def test_what_must_be_a_function(tmp_path: Any) -> None:
    with pytest.raises(NotCallable, match="'int' object is not callable: `output_fn`"):
        run(output_fn=3)


def test_a_function_that_takes_other_arguments_is_refused() -> None:
    with pytest.raises(NotCallable, match=r"`model_fn` .* is called as model_fn\(inputs, mode\), but takes \(x\)"):
        run(model_fn=lambda x: None)
    with pytest.raises(NotCallable, match=r"`optimizer_fn` .* is called as optimizer_fn\(\), but takes \(rate\)"):
        run(optimizer_fn=lambda rate: None)


def test_a_decorator_may_add_arguments_of_its_own() -> None:
    made = []

    @wraps(lambda inputs, mode, size: None)
    def model_fn(*arguments: Any) -> mox.ModelSpec:
        made.append(arguments[1])
        return classifier(*arguments)

    run(model_fn=model_fn, max_number_of_steps=1)
    assert made == ["TRAIN"]


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (None, "returned nothing for mode TRAIN"),
        ((1, 2), "must return a mox.ModelSpec"),
    ],
)
def test_what_model_fn_must_return(returned: Any, words: str) -> None:
    with pytest.raises(WrongValue, match=words):
        run(model_fn=lambda inputs, mode: returned)


def test_a_loss_must_be_a_scalar() -> None:
    with pytest.raises(WrongValue, match=r"`loss` of mox.ModelSpec has shape \(8, 6\); it must be a scalar"):
        run(model_fn=lambda inputs, mode: mox.ModelSpec(loss=inputs[0]))
    with pytest.raises(WrongValue, match=r"`log_info\['x'\]` of mox.ModelSpec has shape"):
        run(model_fn=lambda inputs, mode: mox.ModelSpec(loss=tf.reduce_mean(inputs[0]), log_info={"x": inputs[0]}))
    with pytest.raises(WrongValue, match=r"is 0\.5; it must be a tensor"):
        run(model_fn=lambda inputs, mode: mox.ModelSpec(loss=0.5))
    with pytest.raises(WrongValue, match=r"`loss` of mox.ModelSpec is of type int64; it must be a floating number"):
        run(model_fn=lambda inputs, mode: mox.ModelSpec(loss=tf.reduce_sum(inputs[1])))


def test_an_output_that_is_wanted_must_be_a_tensor() -> None:
    def model_fn(inputs: Any, mode: str) -> mox.ModelSpec:
        return mox.ModelSpec(loss=classifier(inputs, mode).loss, output_info={"x": None})

    with pytest.raises(WrongValue, match=r"`output_info\['x'\]` of mox.ModelSpec is None"):
        run(model_fn=model_fn, output_fn=print)
    run(model_fn=model_fn, max_number_of_steps=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"log_info": [1.0]}, r"`log_info` of mox.ModelSpec is \[1.0\]; it must be a dict"),
        ({"output_info": np.ones(2)}, "`output_info` of mox.ModelSpec is .*; it must be a dict"),
        ({"hooks": mox.FeedSessionRunHook({})}, "`hooks` of mox.ModelSpec is a FeedSessionRunHook; it must be a list"),
    ],
)
def test_dicts_and_lists_of_a_model_spec(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(WrongValue, match=words):
        mox.ModelSpec(loss=1.0, **arguments)
    assert mox.ModelSpec(log_info=None, output_info={}, hooks=()).hooks == []


def test_a_plain_hook_is_refused_with_a_way_out() -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        spec = classifier(inputs, mode)
        spec.hooks.append(tf.train.SessionRunHook())
        return spec

    with pytest.raises(WrongValue, match="is no mox"):
        run(model_fn=model_fn)


def test_a_hook_of_the_inter_mode_needs_one() -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        spec = classifier(inputs, mode)
        spec.hooks.append(
            mox.LogEvaluationMetricHook(
                monitor_info={"loss": spec.loss},
                batch_size=8,
                samples_in_train=40,
                samples_in_eval=8,
                evaluate_every_n_epochs=1,
                prefix="[V]",
            )
        )
        return spec

    with pytest.raises(WrongValue, match="LogEvaluationMetricHook runs the inter mode"):
        run(model_fn=model_fn)


def test_callbacks_may_call_their_arguments_anything(capsys: pytest.CaptureFixture[str]) -> None:
    def input_fn(run_mode: str, **kwargs: Any) -> Any:
        return samples(run_mode)

    run(
        input_fn=input_fn,
        model_fn=lambda stuff, purpose: classifier(stuff, purpose),
        output_fn=lambda results, **kwargs: None,
        fetch_strategy_fn=lambda: None,
    )
    assert lines(capsys.readouterr().err, "`fetch_strategy_fn` of mox.run has no effect")


def test_spellings_of_the_documents() -> None:
    assert mox.ModeKey is mox.MokeKeys is mox.ModeKeys
    spec = mox.ModelSpec(var_scope=["a"], output_dict={"b": 1}, compressor_spec=object())
    assert spec.var_scopes == ["a"] and spec.output_info == {"b": 1}
    assert mox.ExportSpec({}, {}, Version=3).version == 3
    assert mox.ExportSpec(inputs_dict={}, outputs_dict={}).version == -1
    for wrong in (lambda: mox.ModelSpec(los=1), lambda: mox.ExportSpec({}, {}, versions=1)):
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            wrong()
    mox.some_name = 3  # pyright: ignore[reportAttributeAccessIssue]
    assert mox.some_name == 3  # pyright: ignore[reportAttributeAccessIssue]
    del mox.some_name  # pyright: ignore[reportAttributeAccessIssue]
    assert [mox.ModeKeys.TRAIN, mox.ModeKeys.EVAL, mox.ModeKeys.PREDICT, mox.ModeKeys.EXPORT] == [
        "TRAIN",
        "EVAL",
        "PREDICT",
        "EXPORT",
    ]
