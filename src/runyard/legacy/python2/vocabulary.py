"""What Python 2 called what. Data only."""

from collections.abc import Mapping

RENAMED_NAMES: Mapping[str, str] = {
    "xrange": "range",
    "unicode": "str",
    "basestring": "str",
    "long": "int",
    "unichr": "chr",
    "raw_input": "input",
    "file": "open",
}

HELPED_NAMES: Mapping[str, str] = {"reduce": "reduce", "cmp": "compare", "reload": "reload"}
"""Built-in functions that are gone, and what in `runtime` does their work."""

RENAMED_ATTRIBUTES: Mapping[tuple[str, str], tuple[str, str]] = {
    ("sys", "maxint"): ("sys", "maxsize"),
    ("os", "getcwdu"): ("os", "getcwd"),
    ("string", "letters"): ("string", "ascii_letters"),
    ("string", "lowercase"): ("string", "ascii_lowercase"),
    ("string", "uppercase"): ("string", "ascii_uppercase"),
    ("itertools", "izip_longest"): ("itertools", "zip_longest"),
}

BUILT_IN_NOW: Mapping[tuple[str, str], str] = {
    ("itertools", "izip"): "zip",
    ("itertools", "imap"): "map",
    ("itertools", "ifilter"): "filter",
}
"""Attributes of modules that are plain names now."""

METHODS: Mapping[str, int] = {"iteritems": 0, "itervalues": 0, "iterkeys": 0, "has_key": 1}
"""Methods of Python 2's dictionaries and how many arguments they take; `runtime` has functions of the same names."""

MODULES: Mapping[str, str] = {
    "cPickle": "pickle",
    "Queue": "queue",
    "ConfigParser": "configparser",
    "StringIO": "io",
    "cStringIO": "io",
    "urllib2": "urllib.request",
    "urlparse": "urllib.parse",
    "httplib": "http.client",
    "commands": "subprocess",
    "__builtin__": "builtins",
    "copy_reg": "copyreg",
    "SocketServer": "socketserver",
    "HTMLParser": "html.parser",
    "thread": "_thread",
    "Tkinter": "tkinter",
}

LISTS = frozenset({"map", "filter", "zip"})
"""Functions that gave lists."""
LIST_METHODS = frozenset({"keys", "values", "items"})
"""Methods that gave lists."""
TAKES_ANY_ITERABLE = frozenset(
    {"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "max", "min", "any", "all", "enumerate", "iter"}
)
"""Calls whose argument need not be a list."""

SPECIAL_METHODS: Mapping[str, str] = {
    "next": "__next__",
    "__nonzero__": "__bool__",
    "__div__": "__truediv__",
    "__unicode__": "__str__",
}
"""Methods of classes that Python 3 looks for under another name."""
