"""Boxes, detections, tracks, timestamps and homographies.

They are plain Python with the names of attributes and methods that KWIVER's
types have, so that processes written for it find what they use.
"""

from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from .wire import Record


class BoundingBox:
    """A box in pixels: left, top, right, bottom, or two corners."""

    __slots__ = ("_left", "_top", "_right", "_bottom")

    def __init__(self, *corners: Any):
        if len(corners) == 2 and hasattr(corners[0], "__len__"):
            corners = (*corners[0][:2], *corners[1][:2])
        elif len(corners) == 3:  # a corner, width and height
            x, y = corners[0]
            corners = (x, y, x + corners[1], y + corners[2])
        elif not corners:
            corners = (0, 0, -1, -1)
        self._left, self._top, self._right, self._bottom = corners

    def __call__(self) -> "BoundingBox":
        return self  # older processes write `found.bounding_box()`

    def is_valid(self) -> bool:
        return self._right >= self._left and self._bottom >= self._top

    def min_x(self) -> Any:
        return self._left

    def min_y(self) -> Any:
        return self._top

    def max_x(self) -> Any:
        return self._right

    def max_y(self) -> Any:
        return self._bottom

    def width(self) -> Any:
        return self._right - self._left

    def height(self) -> Any:
        return self._bottom - self._top

    def area(self) -> Any:
        return self.width() * self.height()

    def center(self) -> Any:
        return _point((self._left + self._right) / 2, (self._top + self._bottom) / 2)

    def upper_left(self) -> Any:
        return _point(self._left, self._top)

    def lower_right(self) -> Any:
        return _point(self._right, self._bottom)

    def contains(self, point: Any) -> bool:
        return self._left <= point[0] < self._right and self._top <= point[1] < self._bottom

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundingBox) and list(self._corners()) == list(other._corners())

    __hash__ = None  # type: ignore[assignment]

    def _corners(self) -> Tuple[Any, Any, Any, Any]:
        return self._left, self._top, self._right, self._bottom

    def __repr__(self) -> str:
        return "<BoundingBox(%s, %s, %s, %s)>" % self._corners()


def _point(x: float, y: float) -> Any:
    """A point as numpy has it, where numpy is installed."""
    from .wire import numpy

    np = numpy()
    return (x, y) if np is None else np.array([x, y])


BoundingBoxD = BoundingBoxF = BoundingBoxI = BoundingBox


class DetectedObjectType:
    """The names that a detection may have, with their scores."""

    def __init__(self, names: Union[str, Iterable[str], None] = None, scores: Any = None):
        self._scores: Dict[str, float] = {}
        if isinstance(names, str):
            self._scores[names] = float(scores)
        elif names is not None:
            names, scores = list(names), list(scores)
            if len(names) != len(scores):
                raise ValueError("%d names have %d scores" % (len(names), len(scores)))
            self._scores.update(zip(names, map(float, scores)))

    def __call__(self) -> "DetectedObjectType":
        return self  # older processes write `found.type()`

    def has_class_name(self, class_name: str) -> bool:
        return class_name in self._scores

    def score(self, class_name: str) -> float:
        if class_name not in self._scores:
            raise RuntimeError("there is no class `%s`" % class_name)
        return self._scores[class_name]

    def get_most_likely_class(self) -> str:
        return self._best()[0]

    def get_most_likely_score(self) -> float:
        return self._best()[1]

    def _best(self) -> Tuple[str, float]:
        if not self._scores:
            raise RuntimeError("the detection has no class")
        return max(self._scores.items(), key=lambda item: item[1])

    def set_score(self, class_name: str, score: float) -> None:
        self._scores[class_name] = float(score)

    def delete_score(self, class_name: str) -> None:
        del self._scores[class_name]

    def class_names(self, threshold: float = float("-inf")) -> List[str]:
        return [n for n, s in self if s >= threshold]

    def __len__(self) -> int:
        return len(self._scores)

    def __iter__(self) -> Iterator[Tuple[str, float]]:
        return iter(sorted(self._scores.items(), key=lambda item: -item[1]))

    def __repr__(self) -> str:
        return "<DetectedObjectType(%s)>" % ", ".join("%s: %g" % pair for pair in self)


