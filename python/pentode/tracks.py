"""Tracks, with the names of KWIVER's types."""

from bisect import bisect_left
from typing import Any, Dict, Iterable, Iterator, List, Optional, Union

from .detections import DetectedObject, detection_of
from .wire import Record


class TrackState:
    """The state of a track in one frame."""

    def __init__(self, frame_id: int):
        self.frame_id = frame_id


class ObjectTrackState(TrackState):
    """The state of an object's track in one frame.

    It is made from a frame number, a time in microseconds and a detection, or
    from a timestamp and a detection.
    """

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
    """One object or feature followed through many frames."""

    def __init__(self, id: int = 0, states: Optional[Iterable[TrackState]] = None):
        self.id = id
        self._states: List[TrackState] = []
        self._frames: List[int] = []  # of the states, in order, for a fast search: a track may have very many
        for state in states or ():
            self.append(state)

    def append(self, more: Union[TrackState, "Track"]) -> bool:
        """Append a later state, or the states of a later track; return False if it is not later."""
        states = more._states if isinstance(more, Track) else [more]
        if self._states and states and states[0].frame_id <= self._states[-1].frame_id:
            return False
        self._states.extend(states)
        self._frames.extend(s.frame_id for s in states)
        return True

    def find_state(self, frame: int) -> TrackState:
        i = bisect_left(self._frames, frame)
        if i == len(self._frames) or self._frames[i] != frame:
            raise IndexError("the track has no state at frame %d" % frame)
        return self._states[i]

    def has_state(self, frame: int) -> bool:
        i = bisect_left(self._frames, frame)
        return i < len(self._frames) and self._frames[i] == frame

    def all_frame_ids(self) -> set:
        return set(self._frames)

    @property
    def size(self) -> int:
        return len(self._states)

    @property
    def is_empty(self) -> bool:
        return not self._states

    @property
    def first_frame(self) -> int:
        return self._frames[0]

    @property
    def last_frame(self) -> int:
        return self._frames[-1]

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, frame: int) -> TrackState:
        """Return the state at a frame, as in KWIVER; a negative index counts states from the end."""
        return self._states[frame] if frame < 0 else self.find_state(frame)

    def __iter__(self) -> Iterator[TrackState]:
        return iter(self._states)

    def __repr__(self) -> str:
        return "<Track(%d, %d states)>" % (self.id, len(self))


class TrackSet:
    """A set of tracks."""

    def __init__(self, tracks: Optional[Iterable[Track]] = None):
        self._tracks = list(tracks) if tracks is not None else []

    def tracks(self) -> List[Track]:
        return list(self._tracks)

    def get_track(self, id: int) -> Track:
        for track in self._tracks:
            if track.id == id:
                return track
        raise IndexError("the set has no track %d" % id)

    def all_frame_ids(self) -> set:
        return set().union(*(t.all_frame_ids() for t in self._tracks))

    def first_frame(self) -> int:
        return min(t.first_frame for t in self._tracks if len(t))

    def last_frame(self) -> int:
        return max(t.last_frame for t in self._tracks if len(t))

    def size(self) -> int:
        return len(self._tracks)

    def insert(self, track: Track) -> None:
        self._tracks.append(track)

    def remove(self, track: Track) -> bool:
        kept = [t for t in self._tracks if t is not track]
        removed = len(kept) < len(self._tracks)
        self._tracks = kept
        return removed

    def active_tracks(self, offset: int = -1) -> List[Track]:
        """Return the tracks with a state at a frame, given by its number or, if negative, counted from the end."""
        frame = self._frame(offset)
        return [t for t in self._tracks if t.has_state(frame)]

    def inactive_tracks(self, offset: int = -1) -> List[Track]:
        frame = self._frame(offset)
        return [t for t in self._tracks if not t.has_state(frame)]

    def _frame(self, offset: int) -> int:
        return offset if offset >= 0 or not self._tracks else self.last_frame() + 1 + offset

    def __len__(self) -> int:
        return len(self._tracks)

    def __iter__(self) -> Iterator[Track]:
        return iter(self._tracks)

    def __repr__(self) -> str:
        return "<%s(%d tracks)>" % (type(self).__name__, len(self))


class ObjectTrackSet(TrackSet):
    """A set of object tracks."""

    def __pentode__(self) -> Record:
        return Record("tracks", {"tracks": [_track_members(t) for t in self._tracks]})


def _track_members(track: Track) -> Dict[str, Any]:
    states = []
    for s in track:
        members = {"frame": int(s.frame_id), "time": getattr(s, "time_usec", 0) / 1e6}
        members["detection"] = s.detection()._members()  # type: ignore[attr-defined]
        states.append(members)
    return {"id": int(track.id), "states": states}


def tracks_of(members: Dict[str, Any]) -> ObjectTrackSet:
    tracks = []
    for t in members["tracks"]:
        states = [
            ObjectTrackState(s["frame"], round(s["time"] * 1e6), detection_of(s["detection"])) for s in t["states"]
        ]
        tracks.append(Track(t["id"], states))
    return ObjectTrackSet(tracks)
