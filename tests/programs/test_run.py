"""`runyard run` runs a program as Python does. None of these starts TensorFlow."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs.runs import runyard, write

pytestmark = pytest.mark.slow


def test_a_plain_program_runs_as_python_runs_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        code__plain="""
            import atexit, os, sys, threading, time
            import beside
            print(__name__, os.path.basename(__file__), sys.argv, __package__, __spec__)
            print(sys.path[0] == os.path.dirname(os.path.realpath(__file__)), beside.VALUE)
            print(sys.modules['__main__'].beside is beside, 'tensorflow' in sys.modules)
            atexit.register(print, 'at exit')
            threading.Thread(target=lambda: (time.sleep(0.3), print('thread done'))).start()
        """,
        code__beside="VALUE = 3",
    )
    done = runyard("run", "code/plain.py", "--", "--tf", "2", "x", cwd=tmp_path)
    assert done.stdout.splitlines() == [
        "__main__ plain.py ['code/plain.py', '--tf', '2', 'x'] None None",
        "True 3",
        "True False",
        "thread done",
        "at exit",
    ]
    assert done.stderr == "code/plain.py imports no TensorFlow\n"
    assert done.returncode == 0


def test_exit_codes_pass_through(tmp_path: Path) -> None:
    write(
        tmp_path,
        number="import sys; sys.exit(7)",
        text="import sys; sys.exit('why')",
        nothing="raise SystemExit",
        hard="import os; os._exit(9)",
    )
    codes = {name: runyard("run", f"{name}.py", cwd=tmp_path) for name in ("number", "text", "nothing", "hard")}
    assert {name: done.returncode for name, done in codes.items()} == {"number": 7, "text": 1, "nothing": 0, "hard": 9}
    assert codes["text"].stderr.endswith("\nwhy\n")


def test_a_traceback_shows_the_programs_lines_alone(tmp_path: Path) -> None:
    write(
        tmp_path,
        fails="""
            import helper
            try:
                import missing_module
            except ImportError:
                helper.divide(0)
        """,
        helper="""
            if False:
                import tensorflow as tf
                tf.Session()
            def divide(by):
                print 'dividing'
                return 1 / by
        """,
    )
    done = runyard("run", "fails.py", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == "dividing\n"
    assert "runyard" not in done.stderr.partition("Traceback")[2]
    assert f'File "{tmp_path}/fails.py", line 4, in <module>\n    import missing_module' in done.stderr
    assert f'File "{tmp_path}/helper.py", line 7, in divide\n    return 1 / by' in done.stderr
    assert "ZeroDivisionError" in done.stderr.splitlines()[-1]
    assert "helper.py: Python 2 converted in memory: print x (line 6), / of integers (line 7)" in done.stderr


def test_a_path_in_an_object_store_is_told_to_be_one(tmp_path: Path) -> None:
    write(tmp_path, plain="open('s3://dls-test/a.txt')", other="open('nothing.txt')")
    done = runyard("run", "plain.py", cwd=tmp_path)
    assert done.returncode == 1
    *_, error, hint = done.stderr.splitlines()
    assert error.startswith("FileNotFoundError")
    assert hint.startswith("  hint: s3:// paths cannot be read or written here")
    assert "hint" not in runyard("run", "other.py", cwd=tmp_path).stderr


def test_a_parser_that_takes_no_unknown_arguments_is_told_how_to(tmp_path: Path) -> None:
    write(
        tmp_path,
        strict="""
            import argparse, sys
            parser = argparse.ArgumentParser()
            parser.add_argument('--steps', type=int)
            print((parser.parse_known_args()[0] if 'known' in sys.argv else parser.parse_args()).steps)
        """,
    )
    strict = runyard("run", "strict.py", "--", "--steps=3", "--data_url=x", cwd=tmp_path)
    assert strict.returncode == 2
    *_, error, hint = strict.stderr.splitlines()
    assert error == "strict.py: error: unrecognized arguments: --data_url=x"
    assert "parse_known_args()" in hint
    assert runyard("run", "strict.py", "--", "--steps=3", "--data_url=x", "known", cwd=tmp_path).stdout == "3\n"
    assert "hint" not in runyard("run", "strict.py", "--", "--steps=x", cwd=tmp_path).stderr


def test_python_2_is_refused_when_asked(tmp_path: Path) -> None:
    write(tmp_path, old="import part\nprint 'a'", part="d = {}\nd.has_key(1)")
    done = runyard("run", "--no-py2", "old.py", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout == ""
    assert f"{tmp_path}/old.py: print x (line 2)" in done.stderr
    assert f"{tmp_path}/part.py: .has_key (line 2)" in done.stderr


def test_a_syntax_error_is_shown_as_python_shows_it(tmp_path: Path) -> None:
    write(tmp_path, broken="x = 1\ny = (\n")
    done = runyard("run", "broken.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "broken.py cannot be read: line 2" in done.stderr
    assert "SyntaxError: '(' was never closed" in done.stderr
    assert "line 2" in done.stderr


def test_modules_run_with_their_package(tmp_path: Path) -> None:
    write(
        tmp_path,
        trainer____init__="print('package')",
        trainer__task="""
            import sys
            from . import model
            import model as old_style
            print __name__, __package__, __spec__.name, sys.argv[1:], model is old_style, sys.path[0]
        """,
        trainer__model="SIZE = 3",
        tool____init__="",
        tool____main__="import sys; print('tool', sys.argv[0].endswith('__main__.py'))",
    )
    done = runyard("run", "-m", "trainer.task", "--", "--steps=3", cwd=tmp_path)
    assert done.stdout == f"package\n__main__ trainer trainer.task ['--steps=3'] True {tmp_path}\n"
    assert "import model is of the same package" in done.stderr
    assert runyard("run", "-m", "tool", cwd=tmp_path).stdout == "tool True\n"
    missing = runyard("run", "-m", "trainer.nothing", cwd=tmp_path)
    assert (missing.returncode, "no module 'trainer.nothing'" in missing.stderr) == (3, True)


def test_what_is_no_program_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for arguments, words in ((["nothing.py"], "no such program"), (["folder"], "__main__.py"), ([], "which program")):
        done = runyard("run", *arguments, cwd=tmp_path)
        assert done.returncode in (2, 3)
        assert words in done.stderr
        assert "Traceback" not in done.stderr


def test_options_of_the_program_need_two_dashes_and_are_told_so(tmp_path: Path) -> None:
    write(tmp_path, plain="print('ran')")
    forgotten = runyard("run", "plain.py", "--steps", "3", cwd=tmp_path)
    assert (forgotten.returncode, forgotten.stdout) == (2, "")
    assert forgotten.stderr.splitlines() == [
        "error: runyard run has no option --steps",
        "  hint: the program's own options come after --: runyard run plain.py -- --steps 3",
    ]
    mistyped = runyard("run", "--worker", "3", "plain.py", cwd=tmp_path)
    assert mistyped.returncode == 2
    assert mistyped.stderr.endswith("hint: did you mean --workers?\n")


def test_child_processes_in_python_2_are_converted_too(tmp_path: Path) -> None:
    write(
        tmp_path,
        parent="""
            import os, subprocess, sys
            print 'parent'
            sys.stdout.flush()
            subprocess.check_call([sys.executable, '-B', 'child.py', '--index', '1'])
            subprocess.check_call([sys.executable, '-m', 'pack.child', '2'])
        """,
        child="import sys\nprint 'child', sys.argv, sys.dont_write_bytecode",
        pack__child="import sys\nprint 'module', sys.argv[1:]",
        site__sitecustomize="import os; os.environ['OWN_SITE'] = 'yes'",
    )
    done = runyard("run", "parent.py", cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["parent", "child ['child.py', '--index', '1'] True", "module ['2']"]
    assert "pack/child.py: Python 2 converted in memory" in done.stderr


def test_spawned_processes_run_the_programs_file_converted(tmp_path: Path) -> None:
    write(
        tmp_path,
        parent="""
            import multiprocessing
            def double(x):
                print 'double', x
                return 2 * x / 4, [ord(c) for c in b'a']
            if __name__ == '__main__':
                pool = multiprocessing.get_context('spawn').Pool(1)
                print pool.map(double, xrange(3, 5))
                pool.close()
                pool.join()
        """,
    )
    done = runyard("run", "parent.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["double 3", "double 4", "[(1, [97]), (2, [97])]"]
    assert done.stderr.count("print x") == 1


def test_the_sitecustomize_of_a_child_process_still_runs(tmp_path: Path) -> None:
    write(
        tmp_path,
        parent="""
            import subprocess, sys
            if False:
                import tensorflow as tf
                tf.Session()
            subprocess.check_call([sys.executable, '-c', "import os, sys; print(os.environ['OWN_SITE'], sys.path)"])
        """,
        site__sitecustomize="import os; os.environ['OWN_SITE'] = 'yes'",
    )
    done = runyard("run", "parent.py", cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert done.stdout.startswith("yes")
    assert "runyard/legacy/child" not in done.stdout


def test_a_debugger_stops_in_the_program(tmp_path: Path) -> None:
    write(
        tmp_path,
        old="""
            if False:
                import tensorflow as tf
                tf.Session()
            value = 41
            value += 1
            raise KeyError(value)
        """,
    )
    commands = f"b {tmp_path}/old.py:6\nc\np value * 100\nc\np 'post mortem', value\nq\n"
    done = subprocess.run(
        [sys.executable, "-m", "pdb", "-m", "runyard", "run", "old.py"],
        input=commands,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert f"{tmp_path}/old.py(6)<module>()" in done.stdout
    assert "4100" in done.stdout
    assert "Uncaught exception. Entering post mortem debugging" in done.stdout
    assert "('post mortem', 42)" in done.stdout
