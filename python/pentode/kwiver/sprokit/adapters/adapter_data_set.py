"""Data for the ports of an adapter."""

import enum
from typing import Any, Dict, Iterator, Tuple

from ..pipeline import datum
from ..pipeline.datum import VectorDouble, VectorString, VectorUChar

__all__ = ["AdapterDataSet", "DataSetType", "VectorDouble", "VectorString", "VectorUChar"]


class DataSetType(enum.IntEnum):
    """The type of a data set."""

    data = 1
    end_of_input = 2


class AdapterDataSet:
    """A data set with one datum for each port, or the mark at the end of the input."""

    def __init__(self, type: DataSetType = DataSetType.data):
        self._type = type
        self._data: Dict[str, datum.Datum] = {}

    @classmethod
    def create(cls, type: DataSetType = DataSetType.data) -> "AdapterDataSet":
        return cls(type)

    def type(self) -> DataSetType:
        return self._type

    def is_end_of_data(self) -> bool:
        return self._type is DataSetType.end_of_input

    def empty(self) -> bool:
        return not self._data

    def add_datum(self, port: str, value: datum.Datum) -> None:
        self._data[port] = value

    def add_value(self, port: str, value: Any) -> None:
        self._data[port] = value if isinstance(value, datum.Datum) else datum.new(value)

    __setitem__ = add_value

    def get_port_data(self, port: str) -> Any:
        if port not in self._data:
            raise RuntimeError("the data set has no port `%s`" % port)
        return self._data[port].get_datum()

    __getitem__ = get_port_data

    def __contains__(self, port: object) -> bool:
        return port in self._data

    def __iter__(self) -> Iterator[Tuple[str, datum.Datum]]:
        return iter(sorted(self._data.items()))

    def __len__(self) -> int:
        return len(self._data)

    def __nice__(self) -> str:
        return "size=%d" % len(self)

    def __repr__(self) -> str:
        return "<AdapterDataSet(%s) at %s>" % (self.__nice__(), hex(id(self)))

    def __str__(self) -> str:
        ports = ", ".join("%s: %s" % (port, value.get_datum()) for port, value in self)
        return "<AdapterDataSet(%s)>\n\t{%s}" % (self.__nice__(), ports)


# KWIVER has a pair of functions for each kind of value. A value is a Python value here, so they are all the same.
for _kind in datum.KINDS:
    setattr(AdapterDataSet, "_add_" + _kind, AdapterDataSet.add_value)
    setattr(AdapterDataSet, "_get_port_data_" + _kind, AdapterDataSet.get_port_data)
