"""Python 2 runs as Python 2 ran it, line by line; Python 3 is left alone."""

import contextlib
import io
import textwrap
from typing import Any

import pytest

from runyard.legacy.python2 import convert, told


def run(source: str) -> tuple[str, dict[str, Any]]:
    """What converted source prints, and the names it leaves."""
    conversion = convert(textwrap.dedent(source).encode(), file="old.py")
    names: dict[str, Any] = {"__name__": "old"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(conversion.tree, "old.py", "exec"), names)
    return printed.getvalue(), names


def leftovers(source: str) -> str:
    return told(convert(textwrap.dedent(source).encode(), file="old.py").leftovers)


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("print 'a', 1", "a 1\n"),
        ("print 'a',\nprint 'b'", "a b\n"),
        ("print", "\n"),
        ("print ('%d and %d') % (1, 2)", "1 and 2\n"),
        ("print ('a'), 'b'", "a b\n"),
        ("print -1", "-1\n"),
        ("print 'x' # a comment, not printed", "x\n"),
        ("print 'long', (\n  1 +\n  2), \\\n  4", "long 3 4\n"),
        ("if True: print 'one'; print 'two'\nelse: print 'three'", "one\ntwo\n"),
        ("f = lambda x: x\nprint f(3), {'a': 1}['a'], [1, 2][0:1]", "3 1 [1]\n"),
        ("print '''print \"not\n code\"'''", 'print "not\n code"\n'),
        ("import sys\nprint >>sys.stdout, 'there', 1", "there 1\n"),
        ("import sys\nprint >>sys.stdout", "\n"),
        ("import sys\nprint >>sys.stdout, 'no end',", "no end "),
    ],
)
def test_print_prints_what_it_printed(source: str, printed: str) -> None:
    assert run(source)[0] == printed


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("x = 0777", 511),
        ("x = 10L + 0xFFL", 265),
        ("x = `1` + `'a'`", "1'a'"),
        ("x = 1 <> 2", True),
        ("x = ur'a\\b'; y = 0L", "a\\b"),
        ("try:\n  raise ValueError, 'bad'\nexcept (KeyError, ValueError), e:\n  x = e.args", ("bad",)),
        ("try:\n  raise ValueError, ('a', 2)\nexcept ValueError, e:\n  x = e.args", ("a", 2)),
        ("try:\n  raise ValueError('a'), None, None\nexcept ValueError, e:\n  x = e.args", ("a",)),
        ("scope = {}\nexec 'y = 3' in scope\nx = scope['y']", 3),
        ("x = [i for i in xrange(3)]", [0, 1, 2]),
        ("x = isinstance(unicode('a'), basestring)", True),
        ("import sys\nx = sys.maxint > 2 ** 60", True),
        ("d = {'a': 1}\nx = list(d.iteritems()) + list(d.itervalues()), d.has_key('a'), d.has_key('b')",
         ([("a", 1), 1], True, False)),
        ("x = {'a': 1}.has_key('a') and {'a': 1}.keys()[0]", "a"),
        ("x = map(lambda (a, b): a + b if a else [b, 1], [(1, 2), (3, 4)])", [3, 7]),
        ("f = lambda (a, b): (a,\n  b)\nx = [f((1, 2)), 3]", [(1, 2), 3]),
        ("f = lambda a, (b, (c, d))=(2, (3, 4)), *e: (a, b, c, d, e)\nx = f(1), f(1, (5, (6, 7)), 8)",
         ((1, 2, 3, 4, ()), (1, 5, 6, 7, (8,)))),
        ("def f((a, b), c=(3, 4), (d,)=(5,)):\n  'doc'\n  return a, b, c, d\nx = f((1, 2)), f.__doc__",
         ((1, 2, (3, 4), 5), "doc")),
        ("x = sorted({'a': 2, 'b': 1}.items(), key=lambda (k, v): v)[0]", ("b", 1)),
        ("class A:\n  def m(self, (a, b)): return a + b\nx = A().m((1, 2))", 3),
        ("try: open('/no/such')\nexcept IOError, (number, text): x = number, text", (2, "No such file or directory")),
        ("try: raise ValueError(1, 2)\nexcept (KeyError, ValueError), [a, b]:\n  pass\nx = a, b", (1, 2)),
        ("try: raise ValueError, 'kept'\nexcept ValueError, e: pass\nx = e.args", ("kept",)),
        ("class A: pass\ntry: raise ValueError(3)\nexcept ValueError, A.error: x = A.error.args", (3,)),
        ("x = 'a\\u1\\\\u', 3L", ("a\\u1\\u", 3)),
        ("try: raise KeyError,'a'\nexcept KeyError,e: x = str(e)", "'a'"),
        ("x = reduce(lambda a, b: a + b, [1, 2])", 3),
        ("x = sorted([1, 3, 2], cmp=lambda a, b: cmp(b, a))", [3, 2, 1]),
        ("from itertools import izip, count\nx = list(izip([1], count()))", [(1, 0)]),
        ("import itertools\nx = list(itertools.imap(str, [1]))", ["1"]),
        ("import cPickle as pickle, StringIO\nx = pickle.__name__ + StringIO.StringIO('a').read()", "picklea"),
        ("import sys\nreload(sys)\nsys.setdefaultencoding('utf8')\nx = 1", 1),
        ("class Two:\n  def __init__(self): self.n = 0\n  def __iter__(self): return self\n  def next(self):\n"
         "    self.n += 1\n    if self.n > 2: raise StopIteration, 'end'\n    return self.n\nx = list(Two())", [1, 2]),
        ("def f():\n\tif True:\n        \treturn 5L\nx = f()", 5),
    ],
)  # fmt: skip
def test_the_rest_means_what_it_meant(source: str, value: object) -> None:
    assert run(source)[1]["x"] == value


