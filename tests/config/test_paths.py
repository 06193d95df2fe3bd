from pathlib import Path

from runyard.config.paths import find_job_paths

ENVIRONMENT = {"PIPELINE_PACK_PATH": "/env/pack", "PIPELINE_EXPORT_PATH": "/env/data"}


def test_the_folder_of_the_job_file_is_the_default():
    paths = find_job_paths(job_file=Path("/jobs/a/job.json"), environment={})
    assert (paths.pack, paths.data) == (Path("/jobs/a"), Path("/jobs/a"))


def test_without_a_file_it_is_where_the_command_was_given():
    assert find_job_paths(job_file=None, environment={}).data == Path.cwd()


def test_the_environment_wins_over_the_folder_and_the_command_line_over_both():
    paths = find_job_paths(job_file=Path("/jobs/job.json"), data_path="/mine", environment=ENVIRONMENT)
    assert (paths.pack, paths.data) == (Path("/env/pack"), Path("/mine"))


def test_paths_are_absolute():
    paths = find_job_paths(job_file=Path("job.json"), pack_path="code", environment={})
    assert paths.pack == Path.cwd() / "code"
    assert paths.in_pack("a.py") == Path.cwd() / "code" / "a.py"
    assert paths.in_data("/abs") == Path("/abs")


def test_a_home_directory_is_found_or_left_alone():
    assert find_job_paths(job_file=None, pack_path="~/x", environment={}).pack == Path.home() / "x"
    strange = find_job_paths(job_file=None, pack_path="~nobody-has-this-name/x", environment={})
    assert strange.pack == Path.cwd() / "~nobody-has-this-name" / "x"
