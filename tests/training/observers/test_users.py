import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from runyard.bridge import KerasVersion, keras_module
from runyard.errors import CallbackFailed, CheckpointError, ScriptError
from runyard.training.observers.users import user_observers
from tests.training.observers.scripted_run import ScriptedRun


class Recorder:
    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def on_train_begin(self, run: Any) -> None:
        self.calls.append(("begin", run.step))

    def on_steps(self, run: Any) -> None:
        self.calls.append(("steps", run.step))

    def on_validation(self, run: Any, results: Any) -> None:
        self.calls.append(("validation", results))

    def on_epoch_end(self, run: Any, results: Any) -> None:
        self.calls.append(("epoch", run.epoch, results))

    def on_checkpoint(self, run: Any, path: str) -> None:
        self.calls.append(("checkpoint", path))

    def on_train_end(self, run: Any) -> None:
        self.calls.append(("end", run.step))


def wrap(wrapped: object, *, folder: Path = Path(__file__).parent) -> Any:
    (observer,) = user_observers(wrapped, folder=folder)
    return observer


def test_every_event_reaches_the_users_object() -> None:
    recorder, run = Recorder(), ScriptedRun()
    observer = wrap([recorder])
    observer.on_train_begin(run)
    run.train(observer, steps=2)
    observer.on_validation(run, {"val_loss": 1.0})
    run.end_epoch(observer, loss=0.5)
    observer.on_checkpoint(run, "a/path")
    observer.on_train_end(run)
    assert recorder.calls == [
        ("begin", 0),
        ("steps", 2),
        ("validation", {"val_loss": 1.0}),
        ("epoch", 0, {"loss": 0.5}),
        ("checkpoint", "a/path"),
        ("end", 2),
    ]


def test_a_list_a_tuple_one_object_or_nothing_may_be_returned() -> None:
    folder = Path()
    assert user_observers(None, folder=folder) == user_observers([], folder=folder) == []
    assert len(user_observers(Recorder(), folder=folder)) == 1
    assert len(user_observers((Recorder(), Recorder()), folder=folder)) == 2


def test_methods_take_what_they_need() -> None:
    seen: list[Any] = []

    class Brief:
        def on_train_begin(self) -> None:
            seen.append("began")

        def on_epoch_end(self, results: Any) -> None:
            seen.append(results)

        def on_validation(self, the_run: Any) -> None:
            seen.append(the_run)

        def on_checkpoint(self, *everything: Any) -> None:
            seen.append(everything)

        @staticmethod
        def on_train_end(run: Any, more: int = 3) -> None:
            seen.append((run, more))

    run, observer = ScriptedRun(), wrap(Brief())
    observer.on_train_begin(run)
    observer.on_epoch_end(run, {"loss": 0.5})
    observer.on_validation(run, {})
    observer.on_checkpoint(run, "p")
    observer.on_train_end(run)
    observer.on_steps(run, steps=1, seconds=0.1)
    assert seen == ["began", {"loss": 0.5}, run, (run, "p"), (run, 3)]


def test_a_method_that_requires_more_is_refused() -> None:
    class Greedy:
        def on_epoch_end(self, run: Any, results: Any, learning_rate: Any) -> None: ...

    with pytest.raises(ScriptError, match=r"on_epoch_end of Greedy \(.*\) requires 'learning_rate'(.|\n)*run, results"):
        wrap(Greedy())


def test_an_observer_can_stop_the_run() -> None:
    class Impatient:
        def on_steps(self, run: Any) -> None:
            run.request_stop("enough")

    run = ScriptedRun()
    run.train(wrap(Impatient()))
    assert run.stop_reason == "enough"


def test_the_traceback_is_the_users_own(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("class Mine:\n    def on_epoch_end(self, run, results):\n        return results['gone']\n")
    spec = importlib.util.spec_from_file_location("users_script", script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    observer = wrap(module.Mine(), folder=tmp_path)
    with pytest.raises(CallbackFailed, match="calling on_epoch_end of Mine") as caught:
        observer.on_epoch_end(ScriptedRun(), {})
    assert "KeyError: 'gone'" in caught.value.user_traceback
    assert f'"{script}", line 3' in caught.value.user_traceback
    assert "users.py" not in caught.value.user_traceback


def test_a_misspelt_method_is_refused() -> None:
    class Misspelt:
        def on_epoch_ended(self, run: Any) -> None: ...

    with pytest.raises(ScriptError, match=r"Misspelt.on_epoch_ended would never be called(.|\n)*mean on_epoch_end\?"):
        wrap(Misspelt())


@pytest.mark.parametrize("stranger", ["text", 3, {"on_steps": 1}, object()])
def test_what_has_no_method_is_refused(stranger: object) -> None:
    with pytest.raises(ScriptError, match=r"has no on_\.\.\. method"):
        user_observers(stranger, folder=Path())


def test_a_class_is_no_object() -> None:
    with pytest.raises(ScriptError, match=r"the class Recorder(.|\n)*return \[Recorder\(\)\]"):
        wrap([Recorder])


def test_a_keras_callback_is_no_observer(keras: KerasVersion) -> None:
    with pytest.raises(ScriptError, match="a EarlyStopping, which is a Keras callback"):
        wrap(keras_module(keras).callbacks.EarlyStopping())


class Counter:
    def __init__(self) -> None:
        self.seen: list[int] = []

    def on_steps(self, run: Any) -> None:
        self.seen.append(run.step)

    def state(self) -> object:
        return {"seen": self.seen}

    def load_state(self, values: Any) -> None:
        self.seen = values["seen"]


def test_state_goes_through_a_checkpoint() -> None:
    run, first = ScriptedRun(), wrap(Counter())
    run.train(first)
    saved = first.values()
    run.train(first)
    counter = Counter()
    wrap(counter).restore({}, json.loads(json.dumps(saved)))
    assert counter.seen == [1], "what happened after the checkpoint is not in it"


def test_an_object_without_state_needs_none() -> None:
    observer = wrap(Recorder())
    assert observer.values() == {}
    observer.restore({}, {})


def test_a_checkpoint_without_its_state_leaves_an_observer_as_it_is() -> None:
    counter = Counter()
    wrap(counter).restore({}, {})
    assert counter.seen == []


def test_the_state_of_another_class_is_refused() -> None:
    with pytest.raises(CheckpointError, match="an observer Other, where awf_observers_fn now returns Counter"):
        wrap(Counter()).restore({}, {"class": "Other", "state": {}})


def test_state_that_json_cannot_hold_is_refused() -> None:
    class Opaque(Counter):
        def state(self) -> object:
            return {"seen": {1, 2}}

    with pytest.raises(ScriptError, match=r"state\(\) of Opaque returned what JSON cannot hold"):
        wrap(Opaque()).values()


def test_state_needs_both_ways() -> None:
    class Half:
        def on_steps(self, run: Any) -> None: ...

        def state(self) -> object: ...

    with pytest.raises(ScriptError, match="has a method state, but no load_state"):
        wrap(Half())