def test_integers_divide_as_before_in_python_2_only() -> None:
    old = "print 7 / 2, 7 / 2.0, -7 / 2\nn = 9\nn /= 2\nprint n"
    assert run(old)[0] == "3 3.5 -4\n4\n"
    assert run("from __future__ import division\n" + old)[0] == "3.5 3.5 -3.5\n4.5\n"
    assert run("print(7 / 2)")[0] == "3.5\n"


def test_arrays_of_integers_divide_as_before() -> None:
    source = (
        "import numpy as np\nprint 'py2'\na = np.array([7, 8]) / 2\nb = np.array([7.0]) / 2\nc = np.array([7])\nc /= 2"
    )
    _, names = run(source)
    assert names["a"].tolist() == [3, 4]
    assert names["b"].tolist() == [3.5]
    assert names["c"].tolist() == [3]


def test_bytes_are_taken_for_what_ord_gives(capsys: pytest.CaptureFixture[str]) -> None:
    source = "def codes(text):\n  return [ord(c) for c in text]\nx = codes(b'ab'), codes('ab')"
    assert run(source)[1]["x"] == ([97, 98], [97, 98])
    assert "ord() of a byte (line 2)" in capsys.readouterr().err


def test_what_was_found_is_told_with_its_lines() -> None:
    source = "d = {}\nprint 'a'\nfor k in d.iteritems():\n  print k\nn = xrange(3)\n"
    assert leftovers(source) == "print x (lines 2, 4), .iteritems (line 3), xrange (line 5)"


@pytest.mark.parametrize(
    "source",
    [
        "print('a', 'b')\nprint()\nx = print\nprint('a') if x else None\n",
        "from six.moves import xrange\nxrange(3)\n",
        "try:\n  xrange\nexcept NameError:\n  xrange = range\nxrange(3)\n",
        "try:\n  import cPickle as pickle\nexcept ImportError:\n  import pickle\n",
        "import sys\nif sys.version_info[0] < 3:\n  text = unicode\nelse:\n  text = str\n",
        "def unicode(x): return x\nunicode(3)\n",
        "from __future__ import print_function\nprint\n",
        "x: int = 3\nprint(f'{x!r}', end='')\nasync def f(): await f()\n",
        "class A:\n  def next(self): return 1\nA().next()\n",
        "match = {'a': 0o17}\nx = ord('a') / 2\n",
    ],
)
def test_python_3_is_no_python_2(source: str) -> None:
    assert leftovers(source) == ""


def test_lines_stay_where_they_are() -> None:
    source = "import sys\nprint >>sys.stderr, \\\n   'a', (1,\n 2)\n\n\nraise ValueError, \\\n  'bad'\n"
    with pytest.raises(ValueError, match="bad") as raised:
        run(source)
    frame = raised.tb
    while frame.tb_next is not None:
        frame = frame.tb_next
    assert frame.tb_lineno == 7


def test_an_error_in_python_3_is_shown_as_python_3_does() -> None:
    with pytest.raises(SyntaxError) as raised:
        convert(b"x = 1\nprint('a'\n", file="new.py")
    assert raised.value.lineno == 2


def test_what_cannot_be_converted_is_what_the_error_points_at() -> None:
    with pytest.raises(SyntaxError) as raised:
        convert(b"print 'a'\ntry: f()\nexcept OSError, 3 +: pass\n", file="old.py")
    assert raised.value.lineno == 3


def test_an_encoding_is_heeded() -> None:
    source = "# -*- coding: gbk -*-\nx = '训练'\nprint x\n".encode("gbk")
    names: dict[str, Any] = {}
    exec(compile(convert(source, file="old.py").tree, "old.py", "exec"), names)
    assert names["x"] == "训练"