class DetectedObject:
    """An object that was found in an image."""

    def __init__(
        self,
        bbox: BoundingBox,
        confidence: float = 1.0,
        classifications: Optional[DetectedObjectType] = None,
        mask: Any = None,
    ):
        self.bounding_box = bbox
        self.confidence = confidence
        self.type = classifications
        self.mask = mask
        self.index = 0
        self.detector_name = ""
        self.geo_point: Any = None
        self.notes: List[str] = []
        self.keypoints: Dict[str, Any] = {}
        self._descriptor: Any = None
        self._frame = 0
        self._file: Dict[str, Any] = {}  # what a file said besides: its number, its length, polygons

    def clone(self) -> "DetectedObject":
        copy = DetectedObject(BoundingBox(*self.bounding_box._corners()), self.confidence, None, self.mask)
        if self.type is not None:
            copy.type = DetectedObjectType()
            copy.type._scores = dict(self.type._scores)
        copy.index, copy.detector_name, copy.geo_point = self.index, self.detector_name, self.geo_point
        copy.notes, copy.keypoints = list(self.notes), dict(self.keypoints)
        copy._descriptor, copy._frame, copy._file = self._descriptor, self._frame, dict(self._file)
        return copy

    def add_note(self, note: str) -> None:
        self.notes.append(note)

    def clear_notes(self) -> None:
        self.notes.clear()

    def add_keypoint(self, name: str, point: Any) -> None:
        self.keypoints[name] = point

    def clear_keypoints(self) -> None:
        self.keypoints.clear()

    def descriptor_copy(self) -> Any:
        return self._descriptor

    def set_descriptor(self, descriptor: Any) -> None:
        self._descriptor = descriptor

    # The older interface.
    def set_bounding_box(self, bbox: BoundingBox) -> None:
        self.bounding_box = bbox

    def set_confidence(self, confidence: float) -> None:
        self.confidence = confidence

    def set_type(self, classifications: DetectedObjectType) -> None:
        self.type = classifications

    def __repr__(self) -> str:
        return "<DetectedObject(conf=%s, %r)>" % (self.confidence, self.bounding_box)

    def _members(self) -> Dict[str, Any]:
        pairs = list(self.type) if self.type is not None else []
        return {
            "id": int(self.index),
            "frame": int(self._frame),
            "box": [float(x) for x in self.bounding_box._corners()],
            "confidence": float(self.confidence),
            "names": [n for n, _ in pairs],
            "scores": [s for _, s in pairs],
            **self._file,
        }


def _detection(members: Dict[str, Any]) -> DetectedObject:
    names = members.get("names") or []
    kinds = DetectedObjectType(names, members["scores"]) if names else None
    found = DetectedObject(BoundingBox(*members["box"]), members["confidence"], kinds)
    found.index, found._frame = members["id"], members["frame"]
    found._file = {k: members[k] for k in ("numbered", "length", "attributes") if members.get(k)}
    return found


class DetectedObjectSet:
    """All objects that were found in one image."""

    def __init__(self, objects: Optional[Iterable[DetectedObject]] = None):
        self._objects = list(objects) if objects is not None else []

    def add(self, more: Union[DetectedObject, "DetectedObjectSet"]) -> None:
        if isinstance(more, DetectedObjectSet):
            self._objects.extend(more._objects)
        else:
            self._objects.append(more)

    def clone(self) -> "DetectedObjectSet":
        return DetectedObjectSet(o.clone() for o in self._objects)

    def at(self, i: int) -> DetectedObject:
        return self._objects[i]

    def size(self) -> int:
        return len(self._objects)

    def empty(self) -> bool:
        return not self._objects

    def select(self, first: Any = None, second: float = float("-inf"), **named: Any) -> "DetectedObjectSet":
        """Those over a threshold, by confidence or by the score of a class."""
        name = named.get("class_name", first if isinstance(first, str) else None)
        threshold = named.get("threshold", second if isinstance(first, str) or first is None else first)
        if name is None:
            chosen = [o for o in self._objects if o.confidence >= threshold]
            chosen.sort(key=lambda o: -o.confidence)
        else:
            chosen = [
                o
                for o in self._objects
                if o.type is not None and o.type.has_class_name(name) and o.type.score(name) >= threshold
            ]
            chosen.sort(key=lambda o: -o.type.score(name))  # type: ignore[union-attr]
        return DetectedObjectSet(chosen)

    def __len__(self) -> int:
        return len(self._objects)

    def __getitem__(self, i: int) -> DetectedObject:
        return self._objects[i]

    def __iter__(self) -> Iterator[DetectedObject]:
        return iter(self._objects)

    def __repr__(self) -> str:
        return "<DetectedObjectSet(size=%d)>" % len(self)

    def __pentode__(self) -> Record:
        return Record("detections", {"objects": [o._members() for o in self._objects]})


class TrackState:
    """A frame of a track."""

    def __init__(self, frame_id: int):
        self.frame_id = frame_id


class ObjectTrackState(TrackState):
    """Where the object of a track was in one frame: frame, time in
    microseconds, detection; or a timestamp and a detection."""

    def __init__(self, *args: Any):
        if len(args) == 2:
            stamp, found = args
            frame, usec = stamp.get_frame(), stamp.get_time_usec()
        else:
            frame, usec, found = args
        super().__init__(frame)
        self.time_usec = usec
        self._detection = found
        self.image_point = self.track_point = None

    def detection(self) -> DetectedObject:
        return self._detection


