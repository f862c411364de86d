"""Boxes, detections, tracks, timestamps and homographies.

They are plain Python classes. Their attributes and methods have the names of
KWIVER's types, even if PEP 8 prefers others, so that processes written for
KWIVER can use them.
"""

from typing import Any, Callable, Dict, Optional, Tuple

from .detections import (
    BoundingBox,
    BoundingBoxD,
    BoundingBoxF,
    BoundingBoxI,
    DetectedObject,
    DetectedObjectSet,
    DetectedObjectType,
    detection_of,
    point_of,
)
from .tracks import ObjectTrackSet, ObjectTrackState, Track, TrackSet, TrackState, tracks_of
from .wire import Record, numpy

__all__ = [
    "BoundingBox",
    "BoundingBoxD",
    "BoundingBoxF",
    "BoundingBoxI",
    "DetectedObject",
    "DetectedObjectSet",
    "DetectedObjectType",
    "F2FHomography",
    "Homography",
    "HomographyD",
    "HomographyF",
    "ObjectTrackSet",
    "ObjectTrackState",
    "RECORDS",
    "Timestamp",
    "Track",
    "TrackSet",
    "TrackState",
]


class Timestamp:
    """The number and time of a frame."""

    def __init__(self, time: Optional[int] = None, frame: Optional[int] = None):
        self._usec = time
        self._frame = frame
        self._domain = 0

    def is_valid(self) -> bool:
        return self.has_valid_time() and self.has_valid_frame()

    def has_valid_time(self) -> bool:
        return self._usec is not None

    def has_valid_frame(self) -> bool:
        return self._frame is not None

    def get_time_usec(self) -> int:
        return self._usec or 0

    def get_time_seconds(self) -> float:
        return (self._usec or 0) / 1e6

    def get_frame(self) -> int:
        return self._frame or 0

    def get_time_domain_index(self) -> int:
        return self._domain

    def set_time_usec(self, time: int) -> "Timestamp":
        self._usec = int(time)
        return self

    def set_time_seconds(self, time: float) -> "Timestamp":
        self._usec = round(time * 1e6)
        return self

    def set_frame(self, frame: int) -> "Timestamp":
        self._frame = int(frame)
        return self

    def set_time_domain_index(self, domain: int) -> "Timestamp":
        self._domain = domain
        return self

    def set_invalid(self) -> "Timestamp":
        self._usec = self._frame = None
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timestamp) and self._order() == other._order()

    def __lt__(self, other: "Timestamp") -> bool:
        return self._order() < other._order()

    def __le__(self, other: "Timestamp") -> bool:
        return self._order() <= other._order()

    def __gt__(self, other: "Timestamp") -> bool:
        return self._order() > other._order()

    def __ge__(self, other: "Timestamp") -> bool:
        return self._order() >= other._order()

    def __hash__(self) -> int:
        return hash(self._order())

    def _order(self) -> Tuple[int, int]:
        return self.get_time_usec(), self.get_frame()

    def __repr__(self) -> str:
        return "<Timestamp(frame %s, %s us)>" % (self._frame, self._usec)

    def __pentode__(self) -> Record:
        return Record("timestamp", {"frame": self.get_frame(), "time": self.get_time_seconds()})


class Homography:
    """A mapping from one plane to another: a 3 by 3 matrix."""

    def __init__(self, matrix: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))):
        self._rows = [[float(x) for x in row] for row in matrix]

    def matrix(self) -> Any:
        np = numpy()
        return [list(row) for row in self._rows] if np is None else np.array(self._rows)

    def inverse(self) -> "Homography":
        (a, b, c), (d, e, f), (g, h, i) = self._rows
        det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
        return type(self)(
            [
                [(e * i - f * h) / det, (c * h - b * i) / det, (b * f - c * e) / det],
                [(f * g - d * i) / det, (a * i - c * g) / det, (c * d - a * f) / det],
                [(d * h - e * g) / det, (b * g - a * h) / det, (a * e - b * d) / det],
            ]
        )

    def map(self, point: Any) -> Any:
        x, y, z = (row[0] * point[0] + row[1] * point[1] + row[2] for row in self._rows)
        return point_of(x / z, y / z)

    def normalize(self) -> "Homography":
        return type(self)([[x / self._rows[2][2] for x in row] for row in self._rows])

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Homography):
            return self.map(other)
        return type(self)(
            [[sum(self._rows[r][k] * other._rows[k][c] for k in range(3)) for c in range(3)] for r in range(3)]
        )


class HomographyD(Homography):
    type_name = "d"


class HomographyF(Homography):
    type_name = "f"


class F2FHomography:
    """The homography from one frame to another."""

    homography: Any

    def __init__(self, homography: Any, from_id: Optional[int] = None, to_id: Optional[int] = None):
        if isinstance(homography, F2FHomography):
            homography, from_id, to_id = homography.homography, homography.from_id, homography.to_id
        elif isinstance(homography, int):  # from a frame to itself
            homography, from_id, to_id = HomographyD(), homography, homography
        elif not isinstance(homography, Homography):
            homography = HomographyD(homography)
        self.homography = homography
        self.from_id = from_id
        self.to_id = to_id

    @staticmethod
    def from_doubles(matrix: Any, from_id: int, to_id: int) -> "F2FHomography":
        return F2FHomography(HomographyD(matrix), from_id, to_id)

    from_floats = from_doubles

    def get(self, row: int, column: int) -> float:
        return self.homography._rows[row][column]

    def inverse(self) -> "F2FHomography":
        return F2FHomography(self.homography.inverse(), self.to_id, self.from_id)

    def __mul__(self, other: "F2FHomography") -> "F2FHomography":
        if self.from_id != other.to_id:
            raise ValueError("the homographies do not join: one starts at frame %s, the other ends at frame %s" % (self.from_id, other.to_id))
        return F2FHomography(self.homography * other.homography, other.from_id, self.to_id)

    def __pentode__(self) -> Record:
        matrix = [x for row in self.homography._rows for x in row]
        return Record("homography", {"matrix": matrix, "from": int(self.from_id or 0), "to": int(self.to_id or 0)})


def _homography(members: Dict[str, Any]) -> F2FHomography:
    m = members["matrix"]
    return F2FHomography(HomographyD([m[0:3], m[3:6], m[6:9]]), members["from"], members["to"])


RECORDS: Dict[str, Callable[[Dict[str, Any]], Any]] = {
    "timestamp": lambda m: Timestamp(round(m["time"] * 1e6), m["frame"]),
    "detections": lambda m: DetectedObjectSet(map(detection_of, m["objects"])),
    "tracks": tracks_of,
    "homography": _homography,
}
"""The functions that make Python values from the pipeline's records, by the name of the record."""
