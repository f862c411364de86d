"""Image features, their descriptors, matches and tracks."""

from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

from ....types import Track, TrackSet, TrackState


class RGBColor:
    """A color of three bytes: red, green and blue."""

    def __init__(self, r: int = 255, g: int = 255, b: int = 255):
        self.r, self.g, self.b = r, g, b

    def __getitem__(self, i: int) -> int:
        return (self.r, self.g, self.b)[i]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RGBColor) and self[0:3] == other[0:3]  # type: ignore[index]

    __hash__ = None  # type: ignore[assignment]


class Feature:
    """A point of an image that can be found again."""

    type_name = "d"

    def __init__(
        self,
        loc: Any = (0.0, 0.0),
        mag: float = 0.0,
        scale: float = 1.0,
        angle: float = 0.0,
        rgb_color: Optional[RGBColor] = None,
    ):
        if isinstance(loc, Feature):
            loc, mag, scale, angle, rgb_color = loc.location, loc.magnitude, loc.scale, loc.angle, loc.color
        self.location = loc
        self.magnitude = float(mag)
        self.scale = float(scale)
        self.angle = float(angle)
        self.color = rgb_color or RGBColor()
        self.covariance: Any = None

    @property
    def location(self) -> Any:
        import numpy as np

        return np.array(self._location)

    @location.setter
    def location(self, at: Any) -> None:
        self._location = (float(at[0]), float(at[1]))

    def clone(self) -> "Feature":
        copy = type(self)(self)
        copy.covariance = self.covariance
        return copy

    def _members(self) -> Tuple[float, ...]:
        return (*self._location, self.magnitude, self.scale, self.angle)

    def equal_except_for_angle(self, other: "Feature") -> bool:
        return self._members()[:4] == other._members()[:4] and self.color == other.color

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Feature) and self.equal_except_for_angle(other) and self.angle == other.angle

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<Feature(%g, %g, magnitude %g, scale %g, angle %g)>" % self._members()


class FeatureD(Feature):
    type_name = "d"


class FeatureF(Feature):
    type_name = "f"


class FeatureSet:
    """The features of one image."""

    def __init__(self, features: Optional[Iterable[Feature]] = None):
        self._features = list(features) if features is not None else []

    def features(self) -> List[Feature]:
        return list(self._features)

    def size(self) -> int:
        return len(self._features)

    def __len__(self) -> int:
        return len(self._features)

    def __pentode__(self) -> Dict[str, Any]:
        return {"_type": "kwiver:feature_set", "features": _table([f._members() for f in self._features], 5)}


SimpleFeatureSet = FeatureSet


