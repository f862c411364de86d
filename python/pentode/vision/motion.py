"""Motion in videos, and boxes around it."""

from collections import deque
from typing import Any, Deque, Iterator, Tuple

from ..kwiver.vital.algo import DetectMotion, ImageObjectDetector
from ..kwiver.vital.types import ImageContainer
from ..types import BoundingBox, DetectedObject, DetectedObjectSet, DetectedObjectType
from .settings import Vision, opencv, pixels


class ThreeFrames(Vision, DetectMotion):
    """A motion detector that compares each image with two earlier ones, `frame_separation` images apart: a moving object
    is bright, the background that it uncovers is not. A `jitter_radius` tolerates a shaking camera. If more than
    `max_foreground_fract` of the pixels are over `max_foreground_fract_thresh`, the result is black and detection restarts."""

    defaults = {
        "frame_separation": 1,
        "jitter_radius": 0,
        "max_foreground_fract": 1.0,
        "max_foreground_fract_thresh": -1.0,
        "debug_dir": "",
    }

    def ready(self) -> None:
        if self.frame_separation < 1:
            raise ValueError("key `frame_separation` is `%d`, but must be at least 1" % self.frame_separation)
        if self.jitter_radius < 0:
            raise ValueError("key `jitter_radius` is `%d`, but must not be negative" % self.jitter_radius)
        if self.max_foreground_fract < 1 and self.max_foreground_fract_thresh < 0:
            raise ValueError("key `max_foreground_fract_thresh` must be set if `max_foreground_fract` is less than 1")
        if self.debug_dir:
            raise ValueError("key `debug_dir` is set, but this implementation writes no debug images")
        self.frames: Deque[Any] = deque()  # the newest first

    def process_image(self, stamp: Any, image: Any, reset: bool) -> ImageContainer:
        import numpy as np

        if reset:
            self.frames.clear()
        new = np.ascontiguousarray(pixels(image))
        black = np.zeros(new.shape[:2], np.uint8)
        if self.frames and self.frames[0].shape != new.shape:
            self.frames.clear()
        self.frames.appendleft(new)
        if len(self.frames) < 2 * self.frame_separation:
            return ImageContainer.fromarray(black)
        old, middle = self.frames[-1], self.frames[self.frame_separation]
        if len(self.frames) > 2 * self.frame_separation:
            self.frames.pop()
        cv = opencv()
        both = cv.add(self._difference(old, new), self._difference(new, middle))
        heat = _single(cv.absdiff(both, self._difference(old, middle)))
        if self.max_foreground_fract < 1:
            max_pixels = int(heat.size * self.max_foreground_fract)
            if np.count_nonzero(heat > self.max_foreground_fract_thresh) > max_pixels:
                self.frames.clear()
                heat = black
        return ImageContainer.fromarray(heat)

    def _difference(self, one: Any, two: Any) -> Any:
        """Return the difference between each pixel of one and the nearest value around it in two."""
        import numpy as np

        cv = opencv()
        if self.jitter_radius == 0:
            return cv.absdiff(one, two)
        square = np.ones((2 * self.jitter_radius + 1,) * 2, np.uint8)
        below = cv.subtract(cv.erode(two, square), one, dtype=cv.CV_32F)
        above = cv.subtract(one, cv.dilate(two, square), dtype=cv.CV_32F)
        return np.maximum(0, np.maximum(below, above))


def _single(heat: Any) -> Any:
    """Return one channel: the root mean square of three channels."""
    import numpy as np

    if heat.ndim == 2:
        return heat
    squares = (heat.astype(np.float32) ** 2 / 3).sum(axis=2)
    return np.clip(np.rint(np.sqrt(squares)), 0, 255).astype(np.uint8)


