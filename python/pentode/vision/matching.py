"""Matching of the features of two images."""

from typing import Any, List

from ..kwiver.vital.algo import MatchFeatures
from ..kwiver.vital.types import DescriptorSet, FeatureSet, MatchSet
from .settings import Vision, opencv


class _Match(Vision, MatchFeatures):
    """A matcher of descriptors; with `cross_check`, each must be the nearest of the other."""

    defaults = {"cross_check": True, "cross_check_k": 1}

    def match(
        self, features1: FeatureSet, descriptors1: DescriptorSet, features2: FeatureSet, descriptors2: DescriptorSet
    ) -> MatchSet:
        one, two = descriptors1.array(), descriptors2.array()
        if not len(one) or not len(two):
            return MatchSet()
        if one.dtype.char != two.dtype.char or one.shape[1] != two.shape[1]:
            raise ValueError("the two images have descriptors of different kinds")
        if one.dtype.char == "d":
            one, two = one.astype("f"), two.astype("f")
        k = self.cross_check_k if self.cross_check else 1
        forward = self.nearest(one, two, k)
        if not self.cross_check:
            return MatchSet((i, near[0]) for i, near in enumerate(forward) if near)
        back = self.nearest(two, one, k)
        pairs = ((i, next((j for j in near if i in back[j]), -1)) for i, near in enumerate(forward))
        return MatchSet((i, j) for i, j in pairs if j >= 0)

    def nearest(self, one: Any, two: Any, k: int) -> List[List[int]]:
        """Return for each row of one its k nearest rows of two."""
        return [[m.trainIdx for m in found] for found in self.matcher(one).knnMatch(one, two, min(k, len(two)))]

    def matcher(self, rows: Any) -> Any:
        raise NotImplementedError


class Flann(_Match):
    """A FLANN matcher of descriptors, which is quick but does not always find the nearest."""

    defaults = {**_Match.defaults, "binary_descriptors": False}

    def matcher(self, rows: Any) -> Any:
        if self.binary_descriptors or rows.dtype.char == "B":
            index = {"algorithm": 6, "table_number": 12, "key_size": 20, "multi_probe_level": 2}
        else:
            index = {"algorithm": 1, "trees": 4}
        return opencv().FlannBasedMatcher(index, {})


class BruteForce(_Match):
    """A matcher of descriptors that compares all pairs."""

    def matcher(self, rows: Any) -> Any:
        cv = opencv()
        return cv.BFMatcher(cv.NORM_HAMMING if rows.dtype.char == "B" else cv.NORM_L2)


ALGORITHMS = (("ocv_flann_based", Flann), ("ocv_brute_force", BruteForce))
