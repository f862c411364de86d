"""Circles in images, and the end points of detected objects."""

from typing import Any, Tuple

from ..kwiver.vital.algo import ImageObjectDetector, RefineDetections
from ..points import Point2d
from ..types import BoundingBox, DetectedObject, DetectedObjectSet, DetectedObjectType
from .settings import Vision, grey, opencv


class Circles(Vision, ImageObjectDetector):
    """A detector of circles that uses the Hough transform."""

    defaults = {"dp": 1.0, "min_dist": 100.0, "param1": 200.0, "param2": 100.0, "min_radius": 0, "max_radius": 0}

    def ready(self) -> None:
        for name in ("dp", "min_dist", "param1", "param2"):
            if not getattr(self, name) > 0:
                raise ValueError("key `%s` is `%g`, but must be greater than 0" % (name, getattr(self, name)))

    def detect(self, image: Any) -> DetectedObjectSet:
        cv = opencv()
        smooth = cv.GaussianBlur(grey(image), (9, 9), 2, sigmaY=2)
        found = cv.HoughCircles(
            smooth,
            cv.HOUGH_GRADIENT,
            self.dp,
            self.min_dist,
            param1=self.param1,
            param2=self.param2,
            minRadius=self.min_radius,
            maxRadius=self.max_radius,
        )
        made = DetectedObjectSet()
        for x, y, r in [] if found is None else found.reshape(-1, 3).tolist():
            made.add(DetectedObject(BoundingBox(x - r, y - r, x + r, y + r), 1.0, DetectedObjectType("circle", 1.0)))
        return made


class EndPoints(Vision, RefineDetections):
    """A refiner that adds the key points `head` and `tail` to detections with a mask or an outline: the ends of the
    long axis, the head at the right. `method` selects how the axis is found; with `clip_to_mask`, the points lie on the
    edge of the mask."""

    defaults = {"method": "oriented_bbox", "clip_to_mask": False}

    def ready(self) -> None:
        self.ends = {
            "oriented_bbox": _by_box,
            "pca": _by_axis,
            "farthest": _farthest,
            "hull_extremes": _by_short_sides,
            "skeleton": _by_skeleton,
        }.get(self.method)
        if self.ends is None:
            raise ValueError(
                "key `method` is `%s`, but must be oriented_bbox, pca, farthest, hull_extremes or skeleton" % self.method
            )

    def refine(self, image: Any, detections: DetectedObjectSet) -> DetectedObjectSet:
        import numpy as np

        made = DetectedObjectSet()
        for d in detections if detections is not None else ():
            d = d.clone()
            mask = _mask(d)
            if mask is not None:
                ends = np.asarray(self.ends(mask), float)  # type: ignore[misc]
                if self.clip_to_mask:
                    ends = np.array([_on_edge(mask, p) for p in ends])
                tail, head = sorted(ends.tolist())
                x, y = d.bounding_box.min_x(), d.bounding_box.min_y()
                d.add_keypoint("head", Point2d(head[0] + x, head[1] + y))
                d.add_keypoint("tail", Point2d(tail[0] + x, tail[1] + y))
            made.add(d)
        return made


