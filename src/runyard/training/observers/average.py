"""The moving average of the weights at the end of a run: it becomes the weights that are saved."""

from runyard.training.average import WeightAverage
from runyard.training.observers.base import Observer, Run


class AverageObserver(Observer):
    """Puts the averages in place after the last step."""

    def __init__(self, average: WeightAverage) -> None:
        self._average = average

    def on_train_end(self, run: Run) -> None:
        self._average.use()
