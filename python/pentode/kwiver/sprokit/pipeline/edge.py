"""Edges, and the data on them."""

import threading
from collections import deque
from typing import Any, Deque, List, Optional


class EdgeDatum:
    """A datum with its stamp."""

    def __init__(self, datum: Any = None, stamp: Any = None):
        self.datum = datum
        self.stamp = stamp

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EdgeDatum) and (self.datum, self.stamp) == (other.datum, other.stamp)

    __hash__ = None  # type: ignore[assignment]


class EdgeData(List[EdgeDatum]):
    """A list of data with stamps."""


class Edge:
    """A queue of data from one process to another.

    A full edge makes its producer wait, an empty edge its consumer.
    """

    config_dependency = "dependency"
    config_capacity = "capacity"

    def __init__(self, config: Any = None):
        value = config.get_value if config is not None else lambda key, default: default
        self._dependency = value(self.config_dependency, "true") == "true"
        self._capacity = int(value(self.config_capacity, "0"))
        self._data: Deque[EdgeDatum] = deque()
        self._changed = threading.Condition()
        self._complete = False
        self.upstream: Optional[Any] = None
        self.downstream: Optional[Any] = None

    def makes_dependency(self) -> bool:
        return self._dependency

    def has_data(self) -> bool:
        return bool(self._data)

    def full_of_data(self) -> bool:
        return 0 < self._capacity <= len(self._data)

    def datum_count(self) -> int:
        return len(self._data)

    def push_datum(self, datum: EdgeDatum) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._complete or not self.full_of_data())
            if not self._complete:
                self._data.append(datum)
                self._changed.notify_all()

    def get_datum(self) -> EdgeDatum:
        with self._changed:
            self._changed.wait_for(self.has_data)
            self._changed.notify_all()
            return self._data.popleft()

    def pop_datum(self) -> None:
        self.get_datum()

    def peek_datum(self, idx: int = 0) -> EdgeDatum:
        with self._changed:
            self._changed.wait_for(lambda: len(self._data) > idx)
            return self._data[idx]

    def set_upstream_process(self, process: Any) -> None:
        self.upstream = process

    def set_downstream_process(self, process: Any) -> None:
        self.downstream = process

    def mark_downstream_as_complete(self) -> None:
        """Mark the consumer as complete: drop all data, now and later, so that no producer waits."""
        with self._changed:
            self._complete = True
            self._data.clear()
            self._changed.notify_all()

    def is_downstream_complete(self) -> bool:
        return self._complete


class Edges(List[Edge]):
    """A list of edges."""