def _mask(d: DetectedObject) -> Any:
    """Return the pixels of the box that belong to the object, from its mask or outline; None if it has neither."""
    import numpy as np

    if d.mask is not None:
        mask = (d.mask.asarray() != 0).astype(np.uint8)
        return mask.max(axis=2) if mask.ndim == 3 else mask
    outline = np.array(d.get_flattened_polygon())
    box = d.bounding_box
    w, h = int(np.ceil(box.width())), int(np.ceil(box.height()))
    if len(outline) < 6 or w < 1 or h < 1 or w * h > 1 << 28:
        return None
    mask = np.zeros((h, w), np.uint8)
    points = outline[: len(outline) // 2 * 2].reshape(-1, 2) - (box.min_x(), box.min_y())
    opencv().fillPoly(mask, [np.rint(points).astype(np.int32)], 1)
    return mask if mask.any() else None


def _points(mask: Any) -> Any:
    import numpy as np

    ys, xs = np.nonzero(mask)
    return np.stack([xs, ys], axis=1).astype(np.int32)


def _rectangle(mask: Any) -> Any:
    """Return the corners of the smallest rectangle, in any direction, around a mask, or of its box if the mask is empty."""
    import numpy as np

    cv, points = opencv(), _points(mask)
    if len(points) == 0:
        h, w = mask.shape
        return np.array([(0, 0), (w, 0), (w, h), (0, h)], float)
    return cv.boxPoints(cv.minAreaRect(cv.convexHull(points))).astype(float)


def _by_box(mask: Any) -> Tuple[Any, Any]:
    """Return the leftmost and the rightmost middle of the rectangle's sides."""
    import numpy as np

    corners = _rectangle(mask)
    middles = (corners + np.roll(corners, -1, axis=0)) / 2
    return middles[middles[:, 0].argmin()], middles[middles[:, 0].argmax()]


def _by_short_sides(mask: Any) -> Tuple[Any, Any]:
    import numpy as np

    a, b, c, d = _rectangle(mask)
    if np.hypot(*(b - a)) > np.hypot(*(c - b)):
        a, b, c, d = b, c, d, a
    return (a + b) / 2, (c + d) / 2


def _by_axis(mask: Any) -> Tuple[Any, Any]:
    """Return the two outermost pixels along the direction in which the mask is longest."""
    import numpy as np

    points = _points(mask).astype(float)
    if len(points) < 2:
        return _by_box(mask)
    _, directions = opencv().PCACompute(points, mean=None)[:2]
    along = (points - points.mean(axis=0)) @ directions[0]
    return points[np.argmin(along)], points[np.argmax(along)]


def _farthest(mask: Any) -> Tuple[Any, Any]:
    """Return the two pixels that are farthest from each other."""
    points = _points(mask)
    if len(points) < 2:
        return _by_box(mask)
    return _apart(opencv().convexHull(points).reshape(-1, 2).astype(float))


def _apart(points: Any) -> Tuple[Any, Any]:
    import numpy as np

    distances = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    i, j = np.unravel_index(distances.argmax(), distances.shape)
    return points[i], points[j]


def _by_skeleton(mask: Any) -> Tuple[Any, Any]:
    """Return the two ends, farthest apart, of the line to which the mask can be thinned."""
    import numpy as np

    cv = opencv()
    cross = cv.getStructuringElement(cv.MORPH_CROSS, (3, 3))
    line, remaining = np.zeros_like(mask), mask
    for _ in range(1000):
        eroded = cv.erode(remaining, cross)
        line |= cv.subtract(remaining, cv.dilate(eroded, cross))
        remaining = eroded
        if not remaining.any():
            break
    neighbours = cv.filter2D(line, cv.CV_16S, np.ones((3, 3), np.int16), borderType=cv.BORDER_CONSTANT)
    inner = np.zeros_like(line)  # pixels at the edge of the box lack neighbours
    inner[1:-1, 1:-1] = line[1:-1, 1:-1]
    for points in (_points(inner * (neighbours == 2)), _points(inner)):
        if len(points) >= 2:
            return _apart(cv.convexHull(points).reshape(-1, 2).astype(float))
    return _by_box(mask)


def _on_edge(mask: Any, point: Any) -> Any:
    """Return the nearest point on the edge of the mask."""
    import numpy as np

    cv = opencv()
    best, least = point, float("inf")
    for outline in cv.findContours(mask, cv.RETR_EXTERNAL, cv.CHAIN_APPROX_NONE)[-2]:
        a = outline.reshape(-1, 2).astype(float)
        along = np.roll(a, -1, axis=0) - a
        length = np.maximum((along**2).sum(axis=1), 1e-12)
        part = np.clip(((point - a) * along).sum(axis=1) / length, 0, 1)
        nearest = a + part[:, None] * along
        far = ((nearest - point) ** 2).sum(axis=1)
        if far.min() < least:
            best, least = nearest[far.argmin()], far.min()
    return best


ALGORITHMS = (("hough_circle", Circles), ("add_keypoints_from_mask", EndPoints))