class Descriptor:
    """The numbers that describe the surroundings of a feature."""

    def __init__(self, size: Any = 0, ctype: str = "d"):
        import numpy as np

        self._values = np.zeros(size, ctype) if isinstance(size, int) else np.array(size, ctype)

    @property
    def size(self) -> int:
        return len(self._values)

    @property
    def nbytes(self) -> int:
        return self._values.nbytes

    def todoublearray(self) -> List[float]:
        return [float(x) for x in self._values]

    def tobytearray(self) -> List[int]:
        return list(self._values.tobytes())

    def sum(self) -> float:
        return float(self._values.sum())

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, at: Any) -> Any:
        return self._values[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        self._values[at] = value

    def __iter__(self) -> Iterator[float]:
        return iter(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Descriptor) and self._values.tolist() == other._values.tolist()

    __hash__ = None  # type: ignore[assignment]


DescriptorD = DescriptorF = Descriptor


def new_descriptor(size: int = 0, ctype: str = "d") -> Descriptor:
    """Make a descriptor of zeros: `d` has numbers of 64 bits, `f` of 32."""
    if ctype not in ("d", "f"):
        raise RuntimeError("the numbers of a descriptor are of the kind `d` or `f`, not `%s`" % ctype)
    return Descriptor(size, ctype)


class DescriptorSet:
    """The descriptors of one image, in the order of its features."""

    def __init__(self, list: Optional[Iterable[Descriptor]] = None):
        self._descriptors = [*list] if list is not None else []

    def descriptors(self) -> List[Descriptor]:
        return [*self._descriptors]

    def empty(self) -> bool:
        return not self._descriptors

    def size(self) -> int:
        return len(self._descriptors)

    def array(self) -> Any:
        """Return the descriptors as the rows of one array."""
        import numpy as np

        return np.array([d._values for d in self._descriptors]) if self._descriptors else np.zeros((0, 0))

    def __len__(self) -> int:
        return len(self._descriptors)

    def __getitem__(self, i: int) -> Descriptor:
        return self._descriptors[i]

    def __iter__(self) -> Iterator[Descriptor]:
        return iter(self._descriptors)

    def __pentode__(self) -> Dict[str, Any]:
        return {"_type": "kwiver:descriptor_set", "descriptors": self.array()}


class MatchSet:
    """The pairs of matching features: the index in one image, and the index in another."""

    def __init__(self, matches: Optional[Iterable[Tuple[int, int]]] = None):
        self._matches = [(int(a), int(b)) for a, b in (() if matches is None else matches)]

    def matches(self) -> List[Tuple[int, int]]:
        return list(self._matches)

    def size(self) -> int:
        return len(self._matches)

    __len__ = size

    def __pentode__(self) -> Dict[str, Any]:
        import numpy as np

        return {"_type": "kwiver:match_set", "matches": np.array(self._matches, "int64").reshape(-1, 2)}


BaseMatchSet = MatchSet


class FeatureTrackState(TrackState):
    """The state of a feature track in one frame."""

    def __init__(self, frame: Any, feature: Any = None, descriptor: Any = None, inlier: bool = False):
        if isinstance(frame, FeatureTrackState):
            frame, feature, descriptor, inlier = frame.frame_id, frame.feature, frame.descriptor, frame.inlier
        super().__init__(frame)
        self.feature, self.descriptor, self.inlier = feature, descriptor, inlier

    def clone(self) -> "FeatureTrackState":
        return FeatureTrackState(self)

    @staticmethod
    def downcast(state: TrackState) -> Optional["FeatureTrackState"]:
        return state if isinstance(state, FeatureTrackState) else None


class FeatureTrackSet(TrackSet):
    """A set of feature tracks."""

    def clone(self) -> "FeatureTrackSet":
        return FeatureTrackSet(Track(t.id, [s.clone() for s in t]) for t in self._tracks)  # type: ignore[attr-defined]

    def frame_feature_track_states(self, offset: int = -1) -> List[FeatureTrackState]:
        return [t.find_state(self._frame(offset)) for t in self.active_tracks(offset)]  # type: ignore[misc]

    def frame_features(self, offset: int = -1) -> FeatureSet:
        return FeatureSet(s.feature for s in self.frame_feature_track_states(offset))

    def frame_descriptors(self, offset: int = -1) -> DescriptorSet:
        return DescriptorSet(s.descriptor for s in self.frame_feature_track_states(offset))

    def last_frame_features(self) -> FeatureSet:
        return self.frame_features()

    def last_frame_descriptors(self) -> DescriptorSet:
        return self.frame_descriptors()

    def keyframes(self) -> set:
        return set()

    def __pentode__(self) -> Dict[str, Any]:
        tracks = [
            {
                "id": int(t.id),
                "frames": [int(s.frame_id) for s in t],
                "features": _table([s.feature._members() for s in t], 5),  # type: ignore[attr-defined]
                "descriptors": DescriptorSet(s.descriptor for s in t if s.descriptor is not None).array(),  # type: ignore[attr-defined]
            }
            for t in self._tracks
        ]
        return {"_type": "kwiver:feature_track_set", "tracks": tracks}


def _table(rows: List[Any], columns: int) -> Any:
    import numpy as np

    return np.array(rows, float).reshape(-1, columns)


def _features(members: Dict[str, Any]) -> FeatureSet:
    return FeatureSet(FeatureD((x, y), *rest) for x, y, *rest in members["features"].tolist())


def _descriptors(members: Dict[str, Any]) -> DescriptorSet:
    rows = members["descriptors"]
    return DescriptorSet(Descriptor(row, rows.dtype.char) for row in rows)


def _tracks(members: Dict[str, Any]) -> FeatureTrackSet:
    tracks = []
    for t in members["tracks"]:
        features, descriptors = _features(t).features(), _descriptors(t).descriptors()
        descriptors += [None] * (len(features) - len(descriptors))  # type: ignore[list-item]
        tracks.append(Track(t["id"], map(FeatureTrackState, t["frames"], features, descriptors)))
    return FeatureTrackSet(tracks)


RECORDS = {
    "kwiver:feature_set": _features,
    "kwiver:descriptor_set": _descriptors,
    "kwiver:match_set": lambda m: MatchSet(m["matches"]),
    "kwiver:feature_track_set": _tracks,
}
"""The functions that make these types from the pipeline's records, by the name of the record."""
