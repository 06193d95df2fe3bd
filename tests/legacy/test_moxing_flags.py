"""Flags that are MoXing's are not the program's."""

from runyard.legacy.moxing_flags import without_moxing_flags


def left(*arguments: str, defined: tuple[str, ...] = ()) -> list[str]:
    return without_moxing_flags(["program.py", *arguments], defined=defined)[1:]


def test_moxings_flags_are_taken_out() -> None:
    assert left("--num_gpus=4", "--data_url=x", "--worker_hosts", "a:1,b:2", "rest") == ["--data_url=x", "rest"]


def test_switches_have_no_value_of_their_own() -> None:
    assert left("--use_fp16", "file", "--nosync_replicas", "--sync_replicas=False") == ["file"]


def test_what_the_program_defines_itself_is_its_own() -> None:
    assert left("--job_name=ps", "--num_gpus=2", defined=("job_name",)) == ["--job_name=ps"]


def test_unknown_flags_stay_and_so_does_what_follows_two_dashes() -> None:
    assert left("--typo=1", "-x", "--", "--num_gpus=1") == ["--typo=1", "-x", "--", "--num_gpus=1"]
