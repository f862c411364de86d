"""Feature points and their descriptors."""

from typing import Any, List, Tuple

from ..kwiver.vital.algo import DetectFeatures, ExtractDescriptors, FilterFeatures
from ..kwiver.vital.config import Config
from ..kwiver.vital.types import Descriptor, DescriptorSet, Feature, FeatureD, FeatureSet
from .settings import Vision, grey, opencv


class _Sift(Vision):
    defaults = {
        "n_features": 0,
        "n_octave_layers": 3,
        "contrast_threshold": 0.04,
        "edge_threshold": 10.0,
        "sigma": 1.6,
    }

    def make(self) -> Any:
        return opencv().SIFT_create(*(getattr(self, name) for name in self.defaults))


class _Orb(Vision):
    defaults = {
        "n_features": 500,
        "scale_factor": 1.2,
        "n_levels": 8,
        "edge_threshold": 31,
        "first_level": 0,
        "wta_k": 2,
        "score_type": 0,
        "patch_size": 31,
        "fast_threshold": 20,
    }

    def make(self) -> Any:
        return opencv().ORB_create(*(getattr(self, name) for name in self.defaults))


class _Detect:
    def detect(self, image: Any, mask: Any = None) -> FeatureSet:
        found = self.make().detect(grey(image), None if mask is None else grey(mask))  # type: ignore[attr-defined]
        return FeatureSet(FeatureD(k.pt, k.response, k.size, k.angle) for k in found)


class _Extract:
    def extract(self, image: Any, features: FeatureSet, mask: Any = None) -> Tuple[DescriptorSet, FeatureSet]:
        """Return descriptors, and the features they belong to: OpenCV leaves out points too near to the edge."""
        points = [_point(f) for f in features.features()]
        kept, rows = self.make().compute(grey(image), points)  # type: ignore[attr-defined]
        if rows is None:
            return DescriptorSet(), FeatureSet()
        described = FeatureSet(FeatureD(k.pt, k.response, k.size, k.angle) for k in kept)
        return DescriptorSet(Descriptor(row, row.dtype.char) for row in rows), described


def _point(f: Feature) -> Any:
    x, y = f.location
    return opencv().KeyPoint(float(x), float(y), f.scale, f.angle, f.magnitude)


class DetectSift(_Sift, _Detect, DetectFeatures):
    """A SIFT detector of feature points."""


class ExtractSift(_Sift, _Extract, ExtractDescriptors):
    """A SIFT extractor of descriptors: 128 numbers for each point."""


class DetectOrb(_Orb, _Detect, DetectFeatures):
    """An ORB detector of feature points."""


class ExtractOrb(_Orb, _Extract, ExtractDescriptors):
    """An ORB extractor of descriptors: 32 bytes of bits for each point."""


class Filtered(DetectFeatures):
    """A feature detector (key `detector`) whose points pass a filter (key `filter`)."""

    def set_configuration(self, config: Config) -> None:
        self.detector = DetectFeatures.set_nested_algo_configuration("detector", config)
        self.filter = FilterFeatures.set_nested_algo_configuration("filter", config)
        if self.detector is None:
            raise ValueError("key `detector:type` has no value: expected a feature detector")

    def detect(self, image: Any, mask: Any = None) -> FeatureSet:
        found = self.detector.detect(image, mask)
        return found if self.filter is None else self.filter.filter(found)


class NonMax(Vision, FilterFeatures):
    """A filter that drops feature points within a radius of a stronger one. With `num_features_target`, the radius is
    adjusted until about that many points are left."""

    defaults = {"suppression_radius": 5.0, "num_features_target": 0, "num_features_range": 50, "resolution": 3}

    @classmethod
    def lacks(cls) -> str:
        return ""

    def filter(self, features: FeatureSet) -> FeatureSet:
        order = sorted(features.features(), key=lambda f: -f.magnitude)
        kept = self._spread(order, self.suppression_radius)
        low, high, radius = 0.0, 0.0, self.suppression_radius
        for _ in range(20):
            if not self.num_features_target or len(order) <= self.num_features_target:
                break
            if len(kept) < self.num_features_target:
                high = radius
            elif len(kept) > self.num_features_target + self.num_features_range:
                low = radius
            else:
                break
            radius = (low + high) / 2 if high else 2 * radius
            kept = self._spread(order, radius)
        return FeatureSet(kept)

    def _spread(self, order: List[Feature], radius: float) -> List[Feature]:
        """Keep points, the strongest first. Points that can be too near are in the neighbouring cells of a grid as wide as the radius."""
        if radius <= 0:
            return list(order)
        cells: Any = {}
        kept = []
        for f in order:
            x, y = f.location
            i, j = int(x // radius), int(y // radius)
            near = (p for a in (i - 1, i, i + 1) for b in (j - 1, j, j + 1) for p in cells.get((a, b), ()))
            if all((x - px) ** 2 + (y - py) ** 2 > radius * radius for px, py in near):
                cells.setdefault((i, j), []).append((x, y))
                kept.append(f)
        return kept


ALGORITHMS = (
    ("ocv_SIFT", DetectSift),
    ("ocv_SIFT", ExtractSift),
    ("ocv_ORB", DetectOrb),
    ("ocv_ORB", ExtractOrb),
    ("filtered", Filtered),
    ("nonmax", NonMax),
)
