"""PCGrad (Yu et al., arXiv 2001.06782): tasks whose gradients conflict no longer pull against each other."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


def project_conflicts(task_gradients: Sequence[Sequence[Any]], *, seed: int, step: Any) -> list[Any]:
    """The sum of the tasks' gradients, each projected against the others' original ones in a random order.

    Args:
        task_gradients: for each task, one dense gradient per variable.
        seed, step: the order of each step is a function of both alone.
    """
    tasks = len(task_gradients)
    if tasks == 1:
        return list(task_gradients[0])
    matrix = tf.stack([_flat(gradients) for gradients in task_gradients])
    products = tf.matmul(matrix, matrix, transpose_b=True)
    orders = _orders(tasks, seed=seed, step=step)
    projected = [_project(matrix, products, task=task, order=orders[task]) for task in range(tasks)]
    return _unflat(tf.add_n(projected), like=task_gradients[0])


def _project(matrix: Any, products: Any, *, task: int, order: Any) -> Any:
    """One task's gradient. Its products with the originals are kept up to date: no long vector is read twice."""
    coefficients = tf.one_hot(task, matrix.shape[0], dtype=matrix.dtype)
    dots = products[task]
    for place in range(matrix.shape[0]):
        other = order[place]
        norm = products[other, other]
        share = tf.minimum(tf.math.divide_no_nan(dots[other], norm), 0.0)
        share = tf.where(tf.equal(other, task), tf.zeros_like(share), share)
        coefficients -= share * tf.one_hot(other, matrix.shape[0], dtype=matrix.dtype)
        dots -= share * products[other]
    return tf.linalg.matvec(matrix, coefficients, transpose_a=True)


def _orders(tasks: int, *, seed: int, step: Any) -> Any:
    """A random order of all tasks for each task."""
    state = tf.stack([tf.constant(seed, tf.int64), tf.cast(step, tf.int64)])
    return tf.argsort(tf.random.stateless_uniform([tasks, tasks], seed=state), axis=1)


def _flat(gradients: Sequence[Any]) -> Any:
    return tf.concat([tf.reshape(gradient, [-1]) for gradient in gradients], axis=0)


def _unflat(vector: Any, *, like: Sequence[Any]) -> list[Any]:
    sizes = [gradient.shape.num_elements() for gradient in like]
    return [tf.reshape(part, gradient.shape) for part, gradient in zip(tf.split(vector, sizes), like, strict=True)]
