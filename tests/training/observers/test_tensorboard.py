import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing.plugin_event_accumulator import EventAccumulator
from tensorboard.plugins.graph import keras_util

from runyard.bridge import KerasVersion, keras_module
from runyard.bridge.weights import named_weights
from runyard.config.plugins import TensorBoard
from runyard.errors import ModelError, StorageError
from runyard.training.boundaries import At, Every, steps_to_next
from runyard.training.observers.tensorboard import TensorBoardObserver
from tests.training.observers.scripted_run import ScriptedRun

INPUTS = tf.TensorSpec((None, 3), tf.float32)


def small_model(keras: KerasVersion) -> Any:
    layers = keras_module(keras).layers
    return keras_module(keras).Sequential(
        [layers.Input((3,)), layers.Dense(4, name="hidden"), layers.Dense(1, name="score")]
    )


def embedding_model(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    ids = package.layers.Input((1,), dtype="int32")
    inner = package.Sequential([package.layers.Input((1,)), package.layers.Embedding(5, 2, name="shop")])
    outputs = [package.layers.Embedding(7, 3, name="user")(ids), inner(ids)]
    return package.Model(ids, [package.layers.Flatten()(output) for output in outputs])


def scalars(directory: Path) -> dict[str, dict[int, float]]:
    """What TensorBoard shows. A value that is there twice fails the test."""
    found: dict[str, dict[int, float]] = {}
    accumulator = load(directory)
    for tag in accumulator.Tags()["tensors"]:
        if accumulator.SummaryMetadata(tag).plugin_data.plugin_name == "scalars":
            events = accumulator.Tensors(tag)
            found[tag] = {event.step: float(tf.make_ndarray(event.tensor_proto)) for event in events}
            assert len(found[tag]) == len(events), tag
    return found


def load(directory: Path) -> Any:
    """What TensorBoard's own loader makes of a directory, all of it."""
    everything = dict.fromkeys(("scalars", "histograms", "images"), 0)
    return EventAccumulator(str(directory), tensor_size_guidance=everything).Reload()


def plugins(directory: Path) -> dict[str, str]:
    accumulator = load(directory)
    tags = accumulator.Tags()["tensors"]
    return {tag: accumulator.SummaryMetadata(tag).plugin_data.plugin_name for tag in tags}


def observer_for(tmp_path: Path, *, optimizers: Any = (), inputs: Any = None, **config: Any) -> TensorBoardObserver:
    settings = TensorBoard.model_validate({"write_graph": False, **config})
    return TensorBoardObserver(settings, log_dir=tmp_path, optimizers=optimizers, inputs=inputs)


def test_training_and_validation_values_of_an_epoch_go_into_their_own_files(tmp_path: Path) -> None:
    run, observer = ScriptedRun(), observer_for(tmp_path)
    observer.on_train_begin(run)
    for epoch in range(2):
        run.train(observer, steps=5)
        run.end_epoch(
            observer, loss=0.5 - epoch / 4, auc=0.7, rows=100, val_loss=0.25, val_auc=0.5, per_class=[1.0, 2.0]
        )
    observer.on_train_end(run)

    assert scalars(tmp_path / "train") == {
        "epoch_loss": {0: 0.5, 1: 0.25},
        "epoch_auc": {0: pytest.approx(0.7), 1: pytest.approx(0.7)},
        "epoch_per_class_0": {0: 1.0, 1: 1.0},
        "epoch_per_class_1": {0: 2.0, 1: 2.0},
    }
    assert scalars(tmp_path / "validation") == {"epoch_loss": {0: 0.25, 1: 0.25}, "epoch_auc": {0: 0.5, 1: 0.5}}


def test_a_run_without_validation_has_no_validation_file(tmp_path: Path) -> None:
    run, observer = ScriptedRun(), observer_for(tmp_path)
    observer.on_train_begin(run)
    run.end_epoch(observer, loss=0.5)
    observer.on_train_end(run)
    assert not (tmp_path / "validation").exists()


def test_an_epoch_can_be_seen_as_soon_as_it_is_over(tmp_path: Path) -> None:
    run, observer = ScriptedRun(), observer_for(tmp_path)
    observer.on_train_begin(run)
    run.end_epoch(observer, loss=0.5)
    assert scalars(tmp_path / "train") == {"epoch_loss": {0: 0.5}}


def test_validation_is_shown_by_step_too(tmp_path: Path) -> None:
    run, observer = ScriptedRun(), observer_for(tmp_path)
    observer.on_train_begin(run)
    run.train(observer, steps=40)
    observer.on_validation(run, {"val_loss": 0.5})
    observer.on_train_end(run)
    assert scalars(tmp_path / "validation") == {"evaluation_loss_vs_iterations": {40: 0.5}}


@pytest.mark.parametrize(("update_freq", "expected"), [("batch", [1, 2, 3, 4]), (2, [2, 4]), ("epoch", [])])
def test_batches_are_written_at_exact_steps(tmp_path: Path, update_freq: Any, expected: list[int]) -> None:
    run, observer = ScriptedRun(), observer_for(tmp_path, update_freq=update_freq)
    observer.on_train_begin(run)
    while run.step < 4:
        run.train(observer, steps=steps_to_next(observer.boundaries, step=run.step, at_most=4 - run.step))
    run.train(observer, steps=0)
    observer.on_train_end(run)
    found = scalars(tmp_path / "train").get("batch_step", {})
    assert found == {step: step for step in expected}


def test_the_learning_rate_of_each_optimizer_is_shown(tmp_path: Path, keras: KerasVersion) -> None:
    optimizers = keras_module(keras).optimizers
    for chosen, names in (
        ([0.5], ["epoch_learning_rate"]),
        ([0.5, 0.25], ["epoch_learning_rate_0", "epoch_learning_rate_1"]),
    ):
        directory = tmp_path / str(len(chosen))
        run = ScriptedRun()
        observer = observer_for(directory, optimizers=[optimizers.SGD(rate) for rate in chosen])
        observer.on_train_begin(run)
        run.end_epoch(observer)
        observer.on_train_end(run)
        assert scalars(directory / "train") == {name: {0: rate} for name, rate in zip(names, chosen, strict=True)}


def test_weights_are_written_as_histograms_and_images(tmp_path: Path, keras: KerasVersion) -> None:
    model = small_model(keras)
    model.weights[0].assign(np.arange(12).reshape(3, 4))
    run, observer = ScriptedRun(model), observer_for(tmp_path, histogram_freq=2, write_images=True)
    observer.on_train_begin(run)
    for _ in range(3):
        run.end_epoch(observer)
    observer.on_train_end(run)

    accumulator, kernel = load(tmp_path / "train"), next(iter(named_weights(model)))
    assert kernel.endswith("hidden/kernel")
    histogram = accumulator.Tensors(f"{kernel}/histogram")
    assert [event.step for event in histogram] == [0, 2]
    buckets = tf.make_ndarray(histogram[0].tensor_proto)
    assert buckets.shape == (30, 3)
    assert buckets[:, 2].sum() == 12
    assert (buckets[0, 0], buckets[-1, 1]) == (0, 11)
    width, height, png = tf.make_ndarray(accumulator.Tensors(f"{kernel}/image")[0].tensor_proto)
    assert (width, height) == (b"4", b"3")
    pixels = tf.io.decode_png(png).numpy()
    assert (pixels.shape, pixels.min(), pixels.max()) == ((3, 4, 1), 0, 255)
    assert plugins(tmp_path / "train")[f"{kernel}/image"] == "images"


def test_weights_that_are_not_finite_do_no_harm(tmp_path: Path) -> None:
    model = small_model(2)
    model.weights[0].assign(np.full((3, 4), np.nan))
    model.weights[2].assign([[np.inf], [1.0], [2.0], [3.0]])
    run, observer = ScriptedRun(model), observer_for(tmp_path, histogram_freq=1, write_images=True)
    observer.on_train_begin(run)
    run.end_epoch(observer)
    observer.on_train_end(run)
    assert "hidden/kernel/histogram" not in plugins(tmp_path / "train")
    assert "score/kernel/histogram" in plugins(tmp_path / "train")


def test_images_without_histograms_are_refused_in_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    observer_for(tmp_path, write_images=True).on_train_begin(ScriptedRun())
    assert "write_images needs a histogram_freq" in capsys.readouterr().err


def test_the_graph_of_the_model_is_written(tmp_path: Path, keras: KerasVersion) -> None:
    run = ScriptedRun(small_model(keras))
    observer = observer_for(tmp_path, write_graph=True, inputs=INPUTS)
    observer.on_train_begin(run)
    observer.on_train_end(run)
    accumulator = load(tmp_path / "train")
    assert any("MatMul" in node.op for node in accumulator.Graph().node)
    layers = [tag for tag, plugin in plugins(tmp_path / "train").items() if plugin == "graph_keras_model"]
    assert layers == (["keras"] if keras == 2 else [])
    if keras == 2:
        config = tf.make_ndarray(accumulator.Tensors("keras")[0].tensor_proto).item()
        assert keras_util.keras_model_to_graph_def(json.loads(config)).node


def test_a_graph_that_cannot_be_traced_is_one_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ScriptedRun(small_model(2))
    observer = observer_for(tmp_path, write_graph=True, inputs=tf.TensorSpec((None, 99), tf.float32))
    observer.on_train_begin(run)
    run.end_epoch(observer, loss=0.5)
    observer.on_train_end(run)
    assert capsys.readouterr().err.count("note:") == 1
    assert scalars(tmp_path / "train") == {"epoch_loss": {0: 0.5}}


def test_the_profile_covers_the_steps_that_were_asked_for(tmp_path: Path) -> None:
    run, observer = ScriptedRun(), observer_for(tmp_path, profile_batch=[3, 4])
    assert observer.boundaries == [At(2), At(4)]
    observer.on_train_begin(run)
    profile = tmp_path / "train" / "plugins" / "profile"
    run.train(observer, steps=2)
    tf.reduce_sum(tf.ones([10]))
    assert not profile.exists()
    run.train(observer, steps=2)
    assert list(profile.rglob("*.xplane.pb"))
    observer.on_train_end(run)


def test_a_profile_may_start_with_the_first_step_and_outlast_the_run(tmp_path: Path) -> None:
    run, observer = ScriptedRun(), observer_for(tmp_path, profile_batch=[1, 100])
    observer.on_train_begin(run)
    run.train(observer)
    observer.on_train_end(run)
    assert list((tmp_path / "train").rglob("*.xplane.pb"))


def test_without_a_profile_there_are_no_boundaries(tmp_path: Path) -> None:
    assert observer_for(tmp_path).boundaries == []
    assert observer_for(tmp_path, update_freq=7).boundaries == [Every(7)]


def test_a_profiler_that_is_in_use_is_one_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tf.profiler.experimental.start(str(tmp_path / "elsewhere"))
    try:
        run, observer = ScriptedRun(), observer_for(tmp_path, profile_batch=[1, 1])
        observer.on_train_begin(run)
        run.train(observer)
        observer.on_train_end(run)
    finally:
        tf.profiler.experimental.stop(save=False)
    assert capsys.readouterr().err.count("note:") == 1


def projector_says(log_dir: Path) -> dict[str, Any]:
    """What TensorBoard's own projector makes of the directory."""
    from tensorboard.plugins import base_plugin
    from tensorboard.plugins.projector.projector_plugin import ProjectorPlugin

    plugin: Any = ProjectorPlugin(base_plugin.TBContext(logdir=str(log_dir)))
    configs, paths = plugin._read_latest_config_files([("train", str(log_dir / "train"))])
    plugin._configs, plugin.config_fpaths = configs, paths
    reader = plugin._get_reader_for_run("train")
    return {
        info.tensor_name: (reader.get_tensor(info.tensor_name), info.metadata_path)
        for info in configs["train"].embeddings
    }


def test_the_projector_finds_every_embedding_and_its_metadata(tmp_path: Path, keras: KerasVersion) -> None:
    model = embedding_model(keras)
    (tmp_path / "users.tsv").write_text("a\nb\n")
    run = ScriptedRun(model)
    observer = observer_for(tmp_path, embeddings_freq=2, embeddings_metadata={"user": "users.tsv"})
    observer.on_train_begin(run)
    for epoch in range(3):
        model.get_layer("user").embeddings.assign(np.full((7, 3), float(epoch)))
        run.end_epoch(observer)
    observer.on_train_end(run)

    found = projector_says(tmp_path)
    assert set(found) == {"user", "shop"}
    table, metadata = found["user"]
    assert np.all(table == 2.0)
    assert (tmp_path / "train" / metadata).read_text() == "a\nb\n"
    assert found["shop"][0].shape == (5, 2)
    assert found["shop"][1] == ""
    assert len(list((tmp_path / "train").glob("embeddings.ckpt*.index"))) == 1


def test_one_metadata_file_serves_all_embeddings(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "names.tsv").write_text("x\n")
    config = TensorBoard.model_validate({"embeddings_freq": 1, "embeddings_metadata": "names.tsv"})
    observer = TensorBoardObserver(config, log_dir=tmp_path / "log", data_path=data)
    run = ScriptedRun(embedding_model(2))
    observer.on_train_begin(run)
    run.end_epoch(observer)
    observer.on_train_end(run)
    assert all(metadata for _, metadata in projector_says(tmp_path / "log").values())


def test_metadata_of_an_unknown_layer_is_refused_before_training(tmp_path: Path, keras: KerasVersion) -> None:
    observer = observer_for(tmp_path, embeddings_freq=1, embeddings_metadata={"users": "x.tsv"})
    with pytest.raises(ModelError, match=r"'users'.*user, shop\s+hint: did you mean 'user'"):
        observer.on_train_begin(ScriptedRun(embedding_model(keras)))


def test_missing_metadata_is_one_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    observer = observer_for(tmp_path, embeddings_freq=1, embeddings_metadata="gone.tsv")
    run = ScriptedRun(embedding_model(2))
    observer.on_train_begin(run)
    run.end_epoch(observer)
    run.end_epoch(observer)
    assert capsys.readouterr().err.count("note:") == 1


def trained(run: ScriptedRun, observer: TensorBoardObserver, *, epochs: int, value: float) -> None:
    for _ in range(epochs):
        for _ in range(3):
            run.train(observer)
        run.end_epoch(observer, loss=value, val_loss=value)


def test_a_resumed_run_goes_on_where_its_checkpoint_was(tmp_path: Path) -> None:
    run, killed = ScriptedRun(), observer_for(tmp_path, update_freq="batch")
    killed.on_train_begin(run)
    trained(run, killed, epochs=2, value=1.0)
    run.train(killed)
    checkpoint = json.loads(json.dumps(killed.values()))
    at = (run.epoch, run.step, run.batch)
    run.train(killed, steps=2)
    run.end_epoch(killed, loss=-1.0, val_loss=-1.0)
    trained(run, killed, epochs=3, value=-1.0)

    for _ in range(2):  # a second resume from the same checkpoint changes nothing
        resumed_run, resumed = ScriptedRun(), observer_for(tmp_path, update_freq="batch", write_graph=True)
        resumed_run.epoch, resumed_run.step, resumed_run.batch = at
        resumed.restore({}, checkpoint)
        assert resumed.values() == checkpoint
        resumed.on_train_begin(resumed_run)
        resumed_run.train(resumed)
        resumed_run.train(resumed)
        resumed_run.end_epoch(resumed, loss=2.0, val_loss=2.0)
        resumed.on_train_end(resumed_run)

        found = scalars(tmp_path / "train")
        assert found["epoch_loss"] == {0: 1.0, 1: 1.0, 2: 2.0}
        assert found["batch_step"] == {step: step for step in range(1, 10)}
        assert scalars(tmp_path / "validation")["epoch_loss"] == {0: 1.0, 1: 1.0, 2: 2.0}


def test_a_resume_leaves_other_files_alone(tmp_path: Path) -> None:
    observer = observer_for(tmp_path)
    observer.on_train_begin(ScriptedRun())
    checkpoint = observer.values()
    other = observer_for(tmp_path)
    other.on_train_begin(ScriptedRun())
    own_of_the_user = tmp_path / "train" / "events.out.tfevents.1.mine"
    own_of_the_user.write_bytes(b"")
    before = {path: path.stat().st_size for path in (tmp_path / "train").iterdir()}
    resumed = observer_for(tmp_path)
    resumed.restore({}, checkpoint)
    resumed.on_train_begin(ScriptedRun())
    assert all(path.stat().st_size == size for path, size in before.items())


def test_a_run_that_starts_over_hides_the_former_one(tmp_path: Path) -> None:
    for value in (1.0, 2.0):
        run, observer = ScriptedRun(), observer_for(tmp_path)
        observer.on_train_begin(run)
        trained(run, observer, epochs=3 - int(value), value=value)
        observer.on_train_end(run)
    assert scalars(tmp_path / "train")["epoch_loss"] == {0: 2.0}


def test_a_directory_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "train").write_text("a file")
    with pytest.raises(StorageError, match="cannot write"):
        observer_for(tmp_path).on_train_begin(ScriptedRun())
