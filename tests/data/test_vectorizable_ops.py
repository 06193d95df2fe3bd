"""Every operation on the list gives the same bits on a batch as row by row, on values that are hard on it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.config.train_args import Input
from runyard.data.pipeline import prepare
from runyard.data.vectorizable_ops import EXACT, why_not_vectorizable

_AWKWARD = [1.5, 3.3e-5, -7.1, np.nan, -np.nan, np.inf, -np.inf, 1e-40, -1e-42, 0.0, -0.0, 3e38, -3e38]
_AWKWARD += [255.0, 2147483647.0, 4e9, -1e19, 0.5, 2.5, -0.5, 1e-38, 1.1754944e-38, 5e-324]
_WHOLE = [0, 1, -1, 2, 3, -7, 127, 128, 255, 256, 2**31 - 1, -(2**31), 10]


def pairs(dtype: str, width: int = 0) -> Any:
    """All pairs of awkward values, alone or in vectors."""
    with np.errstate(all="ignore"):
        values = np.array(_AWKWARD if dtype.startswith("f") else _WHOLE).astype(dtype)
    x, y = (grid.ravel() for grid in np.meshgrid(values, values))
    if width:
        x, y = (np.stack([np.roll(column, shift) for shift in range(width)], axis=1) for column in (x, y))
    return tf.data.Dataset.from_tensor_slices((x, y))


def examples() -> Any:
    rows = []
    for value in _AWKWARD:
        number = tf.train.Feature(float_list=tf.train.FloatList(value=[float(np.float32(value)), 1.0]))
        text = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"\x00\xff" * 3]))
        features = {"x": number, "s": text} if value > 0 else {"x": number}
        rows.append(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
    return tf.data.Dataset.from_tensor_slices(rows)


def lines() -> Any:
    texts = ['1,2.5,"a,b"', ",,", '1e-40,nan,""', '-0,inf,"say ""x"""', "3,-Infinity,x y", "1e30,4.9e-324, ", "8,+.5,é"]
    return tf.data.Dataset.from_tensor_slices(texts * 7)


def same_bits(one: Any, other: Any) -> None:
    for expected, got in zip(one, other, strict=True):
        tf.nest.assert_same_structure(expected, got)
        for a, b in zip(tf.nest.flatten(expected), tf.nest.flatten(got), strict=True):
            if a is None:
                assert b is None
                continue
            assert a.shape == b.shape and a.dtype == b.dtype
            a, b = a.numpy(), b.numpy()
            assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()


def mapped(dataset: Any, function: Callable[..., Any]) -> Any:
    return dataset.map(tf.autograph.experimental.do_not_convert(function))


def check(dataset: Any, function: Callable[..., Any]) -> None:
    rows = mapped(dataset, function)
    prepared = prepare(rows, batch_size=37, already_batched=False, config=Input())
    assert "row maps vectorised" in prepared.done, prepared.done
    same_bits(rows.batch(37), prepared.dataset)


def csv(line: Any) -> Any:
    return tf.io.decode_csv(line, [[0.0], [7.0], ["none"]])


def example(row: Any) -> Any:
    features = {"x": tf.io.FixedLenFeature([2], tf.float32), "s": tf.io.FixedLenFeature([], tf.string, "none")}
    return tf.io.parse_single_example(row, features)


def old_example(row: Any) -> Any:
    return tf.raw_ops.ParseSingleExample(
        serialized=row,
        dense_defaults=[tf.constant([], tf.float32)],
        num_sparse=0,
        sparse_keys=[],
        dense_keys=["x"],
        sparse_types=[],
        dense_shapes=[[2]],
    ).dense_values[0]


