"""Segmentation: which pixels of a box belong to its object."""

from math import ceil, floor
from typing import Any, Tuple

from ..kwiver.vital.algo import RefineDetections
from ..kwiver.vital.types import ImageContainer
from ..types import BoundingBox, DetectedObjectSet
from .settings import Vision, color, opencv


class Watershed(Vision, RefineDetections):
    """A segmentation of detections: a region grows from the middle of each box until it meets another region or the
    background. Its pixels become the mask of the detection, its outline the polygon."""

    defaults = {"seed_with_existing_masks": True, "seed_scale_factor": 0.2, "uncertain_scale_factor": 1.0}

    def refine(self, image: Any, detections: DetectedObjectSet) -> DetectedObjectSet:
        import numpy as np

        if image is None or detections is None:
            return detections
        view = color(image)
        h, w = view.shape[:2]
        markers, taken = np.zeros((h, w), np.int32), np.zeros((h, w), bool)
        background = np.ones((h, w), bool)
        seeds = []
        for i, d in enumerate(detections, 1):
            background[_part(_scaled(d.bounding_box, self.uncertain_scale_factor), w, h)] = False
            seed = self._seed(d, w, h)
            seeds.append(seed)
            markers[seed & taken] = 0  # two boxes claim these pixels, so neither is certain
            markers[seed & ~taken] = i
            taken |= seed
        markers[background] = len(seeds) + 1
        # OpenCV expects the colors in the order blue, green, red.
        markers = opencv().watershed(np.ascontiguousarray(view[:, :, ::-1]), markers)
        made = DetectedObjectSet()
        for i, (d, seed) in enumerate(zip(detections, seeds), 1):
            made.add(self._with_mask(d.clone(), seed | (markers == i), w, h))
        return made

    def _seed(self, d: Any, w: int, h: int) -> Any:
        import numpy as np

        seed = np.zeros((h, w), bool)
        if self.seed_with_existing_masks and d.mask is not None:
            part = _part(d.bounding_box, w, h)
            mask = d.mask.asarray()[:, :, 0] != 0
            rows, columns = seed[part].shape
            mask = mask[:rows, :columns]
            y, x = part[0].start, part[1].start
            seed[y : y + mask.shape[0], x : x + mask.shape[1]] = mask
        else:
            seed[_part(_scaled(d.bounding_box, self.seed_scale_factor), w, h)] = True
        return seed

    def _with_mask(self, d: Any, inside: Any, w: int, h: int) -> Any:
        import numpy as np

        part = _part(d.bounding_box, w, h)
        mask = np.ascontiguousarray(inside[part], np.uint8)
        d.mask = ImageContainer.fromarray(mask)
        cv = opencv()
        outlines = cv.findContours(mask, cv.RETR_EXTERNAL, cv.CHAIN_APPROX_SIMPLE)[-2]
        if outlines:
            largest = max(outlines, key=cv.contourArea).reshape(-1, 2)
            d.set_flattened_polygon((largest + (part[1].start, part[0].start)).ravel())
        return d


def _part(box: BoundingBox, w: int, h: int) -> Tuple[slice, slice]:
    """Return the rows and columns of an image that a box covers."""
    left, top = min(max(floor(box.min_x()), 0), w), min(max(floor(box.min_y()), 0), h)
    right, bottom = min(max(ceil(box.max_x()), left), w), min(max(ceil(box.max_y()), top), h)
    return slice(top, bottom), slice(left, right)


def _scaled(box: BoundingBox, factor: float) -> BoundingBox:
    """Return a scaled box with the same middle."""
    x, y = box.center()
    w, h = box.width() * factor / 2, box.height() * factor / 2
    return BoundingBox(x - w, y - h, x + w, y + h)


ALGORITHMS = (("ocv_watershed", Watershed),)
