"""The kinds of algorithms, and the algorithms that modules register."""

from . import algorithm_factory
from .algorithm import Algorithm
from .algos import *  # noqa: F401,F403

__all__ = [name for name in dir() if name[0].isupper()] + ["Algorithm", "algorithm_factory"]
