import importlib
import os
import shutil
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from runyard.script import Script, load_script

from .conftest import Write


def answer(script: Script, name: str = "f") -> object:
    function = script.function(name)
    assert function is not None
    with script.active():
        return function()


class TestTwoJobs:
    def test_each_has_its_own_helpers_and_scripts_of_the_same_name(self, write: Write, tmp_path: Path):
        for job in ("a", "b"):
            write(f"{job}/helpers.py", f"name = {job!r}")
            write(f"{job}/train.py", "import helpers\ndef f(): return helpers.name")
        scripts = [load_script(tmp_path / job / "train.py") for job in ("a", "b")]
        assert [answer(script) for script in (*scripts, *scripts)] == ["a", "b", "a", "b"]
        assert "helpers" not in sys.modules
        assert "train" not in sys.modules

    def test_helpers_imported_within_functions_are_their_own(self, write: Write):
        scripts: list[Script] = []
        for job in ("a", "b"):
            write(f"{job}/helpers.py", f"name = {job!r}\ncalls = []")
            source = (
                "def f():\n    import helpers\n    helpers.calls.append(1)\n    return helpers.name, len(helpers.calls)"
            )
            scripts.append(load_script(write(f"{job}/train.py", source)))
        assert [answer(script) for script in (*scripts, *scripts)] == [("a", 1), ("b", 1), ("a", 2), ("b", 2)]

    @pytest.mark.parametrize("marker", ["models/__init__.py", "models/notes.txt"])
    def test_each_has_its_own_packages_with_or_without_an_init_file(self, write: Write, marker: str):
        scripts: list[Script] = []
        for job in ("a", "b"):
            write(f"{job}/{marker}", "")
            write(f"{job}/models/deep.py", f"name = {job!r}")
            source = "import models.deep\ndef f():\n    from models import deep\n    return deep.name, models.deep.name"
            scripts.append(load_script(write(f"{job}/train.py", source)))
        assert [answer(script) for script in scripts] == [("a", "a"), ("b", "b")]
        assert not [name for name in sys.modules if name.split(".")[0] == "models"]

    def test_one_within_the_folder_of_the_other(self, write: Write):
        write("helpers.py", "name = 'outer'")
        write("inner/helpers.py", "name = 'inner'")
        outer = load_script(write("train.py", "import helpers, inner.helpers\ndef f(): return helpers.name"))
        inner = load_script(write("inner/train.py", "import helpers\ndef f(): return helpers.name"))
        assert [answer(outer), answer(inner), answer(outer)] == ["outer", "inner", "outer"]

    def test_one_called_by_the_other_sees_nothing_of_it(self, write: Write, tmp_path: Path):
        for job in ("a", "b"):
            write(f"{job}/helpers.py", f"name = {job!r}")
            write(f"{job}/train.py", "import os\ndef f():\n    import helpers\n    return helpers.name, os.getcwd()")
        a, b = (load_script(tmp_path / job / "train.py") for job in ("a", "b"))
        with a.active():
            assert answer(a) == ("a", str(a.path.parent))
            with b.active():
                assert answer(b) == ("b", str(b.path.parent))
                assert answer(a) == ("a", str(a.path.parent))
            assert Path.cwd() == a.path.parent
            assert str(b.path.parent) not in sys.path

    @pytest.mark.parametrize("addition", ["'../lib'", "os.path.abspath('../lib')"])
    def test_each_has_what_it_adds_to_the_path_for_itself(self, write: Write, addition: str):
        scripts: list[Script] = []
        for pack in ("a", "b"):
            write(f"{pack}/lib/common.py", f"name = {pack!r}")
            source = f"import os, sys\nsys.path.append({addition})\ndef f():\n    import common\n    return common.name"
            scripts.append(load_script(write(f"{pack}/job/train.py", source)))
        assert [answer(script) for script in (*scripts, *scripts)] == ["a", "b", "a", "b"]
        assert "common" not in sys.modules

    def test_what_is_added_to_the_path_keeps_its_place(self, write: Write):
        source = """
            import sys
            sys.path.insert(0, "first")
            sys.path.append("last")

            def f():
                sys.path.append("last")
                """
        script = load_script(write("train.py", source))
        for _ in range(3):
            with script.active():
                folder = str(script.path.parent)
                assert sys.path[:2] == [f"{folder}/first", folder]
                assert sys.path[-1] == f"{folder}/last"
                assert len(sys.path) == len(set(sys.path))
            answer(script)

    def test_odd_things_among_the_modules_do_no_harm(self, write: Write):
        source = """
            import sys

            class Odd:
                __path__ = property(lambda self: 1 / 0)
                def __getattr__(self, name): raise RuntimeError(name)

            sys.modules.update(odd_module=Odd(), no_module=None)
            """
        load_script(write("train.py", source))
        assert [type(sys.modules.pop(name)).__name__ for name in ("odd_module", "no_module")] == ["Odd", "NoneType"]

    def test_libraries_that_pip_installed_beside_the_scripts_are_shared(self, write: Write):
        write("lib/library_by_path.py", "")
        write("lib/library_by_path-1.0.dist-info/METADATA", "")
        load_script(write("job/train.py", "import sys\nsys.path.append('../lib')\nimport library_by_path"))
        assert sys.modules.pop("library_by_path")


