"""Data in the form that KWIVER's processes use."""

import enum
from typing import Any, List

from ....process import EMPTY, FLUSH, Error
from ...vital.types import Image, ImageContainer


class DatumType(enum.Enum):
    """The type of a datum."""

    invalid = 0
    data = 1
    empty = 2
    flush = 3
    complete = 4
    error = 5


class Datum:
    """A value, or a mark in the data flow."""

    def __init__(self, value: Any = None, kind: DatumType = DatumType.data):
        self._value = value
        self._kind = kind

    def type(self) -> DatumType:
        return self._kind

    def get_error(self) -> str:
        return str(self._value) if self._kind is DatumType.error else ""

    def get_datum(self) -> Any:
        return None if self._kind is DatumType.error else self._value

    get_datum_ptr = get_datum

    def get_image_container(self) -> Any:
        """Return the value as an image container."""
        v = self._value
        if v is None or isinstance(v, ImageContainer):
            return v
        return ImageContainer(v if isinstance(v, Image) else Image(v))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Datum) and (self._kind, self._value) == (other._kind, other._value)

    __hash__ = None  # type: ignore[assignment]

    def __pentode__(self) -> Any:
        if self._kind is DatumType.data:
            return self._value
        if self._kind is DatumType.error:
            return Error(self.get_error())
        return FLUSH if self._kind is DatumType.flush else EMPTY


class VectorDouble(List[float]):
    """A list of numbers."""


class VectorString(List[str]):
    """A list of strings."""


class VectorUChar(List[int]):
    """A list of bytes."""


KINDS = (
    "bounding_box corner_points descriptor_set detected_object_set double_vector f2f_homography feature_set "
    "feature_track_set float image_container int object_track_set string string_vector timestamp track_set uchar_vector"
).split()
"""The kinds of values that the methods of processes and traits name."""


def new(value: Any) -> Datum:
    """Return a datum that holds a value."""
    if value is None:
        raise TypeError("a datum holds a value, not None: `empty()` is a datum without one")
    return Datum(value)


# Values need no conversion, so each of these only reads or stores the value.
for _kind in KINDS:
    if not hasattr(Datum, "get_" + _kind):
        setattr(Datum, "get_" + _kind, Datum.get_datum)
    globals()["new_" + _kind] = new


def empty() -> Datum:
    """Return the datum of a step without a value."""
    return Datum(None, DatumType.empty)


def flush() -> Datum:
    """Return the datum that separates sequences: later data do not belong to earlier data."""
    return Datum(None, DatumType.flush)


def complete() -> Datum:
    """Return the datum that marks the end of the data."""
    return Datum(None, DatumType.complete)


def error(why: str) -> Datum:
    """Return the datum that reports why there is no value."""
    return Datum(why, DatumType.error)


def of(value: Any) -> Datum:
    """Return the datum for a value from the pipeline."""
    if value is None or value is EMPTY:
        return empty()
    if isinstance(value, Error):
        return error(value.why)
    if value is FLUSH:
        return flush()
    return Datum(value)