class HeatMap(Vision, ImageObjectDetector):
    """A detector of the bright parts of an image with one channel. If `force_bbox_width` and `force_bbox_height` are
    set, its boxes have that size, the brightest first; otherwise there is one box around each part over `threshold`."""

    defaults = {
        "threshold": -1,
        "force_bbox_width": -1,
        "force_bbox_height": -1,
        "score_mode": "1",
        "bbox_buffer": 0,
        "min_area": 1,
        "max_area": 10000000,
        "min_fill_fraction": 0.25,
        "class_name": "unspecified",
        "max_boxes": 1000000,
        "pyr_red_levels": 0,
    }

    def ready(self) -> None:
        width, height = self.force_bbox_width, self.force_bbox_height
        if (width == -1) != (height == -1) or width == 0 or height == 0 or width < -1 or height < -1:
            raise ValueError("keys `force_bbox_width` and `force_bbox_height` must both be -1, or both be greater than 0")
        if self.threshold < -1:
            raise ValueError("key `threshold` is `%d`, but must be -1 or more" % self.threshold)
        if self.bbox_buffer < 0 or width > 0 and 2 * self.bbox_buffer >= min(width, height):
            raise ValueError("key `bbox_buffer` is `%d`, but must be 0 or more, and less than half a box" % self.bbox_buffer)
        if not 0 <= self.pyr_red_levels <= 16:
            raise ValueError("key `pyr_red_levels` is `%d`, but must be from 0 to 16" % self.pyr_red_levels)
        if width == -1 and self.threshold == -1:
            raise ValueError("key `threshold` must be set if boxes have no fixed size")
        try:
            self.score = float(self.score_mode)
        except ValueError:
            self.score = -1.0

    def detect(self, image: Any) -> DetectedObjectSet:
        import numpy as np

        heat = pixels(image)
        if heat.ndim != 2:
            raise ValueError("the image has %d channels, but must have one" % heat.shape[2])
        found = self._parts(heat) if self.force_bbox_width == -1 else self._boxes(np.array(heat))
        made = DetectedObjectSet()
        for corners, score in found:
            made.add(DetectedObject(BoundingBox(*map(float, corners)), score, DetectedObjectType(self.class_name, score)))
        return made

    def _parts(self, heat: Any) -> Iterator[Tuple[Tuple[float, ...], float]]:
        import numpy as np

        cv = opencv()
        mask = (heat > self.threshold).astype(np.uint8)
        mask[[0, -1]] = 0  # the edge of the image belongs to no part
        mask[:, [0, -1]] = 0
        for outline in cv.findContours(mask, cv.RETR_EXTERNAL, cv.CHAIN_APPROX_SIMPLE)[-2]:
            area = cv.contourArea(outline)
            x, y, w, h = cv.boundingRect(outline)
            if self.min_area <= area <= self.max_area and area >= w * h * self.min_fill_fraction:
                yield (x, y, x + w, y + h), self.score

    def _boxes(self, heat: Any) -> Iterator[Tuple[Tuple[float, ...], float]]:
        import numpy as np

        cv = opencv()
        if self.threshold != -1:
            heat = (heat > self.threshold).astype(np.uint8)
        width, height, edge_x, edge_y = self.force_bbox_width, self.force_bbox_height, self.bbox_buffer, self.bbox_buffer
        if heat.shape[0] < height or heat.shape[1] < width:
            raise ValueError("a box of %d × %d does not fit an image of %d × %d" % (width, height, *heat.shape[::-1]))
        scale_x = scale_y = 1
        if self.pyr_red_levels > 0:
            large = heat.shape
            heat = cv.normalize(heat, None, 0, 255, cv.NORM_MINMAX, cv.CV_8UC1)
            for _ in range(self.pyr_red_levels):
                heat = cv.pyrDown(heat)
            scale_x, scale_y = large[1] // heat.shape[1], large[0] // heat.shape[0]
            width, height = max(1, width // scale_x), max(1, height // scale_y)
            edge_x, edge_y = edge_x // scale_x, edge_y // scale_y
        rows, columns = heat.shape
        inner = (max(1, width - 2 * edge_x), max(1, height - 2 * edge_y))
        for _ in range(self.max_boxes):
            sums = cv.boxFilter(
                heat, cv.CV_32F, inner, anchor=(inner[0] // 2, inner[1] // 2), normalize=True, borderType=cv.BORDER_CONSTANT
            )
            _, brightest, _, (x, y) = cv.minMaxLoc(sums)
            if brightest <= 0:
                return
            left, top = _inside(x - width // 2, width, columns), _inside(y - height // 2, height, rows)
            # Center the box on its bright pixels; like the original, this looks along whole rows and columns.
            ys = np.nonzero((heat[top : top + height] >= 1).any(axis=1))[0]
            xs = np.nonzero((heat[:, left : left + width] >= 1).any(axis=0))[0]
            if len(xs) and len(ys):
                left = _inside((2 * left + int(xs[0] + xs[-1]) + 1) // 2 - width // 2, width, columns)
                top = _inside((2 * top + int(ys[0] + ys[-1]) + 1) // 2 - height // 2, height, rows)
            yield (left * scale_x, top * scale_y, (left + width) * scale_x, (top + height) * scale_y), brightest
            heat[top : top + height, left : left + width] = 0


def _inside(at: int, size: int, end: int) -> int:
    return max(0, min(at, end - size))


ALGORITHMS = (("ocv_3frame_differencing", ThreeFrames), ("detect_heat_map", HeatMap))