ON_NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "old add": lambda x, y: tf.raw_ops.Add(x=x, y=y),
    "add constant": lambda x, y: x + tf.constant(3, x.dtype),
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "multiply by constant": lambda x, y: (x * tf.constant(3, x.dtype), tf.constant(7, x.dtype) * y),
    "compare": lambda x, y: (x < y, x <= y, x > y, x >= y, tf.equal(x, y), tf.not_equal(x, y)),
    "logic": lambda x, y: ((x > 0) & (y > 0), (x > 0) | (y < 0), ~(x > 0)),
    "choose": lambda x, y: (tf.where(x > y, x, y), tf.raw_ops.Select(condition=x > y, x=x, y=y)),
    "cast": lambda x, y: [tf.cast(x, dtype) for dtype in (tf.float32, tf.float64, tf.int32, tf.int64)],
    "truth": lambda x, y: tf.cast(x, tf.bool),
    "stack": lambda x, y: (tf.stack([x, y, x]), tf.stack([x, y], axis=-1)),
    "concatenate": lambda x, y: tf.concat([x[tf.newaxis], y[tf.newaxis]], axis=0),
    "expand": lambda x, y: (tf.expand_dims(x, 0), tf.expand_dims(y, -1)),
    "reshape": lambda x, y: (tf.reshape(x, [-1, 1]), tf.squeeze(tf.expand_dims(y, 0), 0)),
    "like": lambda x, y: (
        (tf.raw_ops.ZerosLike(x=x), tf.raw_ops.OnesLike(x=y), tf.fill([2, 3], x[tf.newaxis][0, ...])[0])
        if x.shape.rank == 0
        else (tf.raw_ops.ZerosLike(x=x), tf.raw_ops.OnesLike(x=y))
    ),
    "constant": lambda x, y: (x, tf.constant([1.0, -0.0]), tf.ones([2])),
    "identity": lambda x, y: (*tf.identity_n([x, y]), tf.stop_gradient(x), tf.identity(y)),
    "shape": lambda x, y: (tf.raw_ops.Shape(input=x), tf.raw_ops.Size(input=x), tf.raw_ops.Rank(input=x), y),
    "ensure": lambda x, y: tf.ensure_shape(x, x.shape),
    "broadcast": lambda x, y: tf.broadcast_to(x, [3, *x.shape]),
    "tile": lambda x, y: tf.tile(x[tf.newaxis], [2] + [1] * x.shape.rank),
    "range": lambda x, y: (x, tf.range(5)),
}
ON_FLOATS: dict[str, Callable[[Any, Any], Any]] = {
    "divide": lambda x, y: (x / y, x / 255.0, x / 3.0),
    "square": lambda x, y: tf.square(x),
    "negate": lambda x, y: -x,
    "absolute": lambda x, y: tf.abs(x),
    "round": lambda x, y: (tf.floor(x), tf.math.ceil(x), tf.round(x), tf.math.rint(x)),
    "kind": lambda x, y: (tf.math.is_nan(x), tf.math.is_inf(x), tf.math.is_finite(x)),
    "normalise": lambda x, y: ((x - 0.1307) / 0.3081, (y + 1.0) / 2.0),
    "scale": lambda x, y: (x / 127.5 - 1.0, x * 1.1 + y, (x - y) * 0.3),
    "clip": lambda x, y: tf.clip_by_value(x, -1.0, 1.5),
}
ON_INTEGERS: dict[str, Callable[[Any, Any], Any]] = {
    "divide": lambda x, y: (x // 10, x % 10, x // -7, x % -7),
    "bound": lambda x, y: (tf.maximum(x, y), tf.minimum(x, y), tf.clip_by_value(x, 0, 3)),
    "one hot": lambda x, y: tf.one_hot(x, 5),
    "to float": lambda x, y: tf.cast(x, tf.float32) / 255.0,
}
ON_VECTORS: dict[str, Callable[[Any, Any], Any]] = {
    "slice": lambda x, y: (x[1:3], x[::-1], x[0], tf.slice(y, [1], [2])),
    "gather": lambda x, y: (tf.gather(x, [2, 0, 0]), tf.gather([5.0, 6.0], tf.cast(y > 0, tf.int32))),
    "split": lambda x, y: (*tf.split(x, [1, 4]), *tf.split(x[:4], 2), *tf.unstack(y)),
    "pad": lambda x, y: (tf.pad(x, [[1, 2]]), y),
    "turn": lambda x, y: (tf.transpose(tf.stack([x, y])), tf.reverse(x, [0])),
    "all": lambda x, y: (tf.reduce_all(x > 0), tf.reduce_any(y > 0)),
}
PARSED: dict[str, tuple[Callable[[], Any], Callable[..., Any]]] = {
    "csv": (lines, lambda line: (lambda c: (tf.stack(c[:2]), c[2], None))(csv(line))),
    "csv in a dict": (lines, lambda line: {"x": csv(line)[:2], "y": {"text": csv(line)[2]}}),
    "csv without quotes": (
        lambda: tf.data.Dataset.from_tensor_slices(['"a 1', '"" ', "x -1"] * 9),
        lambda line: tuple(tf.io.decode_csv(line, [["d"], [3]], field_delim=" ", use_quote_delim=False)),
    ),
    "csv columns": (
        lines,
        lambda line: tuple(tf.io.decode_csv(line, [[0.0], ["d"]], select_cols=[1, 2])),
    ),
    "example": (examples, example),
    "old example": (examples, old_example),
}


def cases() -> Iterator[Any]:
    for dtype, widths in {"f4": (0, 17), "f8": (3,), "i4": (17,), "i8": (0,), "u1": (17,)}.items():
        for width in widths:
            for name, function in (ON_NUMBERS | (ON_FLOATS if dtype.startswith("f") else ON_INTEGERS)).items():
                if dtype == "u1" and name == "divide":  # has no negative divisors
                    continue
                yield pytest.param(lambda d=dtype, w=width: pairs(d, w), function, id=f"{name}-{dtype}-{width}")
    for name, function in ON_VECTORS.items():
        yield pytest.param(lambda: pairs("f4", 5), function, id=name)
    for name, (source, function) in PARSED.items():
        yield pytest.param(source, function, id=name)


@pytest.mark.parametrize(("source", "function"), cases())
def test_a_batch_has_the_bits_of_its_rows(source: Callable[[], Any], function: Callable[..., Any]) -> None:
    check(source(), function)


def test_every_operation_on_the_list_is_tried() -> None:
    graphs = [mapped(source(), function)._map_func.function.graph for source, function in map(_values, cases())]
    tried = {operation.type for graph in graphs for operation in graph.get_operations()}
    assert EXACT - tried == {"NoOp"}


def _values(case: Any) -> Any:
    return case.values


REFUSED: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "a logarithm": (lambda x, y: tf.math.log(x), "uses Log$"),
    "random numbers": (lambda x, y: x + tf.random.uniform([]), "uses RandomUniform$"),
    "python": (lambda x, y: tf.py_function(lambda v: v, [x], tf.float32), "uses EagerPyFunc$"),
    "a condition": (lambda x, y: tf.cond(x > 0, lambda: x, lambda: y), "uses StatelessIf$"),
    "a sum of sums": (lambda x, y: (x + 1e8) + (-1e8), "arithmetic around AddV2"),
    "a product of products": (lambda x, y: (x * 1.1) * 0.3, "arithmetic around Mul"),
    "a common factor": (lambda x, y: x * 0.3 + y * 0.3, "arithmetic around AddV2"),
    "nothing added": (lambda x, y: x + 0.0, "arithmetic around AddV2"),
    "multiplied by one": (lambda x, y: x * tf.ones([]), "arithmetic around Mul"),
    "a difference with itself": (lambda x, y: x - x, "arithmetic around Sub"),
    "a bound of zero": (lambda x, y: tf.maximum(x, 0.0), "Maximum without a constant bound"),
    "a cast to bytes": (lambda x, y: tf.cast(x, tf.uint8), "casts float32 to uint8"),
    "half precision": (lambda x, y: tf.cast(x, tf.float16), "on float16"),
    "a sum": (lambda x, y: tf.reduce_sum([x, y]), "uses Sum"),
    "squeeze without axis": (lambda x, y: tf.squeeze(x[tf.newaxis]), "Squeeze in a way"),
}


@pytest.mark.parametrize(("function", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_may_change_a_bit_is_refused(function: Callable[[Any, Any], Any], reason: str) -> None:
    mapped = pairs("f4").map(tf.autograph.experimental.do_not_convert(function))
    refusal = why_not_vectorizable(mapped._map_func.function)
    assert refusal is not None and re.search(reason, refusal), refusal


def test_what_tensorflow_vectorises_wrongly_is_refused() -> None:
    def parse(line: Any) -> Any:
        return tuple(tf.io.decode_csv(line, [[0.0], [0.0], ["d"]], na_value="nan"))

    def variable(row: Any) -> Any:
        sequence = tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True)
        return tf.io.parse_single_example(row, {"x": sequence})["x"][:1]

    for dataset, function in ((lines(), parse), (examples(), variable)):
        assert why_not_vectorizable(dataset.map(function)._map_func.function)
