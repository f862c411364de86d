"""What lies on an edge."""

from typing import Any, List


class EdgeDatum:
    """A datum with its stamp."""

    def __init__(self, datum: Any = None, stamp: Any = None):
        self.datum = datum
        self.stamp = stamp

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EdgeDatum) and (self.datum, self.stamp) == (other.datum, other.stamp)

    __hash__ = None  # type: ignore[assignment]


class EdgeData(List[EdgeDatum]):
    """Several of them."""
