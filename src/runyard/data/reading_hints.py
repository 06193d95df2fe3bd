"""What to do about files that cannot be read."""

import tensorflow as tf

_HINTS: dict[type[Exception], str] = {
    tf.errors.NotFoundError: "look at the name of the file, and at --data-path, which a callback receives as data_path",
    tf.errors.DataLossError: "the file is damaged or cut off, or it is compressed and the dataset does not know how",
    tf.errors.PermissionDeniedError: "this user must be allowed to read the file",
    tf.errors.ResourceExhaustedError: "memory is short: make batches, shuffle buffers or caches smaller",
}


def hint_for(error: Exception) -> str | None:
    """The remedy, where the kind of error is enough to know one."""
    return _HINTS.get(type(error))