class Track:
    """One thing through many frames."""

    def __init__(self, id: int = 0, states: Optional[Iterable[TrackState]] = None):
        self.id = id
        self._states: List[TrackState] = []
        for state in states or ():
            self.append(state)

    def append(self, more: Union[TrackState, "Track"]) -> bool:
        """Adds a later state, or those of a later track; False when it is not later."""
        states = more._states if isinstance(more, Track) else [more]
        if self._states and states and states[0].frame_id <= self._states[-1].frame_id:
            return False
        self._states.extend(states)
        return True

    def find_state(self, frame: int) -> TrackState:
        for state in self._states:
            if state.frame_id == frame:
                return state
        raise IndexError("the track has no state at frame %d" % frame)

    def all_frame_ids(self) -> set:
        return {s.frame_id for s in self._states}

    @property
    def size(self) -> int:
        return len(self._states)

    @property
    def is_empty(self) -> bool:
        return not self._states

    @property
    def first_frame(self) -> int:
        return self._states[0].frame_id

    @property
    def last_frame(self) -> int:
        return self._states[-1].frame_id

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, i: int) -> TrackState:
        return self._states[i]

    def __iter__(self) -> Iterator[TrackState]:
        return iter(self._states)

    def __repr__(self) -> str:
        return "<Track(%d, %d states)>" % (self.id, len(self))


class TrackSet:
    """All tracks that are known at one frame."""

    def __init__(self, tracks: Optional[Iterable[Track]] = None):
        self._tracks = list(tracks) if tracks is not None else []

    def tracks(self) -> List[Track]:
        return list(self._tracks)

    def get_track(self, id: int) -> Track:
        for track in self._tracks:
            if track.id == id:
                return track
        raise IndexError("there is no track %d" % id)

    def all_frame_ids(self) -> set:
        return set().union(*(t.all_frame_ids() for t in self._tracks))

    def first_frame(self) -> int:
        return min(t.first_frame for t in self._tracks if len(t))

    def last_frame(self) -> int:
        return max(t.last_frame for t in self._tracks if len(t))

    def size(self) -> int:
        return len(self._tracks)

    def __len__(self) -> int:
        return len(self._tracks)

    def __iter__(self) -> Iterator[Track]:
        return iter(self._tracks)

    def __repr__(self) -> str:
        return "<%s(%d tracks)>" % (type(self).__name__, len(self))


class ObjectTrackSet(TrackSet):
    """Tracks of objects."""

    def __pentode__(self) -> Record:
        return Record("tracks", {"tracks": [_track_members(t) for t in self._tracks]})


def _track_members(track: Track) -> Dict[str, Any]:
    states = []
    for s in track:
        members = {"frame": int(s.frame_id), "time": getattr(s, "time_usec", 0) / 1e6}
        members["detection"] = s.detection()._members()  # type: ignore[attr-defined]
        states.append(members)
    return {"id": int(track.id), "states": states}


def _tracks(members: Dict[str, Any]) -> ObjectTrackSet:
    tracks = []
    for t in members["tracks"]:
        states = [
            ObjectTrackState(s["frame"], round(s["time"] * 1e6), _detection(s["detection"])) for s in t["states"]
        ]
        tracks.append(Track(t["id"], states))
    return ObjectTrackSet(tracks)


class Timestamp:
    """The number of a frame and its time."""

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
    """A map of a plane to another: a 3 by 3 matrix."""

    def __init__(self, matrix: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))):
        self._rows = [[float(x) for x in row] for row in matrix]

    def matrix(self) -> Any:
        from .wire import numpy

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
        return _point(x / z, y / z)

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

    def __init__(self, homography: Any, from_id: Optional[int] = None, to_id: Optional[int] = None):
        if isinstance(homography, F2FHomography):
            homography, from_id, to_id = homography.homography, homography.from_id, homography.to_id
        elif isinstance(homography, int):  # of a frame to itself
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
            raise ValueError("frame %s is not frame %s" % (self.from_id, other.to_id))
        return F2FHomography(self.homography * other.homography, other.from_id, self.to_id)

    def __pentode__(self) -> Record:
        matrix = [x for row in self.homography._rows for x in row]
        return Record("homography", {"matrix": matrix, "from": int(self.from_id or 0), "to": int(self.to_id or 0)})


def _homography(members: Dict[str, Any]) -> F2FHomography:
    m = members["matrix"]
    return F2FHomography(HomographyD([m[0:3], m[3:6], m[6:9]]), members["from"], members["to"])


RECORDS: Dict[str, Callable[[Dict[str, Any]], Any]] = {
    "timestamp": lambda m: Timestamp(round(m["time"] * 1e6), m["frame"]),
    "detections": lambda m: DetectedObjectSet(map(_detection, m["objects"])),
    "tracks": _tracks,
    "homography": _homography,
}
"""What the records of the pipeline are in Python."""
