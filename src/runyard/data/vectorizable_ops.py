"""Which map functions give the same bits on a whole batch as row by row.

TensorFlow computes a batch with vector instructions and rewrites arithmetic before it runs. Both change bits: `log`,
`sigmoid` or `maximum(x, 0)` of a batch differ from those of a scalar, and `(x + a) + b` becomes `x + (a + b)` for some
shapes and not for others. So a function passes only if each of its operations is on these lists, and its arithmetic
leaves nothing to rewrite. tests/data/test_vectorizable_ops.py tries every operation here.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

_PARSING = {"DecodeCSV", "ParseSingleExample", "ParseExampleV2"}
_MOVING = {
    *("BroadcastTo", "ConcatV2", "EnsureShape", "ExpandDims", "Fill", "GatherV2", "Identity", "IdentityN"),
    *("OnesLike", "OneHot", "Pack", "Pad", "Reshape", "ReverseV2", "Select", "SelectV2", "Slice", "Split"),
    *("SplitV", "Squeeze", "StopGradient", "StridedSlice", "Tile", "Transpose", "Unpack", "ZerosLike"),
}
_CONSTANT = {"Const", "NoOp", "Placeholder", "Range"}
_SHAPES = {"Rank", "Shape", "Size"}
_CHOOSING = {
    *("All", "Any", "Equal", "Greater", "GreaterEqual", "IsFinite", "IsInf", "IsNan", "Less", "LessEqual"),
    *("LogicalAnd", "LogicalNot", "LogicalOr", "NotEqual"),
}
_ROUNDING = {"Abs", "Ceil", "Floor", "Rint", "Round"}
_ADDING = {"Add", "AddV2", "Neg", "Sub"}
_MULTIPLYING = {"Mul", "RealDiv", "Square"}
_WHOLE_NUMBERS = {"FloorDiv", "FloorMod"}
_BOUNDING = {"Maximum", "Minimum"}

_ARITHMETIC = _ADDING | _MULTIPLYING | _WHOLE_NUMBERS | _BOUNDING

EXACT = frozenset(
    _PARSING
    | _MOVING
    | _CONSTANT
    | _SHAPES
    | _CHOOSING
    | _ROUNDING
    | _ADDING
    | _MULTIPLYING
    | _WHOLE_NUMBERS
    | _BOUNDING
) | {"Cast"}

_MADE_OF_ONE_VALUE = {"Fill", "OnesLike", "ZerosLike"}
_FLOATS = {tf.float32, tf.float64}
_DTYPES = {tf.bool, tf.string, tf.uint8, tf.int8, tf.int16, tf.int32, tf.int64} | _FLOATS
_FROM_FLOAT = _FLOATS | {tf.bool, tf.int32, tf.int64}


def why_not_vectorizable(function: Any) -> str | None:
    """What in a traced map function may change a bit, in words that follow "the map"; None if nothing does."""
    graph = function.graph.as_graph_def()
    unknown = sorted({node.op for node in graph.node} - EXACT)
    if unknown:
        return f"uses {', '.join(unknown)}"
    for operation in function.graph.get_operations():
        if not all(output.shape.is_fully_defined() for output in operation.outputs):
            return f"uses {operation.type} with a shape that is not fixed"
    nodes = {node.name: node for node in graph.node}
    return next(filter(None, (_problem(node, nodes) for node in graph.node)), None)


def _problem(node: Any, nodes: Mapping[str, Any]) -> str | None:
    strange = [dtype for dtype in _dtypes(node) if dtype not in _DTYPES]
    if strange:
        return f"uses {node.op} on {strange[0].name}"
    if node.op == "Cast":
        return _cast_problem(_dtype(node, "SrcT"), _dtype(node, "DstT"))
    if not _has_faithful_form(node, nodes):
        return f"uses {node.op} in a way that has no vectorised form"
    if node.op not in _ARITHMETIC or _dtype(node, "T") not in _FLOATS:
        return None
    if node.op in _WHOLE_NUMBERS:
        return f"uses {node.op} on {_dtype(node, 'T').name}"
    if node.op in _BOUNDING:
        bounded = any(_is_bound(nodes[name]) for name in _inputs(node))
        return None if bounded else f"uses {node.op} without a constant bound other than 0"
    if not _leaves_nothing_to_rewrite(node, nodes):
        return f"has arithmetic around {node.op} that TensorFlow may rewrite"
    return None


def _has_faithful_form(node: Any, nodes: Mapping[str, Any]) -> bool:
    """`tf.vectorized_map` drops some arguments, and some forms look at other rows."""
    constant = [nodes[name].op == "Const" for name in _inputs(node)]
    match node.op:
        case "DecodeCSV":
            return not node.attr["na_value"].s
        case "ParseSingleExample" | "ParseExampleV2":
            return _fixed_length(node)
        case "Squeeze":
            return bool(node.attr["squeeze_dims"].list.i)
        case "Slice":
            return all(constant[1:])
        case "GatherV2":
            return (constant[0] or constant[1]) and not node.attr["batch_dims"].i
    return True


def _cast_problem(source: tf.DType, target: tf.DType) -> str | None:
    """Numbers that do not fit wrap around or stick at the limit, for bytes differently in a batch."""
    return f"casts {source.name} to {target.name}" if source in _FLOATS and target not in _FROM_FLOAT else None


def _fixed_length(node: Any) -> bool:
    """Sparse and ragged outputs, and padding to the longest row, depend on the other rows."""
    attributes = node.attr
    shapes = [tf.TensorShape(shape) for shape in attributes["dense_shapes"].list.shape]
    others = [*attributes["sparse_types"].list.type, *attributes["ragged_value_types"].list.type]
    return not others and all(shape.is_fully_defined() for shape in shapes)


def _is_bound(node: Any) -> bool:
    """Against 0, -0 and the numbers that count as 0, a maximum has the sign of either."""
    if node.op != "Const":
        return False
    value = tf.make_ndarray(node.attr["value"].tensor)
    return bool(np.all(np.isfinite(value)) and np.all(np.abs(value) >= np.finfo(value.dtype).tiny))


def _leaves_nothing_to_rewrite(node: Any, nodes: Mapping[str, Any]) -> bool:
    """Sums of sums, products of products, common factors, `x - x` and operations with 0 or 1 get rewritten."""
    operands = list(_inputs(node))
    if len(set(operands)) < len(operands) or not all(_is_operand(nodes[name], nodes, of=node) for name in operands):
        return False
    before = [above for name in operands for above in _with_ancestors(name, nodes)]
    if any(above.op in _MADE_OF_ONE_VALUE for above in before):
        return False
    sums = [above for above in before if above.op in _ADDING and _dtype(above, "T") in _FLOATS]
    products = [above for above in before if above.op in _MULTIPLYING and _dtype(above, "T") in _FLOATS]
    if node.op in _ADDING:
        return not sums and len(products) <= 1
    return not products


def _is_operand(node: Any, nodes: Mapping[str, Any], *, of: Any) -> bool:
    """A constant that does something, or what depends on the row."""
    if node.op != "Const":
        return any(above.op == "Placeholder" for above in _with_ancestors(node.name, nodes))
    value = np.unique(tf.make_ndarray(node.attr["value"].tensor))
    return len(value) > 1 or value[0] not in ((0,) if of.op in _ADDING else (0, 1, -1))


def _with_ancestors(name: str, nodes: Mapping[str, Any]) -> Iterator[Any]:
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            yield nodes[name]
            waiting.extend(_inputs(nodes[name]))


def _inputs(node: Any) -> Iterator[str]:
    return (name.split(":")[0] for name in node.input if not name.startswith("^"))


def _dtypes(node: Any) -> Iterator[tf.DType]:
    for value in node.attr.values():
        for number in [value.type, *value.list.type]:
            if number:
                yield tf.dtypes.as_dtype(number)


def _dtype(node: Any, name: str) -> tf.DType:
    return tf.dtypes.as_dtype(node.attr[name].type)
