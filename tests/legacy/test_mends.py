"""TF-Slim works on the TensorFlow that there is."""

import subprocess
import sys

import pytest

# Every `module.name` in TF-Slim's source where the module is one of TensorFlow's own.
PROGRAM = """
import ast, importlib, pathlib, types
import runyard.legacy.mends as mends
from runyard.bridge.choice import choose_keras
choose_keras(2)
import tensorflow
mends.mend_tensorflow()
mends.mend_numpy()
import tf_slim
seen = missing = 0
for file in pathlib.Path(tf_slim.__file__).parent.rglob('*.py'):
    if file.name.endswith('_test.py'):
        continue
    tree = ast.parse(file.read_text())
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or '').startswith('tensorflow.python'):
            for alias in node.names:
                found = getattr(importlib.import_module(node.module), alias.name, None)
                if isinstance(found, types.ModuleType):
                    modules[alias.asname or alias.name] = found
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            seen += 1
            if not hasattr(modules[node.value.id], node.attr):
                missing += 1
                print(file.name, node.lineno, node.value.id, node.attr)
import numpy
print(seen > 1000, missing, numpy.float is float, numpy.int is int, numpy.bool is not bool)
"""


@pytest.mark.slow
def test_every_name_that_slim_takes_from_tensorflow_is_there() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout == "True 0 True True True\n", done.stderr
