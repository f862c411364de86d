"""Stamps: the time of a datum; data that belong together have equal stamps."""

from functools import total_ordering


@total_ordering
class Stamp:
    """A stamp: a count and its increment per step."""

    def __init__(self, increment: int, index: int = 0):
        self._increment = increment
        self._index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stamp) and self._index == other._index

    def __lt__(self, other: "Stamp") -> bool:
        return self._index < other._index

    def __hash__(self) -> int:
        return hash(self._index)


def new_stamp(increment: int) -> Stamp:
    """Return the first stamp."""
    return Stamp(increment)


def incremented_stamp(stamp: Stamp) -> Stamp:
    """Return the next stamp."""
    return Stamp(stamp._increment, stamp._index + stamp._increment)