class TestTheProcess:
    def test_the_folder_is_current_and_importable_within(self, write: Write, tmp_path: Path):
        write("words.txt", "hello")
        script = load_script(
            write("train.py", "text = open('words.txt').read()\ndef f(): return open('words.txt').read()")
        )
        assert answer(script) == "hello"
        with script.active():
            assert Path.cwd() == tmp_path
            assert sys.path[0] == str(tmp_path)

    def test_contexts_may_be_nested(self, write: Write, tmp_path: Path):
        write("helpers.py", "")
        script = load_script(write("train.py", "import helpers"))
        with script.active():
            with script.active():
                pass
            assert Path.cwd() == tmp_path
            assert "helpers" in sys.modules
            assert sys.path.count(str(tmp_path)) == 1

    def test_all_is_restored_after_an_exception(self, write: Write, tmp_path: Path):
        script = load_script(write("train.py", ""))
        with pytest.raises(ZeroDivisionError), script.active():
            os.chdir("/")
            sys.path.insert(0, "/nowhere")
            raise ZeroDivisionError
        assert str(tmp_path) not in sys.path
        assert "/nowhere" not in sys.path

    def test_a_path_that_is_there_already_stays(self, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        script = load_script(write("train.py", ""))
        with monkeypatch.context() as patch:
            patch.setattr(sys, "path", [*sys.path, str(tmp_path)])
            with script.active():
                sys.path.remove(str(tmp_path))
            assert sys.path.count(str(tmp_path)) == 1
            assert sys.path[-1] == str(tmp_path)

    def test_a_folder_that_was_removed_does_not_stop_loaded_code(self, write: Write, tmp_path: Path):
        path = write("job/train.py", "def f(): return 1")
        script = load_script(path)
        shutil.rmtree(path.parent)
        assert answer(script) == 1

    def test_a_directory_that_was_removed_meanwhile_hides_no_exception(
        self, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        script = load_script(write("train.py", ""))
        gone = tmp_path / "gone"
        gone.mkdir()
        with monkeypatch.context() as patch:
            patch.chdir(gone)
            with pytest.raises(ZeroDivisionError), script.active():
                gone.rmdir()
                raise ZeroDivisionError

    def test_a_start_from_a_removed_directory_works(
        self, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        gone = tmp_path / "gone"
        gone.mkdir()
        with monkeypatch.context() as patch:
            patch.chdir(gone)
            gone.rmdir()
            assert answer(load_script(write("train.py", "def f(): return 1"))) == 1

    def test_modules_of_the_process_stay_its_own(self, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        write("of_the_process.py", "")
        write("of_the_script.py", "")
        with monkeypatch.context() as patch:
            patch.syspath_prepend(tmp_path)
            theirs = importlib.import_module("of_the_process")
            script = load_script(write("train.py", "import of_the_process, of_the_script"))
            with script.active():
                assert sys.modules["of_the_process"] is theirs
            assert sys.modules["of_the_process"] is theirs
            assert "of_the_script" not in sys.modules
            del sys.modules["of_the_process"]

    def test_a_module_of_the_process_comes_back_after_the_scripts(self, write: Write, monkeypatch: pytest.MonkeyPatch):
        write("helpers.py", "name = 'the script'")
        script = load_script(write("train.py", "def f():\n    import helpers\n    return helpers.name"))
        assert answer(script) == "the script"
        with monkeypatch.context() as patch:
            theirs = type(sys)("helpers")
            patch.setitem(sys.modules, "helpers", theirs)
            assert answer(script) == "the script"
            assert sys.modules["helpers"] is theirs

    def test_a_library_that_a_script_imports_first_is_shared(self, write: Write):
        source = "def f():\n    import colorsys\n    return colorsys"
        first, second = (load_script(write(f"{job}/train.py", source)) for job in ("a", "b"))
        assert answer(first) is answer(second)

    def test_libraries_in_an_environment_within_the_folder_are_shared(self, write: Write, tmp_path: Path):
        site = ".venv/lib/python3.11/site-packages"
        write(f"{site}/library_in_folder.py", "")
        source = f"import sys\nsys.path.append({str(tmp_path / site)!r})\nimport library_in_folder"
        load_script(write("train.py", source))
        assert sys.modules.pop("library_in_folder")


class TestThreads:
    def test_code_in_other_threads_sees_the_scripts_modules(self, write: Write):
        write("helpers.py", "name = 'helpers'")
        script = load_script(write("train.py", "def f():\n    import helpers\n    return helpers.name"))
        function = script.function("f")
        assert function is not None
        found: list[object] = []
        with script.active():
            thread = threading.Thread(target=lambda: found.append(function()))
            thread.start()
            thread.join()
        assert found == ["helpers"]

    def test_the_last_thread_to_leave_restores_the_process(self, write: Write, tmp_path: Path):
        script = load_script(write("train.py", ""))
        entered, may_leave = threading.Event(), threading.Event()

        def stay() -> None:
            with script.active():
                entered.set()
                may_leave.wait(10)

        before = Path.cwd()
        with script.active():
            thread = threading.Thread(target=stay)
            thread.start()
            assert entered.wait(10)
        assert Path.cwd() == tmp_path
        may_leave.set()
        thread.join()
        assert Path.cwd() == before
        with script.active():
            assert Path.cwd() == tmp_path

    def test_many_threads_leave_nothing_behind(self, write: Write):
        write("helpers.py", "")
        script = load_script(write("train.py", "import time\ndef f():\n    import helpers\n    time.sleep(0.001)"))
        threads = [threading.Thread(target=lambda: [answer(script) for _ in range(20)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert "helpers" not in sys.modules


class TestNames:
    @pytest.mark.parametrize("library", ["json", "colorsys", "wave", "pydantic", "tensorflow", "_pytest"])
    def test_a_script_called_like_a_library_hides_it_from_nobody(self, write: Write, library: str):
        source = f"""
            def f():
                import importlib.util
                return importlib.util.find_spec({library!r}).origin
            """
        before = sys.modules.get(library)
        script = load_script(write(f"{library}.py", source))
        assert answer(script) != str(script.path)
        assert sys.modules.get(library) is before

    def test_such_a_script_can_import_the_library(self, write: Write):
        sys.modules.pop("wave", None)
        script = load_script(write("wave.py", "import wave\ndef f(): return wave.Wave_read"))
        assert answer(script) is importlib.import_module("wave").Wave_read

    def test_a_folder_of_the_scripts_name_is_no_library(self, write: Write, tmp_path: Path):
        write("elsewhere/train/notes.txt", "")
        write("helpers.py", "def f():\n    import train\n    return train.name")
        source = "name = 'script'\nimport sys\nsys.path.insert(0, 'elsewhere')\nfrom helpers import f"
        assert answer(load_script(write("train.py", source))) == "script"

    def test_a_helper_that_imports_the_script_gets_the_same_one(self, write: Write):
        write("helpers.py", "def f():\n    import train\n    return train.state")
        script = load_script(write("train.py", "from helpers import f\nstate = []\ndef g(): return state"))
        assert answer(script) is answer(script, "g")

    def test_dataclasses_and_type_hints_work(self, write: Write):
        source = """
            from __future__ import annotations
            import dataclasses, typing

            @dataclasses.dataclass
            class Settings:
                size: int = 3
                again: typing.ClassVar[Settings | None] = None

            def f():
                return Settings(4), typing.get_type_hints(Settings)["size"]
            """
        settings, hint = answer(load_script(write("train.py", source)))  # type: ignore[misc]
        assert settings.size == 4
        assert hint is int

    def test_the_main_block_is_not_run(self, write: Write):
        load_script(write("train.py", "if __name__ == '__main__':\n    raise SystemExit"))

    def test_relative_file_names_are_relative_to_the_script(self, write: Write, tmp_path: Path):
        script = load_script(write("train.py", "def f():\n    with open('out.txt', 'w') as f: f.write('x')"))
        answer(script)
        assert (tmp_path / "out.txt").read_text() == "x"


@pytest.mark.slow
def test_tensorflow_runs_a_scripts_code_in_its_own_threads(write: Write, tmp_path: Path):
    """In a process of its own, in which the script is the first to import TensorFlow."""
    write("helpers.py", "def rows():\n    import lazily\n    yield from lazily.ROWS")
    write("lazily.py", "ROWS = [1, 2, 3]")
    source = """
        import tensorflow as tf
        import helpers

        @tf.function
        def doubled(x):
            if x > 1:
                return x * 2
            return x

        def f():
            spec = tf.TensorSpec((), tf.int32)
            data = tf.data.Dataset.from_generator(helpers.rows, output_signature=spec).map(doubled)
            return [int(row) for row in data]
        """
    write("tensorflow.py", source)
    program = """
        import sys
        from pathlib import Path
        from runyard.script import load_script

        script = load_script(Path(sys.argv[1]))
        with script.active():
            print(script.function("f")())
        print(sorted({"helpers", "lazily", "tensorflow"} & set(sys.modules)))
        """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path / "tensorflow.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.splitlines() == ["[1, 4, 6]", "['tensorflow']"], run.stderr
