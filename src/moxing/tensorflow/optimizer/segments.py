"""A learning rate's schedule as text: `5:0.1->0.4,10:0.4=>0.8,15:0.8`."""

import math
from dataclasses import dataclass

from moxing.tensorflow.optimizer.failures import WrongSchedule

_FORM = "write 'e1:l1,e2:l2,...': up to epoch e1 it is l1, from there to e2 it is l2; a->b is linear, a=>b exponential"


@dataclass(frozen=True)
class Segment:
    """One part of a schedule.

    Args:
        until: the epoch at which it ends.
        first: the rate at its begin.
        last: the rate at its end.
        exponential: how it gets from one to the other; otherwise in a straight line.
    """

    until: float
    first: float
    last: float
    exponential: bool = False


def read_segments(strategy: str) -> list[Segment]:
    """The parts of a schedule, in their order.

    Raises:
        WrongSchedule: a ValueError, if it cannot be read, with the part that is wrong.
    """
    segments: list[Segment] = []
    for part in strategy.split(","):
        epoch, colon, rate = part.partition(":")
        if not colon:
            raise WrongSchedule(f"learning rate schedule {strategy!r}: {part.strip()!r} has no ':'", hint=_FORM)
        exponential = "=>" in rate
        first, _, last = rate.partition("=>" if exponential else "->")
        until, begin = _number(epoch, strategy=strategy), _number(first, strategy=strategy)
        end = _number(last, strategy=strategy) if "->" in rate or exponential else begin
        if exponential and (begin <= 0 or end <= 0):
            raise WrongSchedule(f"learning rate schedule {strategy!r}: {rate!r}: => needs rates above 0", hint=_FORM)
        if until <= (segments[-1].until if segments else 0):
            raise WrongSchedule(f"learning rate schedule {strategy!r}: epoch {epoch.strip()} is not later", hint=_FORM)
        segments.append(Segment(until, begin, end, exponential))
    return segments


def _number(text: str, *, strategy: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise WrongSchedule(f"learning rate schedule {strategy!r}: {text.strip()!r} is no number", hint=_FORM)
    return value
