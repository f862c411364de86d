"""Homographies: mappings from one view of a plane to another."""

from typing import Any, Dict, List, Tuple

from ..kwiver.vital.algo import ComputeRefHomography, EstimateHomography
from ..kwiver.vital.config import Config
from ..kwiver.vital.types import F2FHomography, FeatureTrackSet, HomographyD
from .settings import Vision, opencv


class Estimate(Vision, EstimateHomography):
    """A RANSAC estimator of the homography that most pairs of points agree on."""

    def estimate(self, first: Any, second: Any, matches: Any = None, inlier_scale: float = 1.0) -> Any:
        """Return the homography and, for each pair, whether it agrees; None if there is no homography.

        The pairs are two lists of points, or two sets of features with their matches.
        """
        import numpy as np

        if hasattr(first, "features"):
            one, two = first.features(), second.features()
            pairs = matches.matches()
            first, second = [one[i].location for i, _ in pairs], [two[j].location for _, j in pairs]
        if len(first) < 4 or len(second) < 4:
            return None
        cv = opencv()
        cv.setRNGSeed(0)  # the same points give the same result at every call
        found, good = cv.findHomography(
            np.asarray(first, np.float32), np.asarray(second, np.float32), cv.RANSAC, inlier_scale
        )
        if found is None:
            return None
        return HomographyD(found), [bool(g) for g in good.ravel()]


class _Seen:
    """The place of a track when it was first seen, in the coordinates of a reference frame."""

    def __init__(self, track: Any, place: Any, frame: int):
        self.track, self.place, self.frame = track, place, frame
        self.active, self.good, self.missed = False, True, 0


class Reference(ComputeRefHomography):
    """An estimator of the homography from each frame to the earliest frame that its tracks reach back to."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: Dict[int, _Seen] = {}
        self.since_reset = self.least = 0

    def set_configuration(self, config: Config) -> None:
        self.estimator = EstimateHomography.set_nested_algo_configuration("estimator", config)
        if self.estimator is None:
            raise ValueError("key `estimator:type` has no value: expected a homography estimator")
        self.backproject = config.get_value("use_backproject_error", "false").lower() in ("true", "1", "yes", "on")
        self.threshold = float(config.get_value("backproject_threshold", "4"))
        self.forget = int(config.get_value("forget_track_threshold", "5"))
        self.min_length = int(config.get_value("min_track_length", "1"))
        self.scale = float(config.get_value("inlier_scale", "2"))
        self.min_matches = int(config.get_value("min_matches_threshold", "4"))
        self.regress = config.get_value("allow_ref_frame_regression", "true").lower() in ("true", "1", "yes", "on")

    def estimate(self, frame: int, tracks: FeatureTrackSet) -> F2FHomography:
        now = {t.id: t[frame].feature for t in tracks.active_tracks(frame)}  # type: ignore[attr-defined]
        now = {i: f.location for i, f in now.items() if f is not None}
        self._follow(frame, tracks, now)
        first = self._earliest()
        found = self._homography(frame, first, now)
        self._update(frame, first, found, now)
        self.since_reset = self.since_reset + 1 if found else 1
        return F2FHomography(found, frame, first) if found else F2FHomography(frame)

    def _follow(self, frame: int, tracks: FeatureTrackSet, now: Dict[int, Any]) -> None:
        """Mark the tracks that continue, forget those that were not seen for a while, and add the new ones."""
        for i, s in list(self.seen.items()):
            s.active = i in now
            s.missed = 0 if s.active else s.missed + 1
            if s.missed >= self.forget:
                del self.seen[i]
        for t in tracks.active_tracks(frame):
            if t.id in now and t.id not in self.seen:
                self.seen[t.id] = _Seen(t, now[t.id], frame)
            elif t.id in now:
                self.seen[t.id].track = t

    def _earliest(self) -> int:
        frames = [s.frame for s in self.seen.values() if s.active and (self.regress or s.frame >= self.least)]
        return min(frames, default=-1)

    def _homography(self, frame: int, first: int, now: Dict[int, Any]) -> Any:
        length = min(self.min_length, self.since_reset + 1)
        pairs: List[Tuple[Any, Any]] = [
            (now[i], s.place)
            for i, s in self.seen.items()
            if s.active and s.good and s.frame == first and len(s.track) >= length
        ]
        if len(pairs) < max(4, self.min_matches):
            return None
        found = self.estimator.estimate([p[0] for p in pairs], [p[1] for p in pairs], None, self.scale)
        if found is None or sum(found[1]) < self.min_matches:
            return None
        rows = found[0].matrix()
        import numpy as np

        if not np.isfinite(rows).all() or abs(np.linalg.det(rows)) < 1e-12:
            return None
        return found[0].normalize()

    def _update(self, frame: int, first: int, found: Any, now: Dict[int, Any]) -> None:
        """Convert the places of tracks to the coordinates of the reference frame."""
        if not found:
            self.least = frame
        for i, s in self.seen.items():
            if i not in now:
                continue
            if not found:
                if not self.regress and s.active:
                    s.place, s.frame = now[i], frame
            elif s.active and s.frame != first or s.frame == frame:
                s.place, s.frame = found.map(now[i]), first
            elif self.backproject and s.active:
                off = found.map(now[i]) - s.place
                s.good = s.good and float(off @ off) <= self.threshold**2


ALGORITHMS = (("ocv", Estimate), ("vxl", Estimate), ("core", Reference))
