"""Boxes and detections, with the names of KWIVER's types."""

from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from .points import Point2d
from .wire import Record, numpy


class BoundingBox:
    """A box in pixels, made from left, top, right and bottom, or from two corners."""

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
        return point_of((self._left + self._right) / 2, (self._top + self._bottom) / 2)

    def upper_left(self) -> Any:
        return point_of(self._left, self._top)

    def lower_right(self) -> Any:
        return point_of(self._right, self._bottom)

    def contains(self, point: Any) -> bool:
        return self._left <= point[0] < self._right and self._top <= point[1] < self._bottom

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundingBox) and list(self._corners()) == list(other._corners())

    __hash__ = None  # type: ignore[assignment]

    def _corners(self) -> Tuple[Any, Any, Any, Any]:
        return self._left, self._top, self._right, self._bottom

    def __repr__(self) -> str:
        return "<BoundingBox(%s, %s, %s, %s)>" % self._corners()


def point_of(x: float, y: float) -> Any:
    """Return a point as a numpy array, or as a tuple if numpy is not installed."""
    np = numpy()
    return (x, y) if np is None else np.array([x, y])


BoundingBoxD = BoundingBoxF = BoundingBoxI = BoundingBox


class DetectedObjectType:
    """The possible class names of a detection, with their scores."""

    def __init__(self, names: Union[str, Iterable[str], None] = None, scores: Any = None):
        self._scores: Dict[str, float] = {}
        if isinstance(names, str):
            self._scores[names] = float(scores)
        elif names is not None:
            names, scores = list(names), list(scores)
            if len(names) != len(scores):
                raise ValueError("got %d names but %d scores: expected one score for each name" % (len(names), len(scores)))
            self._scores.update(zip(names, map(float, scores)))

    def __call__(self) -> "DetectedObjectType":
        return self  # older processes write `found.type()`

    def has_class_name(self, class_name: str) -> bool:
        return class_name in self._scores

    def score(self, class_name: str) -> float:
        if class_name not in self._scores:
            raise RuntimeError("the detection has no class `%s`" % class_name)
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
        self.length = 0.0
        self._polygon: List[float] = []
        self._descriptor: Any = None
        self._frame = 0
        self._numbered = False  # whether the file that it was read from gave its number
        self._attributes: List[str] = []  # attributes from the file that have no member here
        self._read: Tuple[List[str], List[str]] = ([], [])  # all attributes from the file, and those that have a member here

    def clone(self) -> "DetectedObject":
        copy = DetectedObject(BoundingBox(*self.bounding_box._corners()), self.confidence, None, self.mask)
        if self.type is not None:
            copy.type = DetectedObjectType()
            copy.type._scores = dict(self.type._scores)
        copy.index, copy.detector_name, copy.geo_point = self.index, self.detector_name, self.geo_point
        copy.notes, copy.keypoints, copy.length = list(self.notes), dict(self.keypoints), self.length
        copy._polygon, copy._attributes, copy._read = list(self._polygon), list(self._attributes), self._read
        copy._descriptor, copy._frame, copy._numbered = self._descriptor, self._frame, self._numbered
        return copy

    def add_note(self, note: str) -> None:
        self.notes.append(note)

    def clear_notes(self) -> None:
        self.notes.clear()

    def add_keypoint(self, name: str, point: Any) -> None:
        self.keypoints[name] = point

    def clear_keypoints(self) -> None:
        self.keypoints.clear()

    def set_length(self, length: float) -> None:
        self.length = length

    def get_flattened_polygon(self) -> List[float]:
        return list(self._polygon)

    def set_flattened_polygon(self, numbers: Iterable[float]) -> None:
        """Set the outline of the object: x, y, x, y, …"""
        self._polygon = [float(x) for x in numbers]

    def descriptor_copy(self) -> Any:
        return self._descriptor

    def set_descriptor(self, descriptor: Any) -> None:
        self._descriptor = descriptor

    # The methods of the older interface.
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
        members = {
            "id": int(self.index),
            "frame": int(self._frame),
            "box": [float(x) for x in self.bounding_box._corners()],
            "confidence": float(self.confidence),
            "names": [n for n, _ in pairs],
            "scores": [s for _, s in pairs],
        }
        spelled = self._spelled()
        attributes = self._read[0] if spelled == self._read[1] else self._attributes + spelled
        more = {"numbered": self._numbered, "length": float(self.length), "attributes": attributes}
        return {**members, **{k: v for k, v in more.items() if v}}

    def _spelled(self) -> List[str]:
        """Return outline, key points and notes as VIAME's files write them."""
        spelled = ["(poly) " + " ".join("%g" % x for x in self._polygon)] if self._polygon else []
        spelled += ["(kp) %s %g %g" % (name, p[0], p[1]) for name, p in self.keypoints.items()]
        return spelled + self.notes

    def _spell(self, attribute: str) -> None:
        """Parse one attribute of a VIAME file; keep an unknown one as text."""
        word, _, rest = attribute.partition(" ")
        try:
            if word == "(poly)" and not self._polygon:
                self._polygon = [float(x) for x in rest.split()]
            elif word == "(kp)":
                name, x, y = rest.rsplit(" ", 2)
                self.keypoints[name] = Point2d(float(x), float(y))
            elif not word.startswith("("):
                self.notes.append(attribute)
            else:
                self._attributes.append(attribute)
        except ValueError:
            self._attributes.append(attribute)


def detection_of(members: Dict[str, Any]) -> DetectedObject:
    names = members.get("names") or []
    kinds = DetectedObjectType(names, members["scores"]) if names else None
    found = DetectedObject(BoundingBox(*members["box"]), members["confidence"], kinds)
    found.index, found._frame = members["id"], members["frame"]
    found._numbered, found.length = bool(members.get("numbered")), members.get("length") or 0.0
    attributes = members.get("attributes") or []
    for attribute in attributes:
        found._spell(attribute)
    found._read = (attributes, found._spelled())
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
        """Return the objects at or above a threshold, by confidence or by the score of a class, the best first."""
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
