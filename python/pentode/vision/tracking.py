"""Tracking of features from frame to frame."""

from typing import Any, List

from ..kwiver.vital.algo import (
    CloseLoops,
    DetectFeatures,
    EstimateHomography,
    ExtractDescriptors,
    FilterFeatures,
    MatchFeatures,
    TrackFeatures,
)
from ..kwiver.vital.config import Config
from ..kwiver.vital.types import DescriptorSet, FeatureD, FeatureSet, FeatureTrackSet, FeatureTrackState, MatchSet, Track


def _nested(kind: Any, name: str, config: Config) -> Any:
    """Return the algorithm that a required key selects."""
    algorithm = kind.set_nested_algo_configuration(name, config)
    if algorithm is None:
        raise ValueError("key `%s:type` has no value: expected one of %s" % (name, ", ".join(kind.registered_names())))
    return algorithm


class Follow(TrackFeatures):
    """A feature tracker that matches the features of a frame with the frame before; unmatched features begin new tracks."""

    def set_configuration(self, config: Config) -> None:
        self.detector = _nested(DetectFeatures, "feature_detector", config)
        self.extractor = _nested(ExtractDescriptors, "descriptor_extractor", config)
        self.matcher = _nested(MatchFeatures, "feature_matcher", config)
        self.closer = CloseLoops.set_nested_algo_configuration("loop_closer", config)

    def track(self, before: Any, frame: int, image: Any, mask: Any = None) -> FeatureTrackSet:
        """Return the tracks up to a frame; this changes `before`."""
        descriptors, features = self.extractor.extract(image, self.detector.detect(image, mask), mask)
        states = [FeatureTrackState(frame, f, d) for f, d in zip(features.features(), descriptors)]
        tracks = FeatureTrackSet() if before is None else before
        matched = self._append(tracks, states, features, descriptors) if len(tracks) else set()
        first = 1 + max((t.id for t in tracks), default=-1)
        fresh = [s for i, s in enumerate(states) if i not in matched]
        for number, state in enumerate(fresh, first):
            tracks.insert(Track(number, [state]))
        return tracks if self.closer is None else self.closer.stitch(frame, tracks, image, mask)

    def _append(self, tracks: FeatureTrackSet, states: List[Any], features: FeatureSet, descriptors: DescriptorSet) -> set:
        """Extend the tracks of the last frame, and return the indices of the features that they took."""
        active = FeatureTrackSet(tracks.active_tracks())
        pairs = self.matcher.match(active.last_frame_features(), active.last_frame_descriptors(), features, descriptors)
        continued = active.tracks()
        return {j for i, j in pairs.matches() if continued[i].append(states[j])}


class Guided(MatchFeatures):
    """A matcher that keeps only those pairs of another matcher that agree with a homography. A second matcher can then
    match the moved features."""

    def set_configuration(self, config: Config) -> None:
        self.first = _nested(MatchFeatures, "feature_matcher1", config)
        self.estimator = _nested(EstimateHomography, "homography_estimator", config)
        self.second = MatchFeatures.set_nested_algo_configuration("feature_matcher2", config)
        self.filter = FilterFeatures.set_nested_algo_configuration("filter_features", config)
        if self.filter is not None:
            raise ValueError("key `filter_features:type` is not supported: name the filter in a detector of the type `filtered`")
        self.scale = float(config.get_value("inlier_scale", "10"))
        self.least = int(config.get_value("min_required_inlier_count", "0"))
        self.part = float(config.get_value("min_required_inlier_percent", "0"))

    def match(self, features1: FeatureSet, descriptors1: DescriptorSet, features2: FeatureSet, descriptors2: DescriptorSet) -> MatchSet:
        pairs = self.first.match(features1, descriptors1, features2, descriptors2)
        found = self.estimator.estimate(features1, features2, pairs, self.scale * _spread(features1, features2))
        if found is None:
            return MatchSet()
        homography, good = found
        if not sum(good) or sum(good) < self.least or sum(good) < self.part * len(good):
            return MatchSet()
        if self.second is None:
            return MatchSet(p for p, fits in zip(pairs.matches(), good) if fits)
        moved = FeatureSet(FeatureD(f) for f in features1.features())
        for f in moved.features():
            f.location = homography.map(f.location)
        return self.second.match(moved, descriptors1, features2, descriptors2)


def _spread(one: FeatureSet, two: FeatureSet) -> float:
    """Return the ratio of the mean feature size to the smallest; the tolerance grows with it."""
    scales = [[f.scale for f in s.features()] for s in (one, two)]
    if not all(scales):
        return 1.0
    mean = sum(sum(s) / len(s) for s in scales) / 2
    least = min(min(s) for s in scales)
    return mean / least if least > 0 else 1.0


ALGORITHMS = (("core", Follow), ("homography_guided", Guided))
