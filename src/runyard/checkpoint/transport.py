"""A snapshot as bytes, for its way from one process to another."""

import json
import struct

import tensorflow as tf

from runyard.checkpoint.state import Snapshot

_LENGTH = struct.Struct("<Q")


def as_bytes(snapshot: Snapshot) -> bytes:
    """A head with names, types and lengths, and the tensors behind it, each as TensorFlow serialises it."""
    tensors = {name: tf.io.serialize_tensor(tensor).numpy() for name, tensor in snapshot.tensors.items()}
    listed = [(name, snapshot.tensors[name].dtype.name, len(data)) for name, data in tensors.items()]
    head = json.dumps({"tensors": listed, "values": dict(snapshot.values)}).encode()
    return b"".join([_LENGTH.pack(len(head)), head, *tensors.values()])


def from_bytes(data: bytes) -> Snapshot:
    """The snapshot that `as_bytes` was given."""
    (size,) = _LENGTH.unpack_from(data)
    start = _LENGTH.size + size
    head = json.loads(data[_LENGTH.size : start])
    tensors = {}
    for name, kind, length in head["tensors"]:
        tensors[name] = tf.io.parse_tensor(data[start : start + length], tf.as_dtype(kind))
        start += length
    return Snapshot(tensors, head["values"])
