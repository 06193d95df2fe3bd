"""All observers of a run together."""

from runyard.training.boundaries import At, Every
from runyard.training.observers.base import Observer
from runyard.training.observers.group import ObserverGroup


class Watcher(Observer):
    boundaries = (Every(4),)


class WatcherOfOne(Observer):
    boundaries = (At(7),)


def test_observers_of_one_kind_are_told_apart_in_a_checkpoint() -> None:
    first, second, other = Watcher(), Watcher(), WatcherOfOne()
    parts = ObserverGroup([first, second, other]).parts()
    assert parts == {"Watcher_0": first, "Watcher_1": second, "WatcherOfOne_0": other}


def test_calls_end_where_any_of_them_wants_to_be_called() -> None:
    assert ObserverGroup([Watcher(), WatcherOfOne()]).boundaries == [Every(4), At(7)]


def test_each_is_told_in_their_order() -> None:
    told: list[Observer] = []
    observers = [Watcher(), WatcherOfOne(), Watcher()]
    ObserverGroup(observers).tell(told.append)
    assert told == observers
