"""The names of optimizers, as scripts write them."""

from typing import Final


class OptimizerKeys:
    """What `get_optimizer_fn` can make."""

    ADADELTA: Final = "adadelta"
    ADAGRAD: Final = "adagrad"
    ADAM: Final = "adam"
    FTRL: Final = "ftrl"
    MOMENTUM: Final = "momentum"
    RMSPROP: Final = "rmsprop"
    SGD: Final = "sgd"
