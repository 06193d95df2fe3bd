"""MoXing's own flags."""

import argparse
import sys

import pytest
from absl import flags as absl_flags

from moxing.tensorflow.utils.callbacks_running import inside_callback
from moxing.tensorflow.utils.flag_errors import FlagError, UnknownFlag
from moxing.tensorflow.utils.hyper_param_flags import MoxFlags, get_flag, mox_flags, set_flag
from runyard.legacy.moxing_flag_list import MOXING_FLAGS
from runyard.legacy.tolerant_flags import TolerantFlagValues


def parsed(*arguments: str) -> MoxFlags:
    flags = MoxFlags()
    flags.parse(["train.py", *arguments])
    return flags


@pytest.fixture
def fresh_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["train.py", "--num_gpus=2", "--data_url=x"])
    monkeypatch.setattr(mox_flags, "_values", None)


def test_flags_that_are_not_given_have_their_defaults() -> None:
    flags = parsed()
    assert (flags.num_gpus, flags.job_name, flags.task_index, flags.ps_hosts) == (1, "", 0, "")
    assert (flags.sync_replicas, flags.log_first_clone, flags.use_fp16, flags.loss_scale) == (True, True, False, 1.0)


@pytest.mark.parametrize(
    ("written", "name", "value"),
    [
        (["--num_gpus=4"], "num_gpus", 4),
        (["--num_gpus", "4"], "num_gpus", 4),
        (["-num_gpus=4"], "num_gpus", 4),
        (["--num_gpus=4", "--num_gpus=2"], "num_gpus", 2),
        (["--num_gpus="], "num_gpus", 1),
        (["--loss_scale", "1e3"], "loss_scale", 1000.0),
        (["--gradient_clip", "-.5"], "gradient_clip", -0.5),
        (["--use_fp16"], "use_fp16", True),
        (["-use_fp16"], "use_fp16", True),
        (["--nosync_replicas"], "sync_replicas", False),
        (["--sync_replicas=False"], "sync_replicas", False),
        (["--sync_replicas", "false"], "sync_replicas", False),
        (["--use_fp16", "file"], "use_fp16", True),
        (["--worker_hosts=a:1,b:2"], "worker_hosts", "a:1,b:2"),
        (["--worker_hosts", ""], "worker_hosts", ""),
        (["--", "--num_gpus=4"], "num_gpus", 1),
        (["--typo=1", "-x", "--num_gpus_=9", "--data_url", "--num_gpus=3"], "num_gpus", 3),
    ],
)
def test_every_way_of_writing_a_flag(written: list[str], name: str, value: object) -> None:
    found = getattr(parsed(*written), name)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (["--num_gpus=two"], "'two' is not a whole number"),
        (["--num_gpus=1.5"], "'1.5' is not a whole number"),
        (["--sync_replicas=maybe"], "'maybe' is not True or False"),
        (["--num_gpus"], "--num_gpus on the command line has no value"),
        (["--ps_hosts", "--use_fp16"], "--ps_hosts on the command line has no value"),
    ],
)
def test_a_value_that_a_flag_cannot_have(written: list[str], message: str) -> None:
    with pytest.raises(FlagError, match=message):
        parsed(*written)


def test_flags_without_a_meaning_here_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    flags = parsed("--variable_update=replicated", "--warmup_steps=0", "--warmup_steps=1", "--num_gpus=1")
    told = capsys.readouterr().err
    assert told.count("note:") == 1
    assert "--variable_update, --warmup_steps: accepted, but without effect here" in told
    assert flags.variable_update == "replicated"


def test_help_names_every_flag() -> None:
    lines = mox_flags.get_help().splitlines()
    assert [line.split()[0] for line in lines] == [f"--{name}" for name in MOXING_FLAGS]
    assert "--num_gpus (int, default 1): devices" in lines[0]


@pytest.mark.usefixtures("fresh_flags")
def test_a_script_asks_for_flags_and_sets_them() -> None:
    assert get_flag("num_gpus") == get_flag(flag_name="num_gpus") == 2
    set_flag("num_gpus", 4)
    set_flag("checkpoint_exclude_patterns", "logits")
    assert (get_flag("num_gpus"), mox_flags.checkpoint_exclude_patterns) == (4, "logits")
    set_flag("num_gpus", None)
    assert get_flag("num_gpus") == 1


@pytest.mark.usefixtures("fresh_flags")
def test_what_cannot_be_set() -> None:
    with pytest.raises(FlagError, match="'two' is not a whole number"):
        set_flag("num_gpus", "two")
    with pytest.raises(FlagError, match="True is not a whole number"):
        set_flag("num_gpus", True)
    with pytest.raises(UnknownFlag, match="did you mean num_gpus"):
        set_flag("num_gpu", 2)
    with (
        inside_callback("model_fn"),
        pytest.raises(FlagError, match=r"inside model_fn comes too late\n  hint: call it before mox\.run"),
    ):
        set_flag("num_gpus", 2)
    assert get_flag("num_gpus") == 2


@pytest.mark.usefixtures("fresh_flags")
def test_unknown_flags_suggest_what_was_meant() -> None:
    with pytest.raises(UnknownFlag, match="did you mean worker_hosts"):
        get_flag("worker_host")
    with pytest.raises(UnknownFlag, match="no flag 'data_url'"):
        get_flag("data_url")
    assert not hasattr(mox_flags, "data_url")


@pytest.mark.usefixtures("fresh_flags")
def test_the_scripts_own_parsers_are_left_alone() -> None:
    assert get_flag("num_gpus") == 2
    parser = argparse.ArgumentParser()
    parser.add_argument("--num_gpus", type=int)
    own, rest = parser.parse_known_args()
    assert (own.num_gpus, rest) == (2, ["--data_url=x"])
    assert MOXING_FLAGS.keys().isdisjoint(absl_flags.FLAGS)
    assert sys.argv == ["train.py", "--num_gpus=2", "--data_url=x"]


def test_a_strict_parse_passes_over_moxings_flags_but_over_no_others() -> None:
    flags = TolerantFlagValues()
    absl_flags.DEFINE_string("data_url", "", "", flag_values=flags)
    absl_flags.DEFINE_integer("task_index", 0, "", flag_values=flags)
    assert flags(["p", "--num_gpus", "4", "--data_url=x", "--task_index=3", "rest"]) == ["p", "rest"]
    assert (flags["data_url"].value, flags["task_index"].value) == ("x", 3)
    with pytest.raises(absl_flags.UnrecognizedFlagError, match="num_gpu_"):
        flags(["p", "--num_gpu_=4"])
