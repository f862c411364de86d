"""Stereo cameras: disparity maps, and the targets that calibrate the cameras."""

import json
from typing import Any, List, Optional, Tuple

from ..kwiver.vital.algo import ComputeStereoDepthMap, ImageObjectDetector
from ..kwiver.vital.types import ImageContainer
from ..types import BoundingBox, DetectedObject, DetectedObjectSet, DetectedObjectType
from .settings import Vision, color, grey, opencv


class Disparity(Vision, ComputeStereoDepthMap):
    """The distance between each pixel of the left image and its match in the right one; `algorithm` is BM or SGBM."""

    defaults = {
        "algorithm": "SGBM",
        "min_disparity": 0,
        "num_disparities": 128,
        "sad_window_size": 21,
        "block_size": 5,
        "speckle_window_size": 100,
        "speckle_range": 32,
        "output_format": "raw",
        "disparity_as_alpha": False,
        "invert_disparity_alpha": False,
        "use_wls_filter": False,
        "wls_lambda": 8000.0,
        "wls_sigma": 1.5,
        "calibration_file": "",
    }

    def ready(self) -> None:
        cv = opencv()
        if self.num_disparities <= 0 or self.num_disparities % 16:
            raise ValueError("key `num_disparities` is `%d`, but must be a multiple of 16" % self.num_disparities)
        if self.output_format not in ("raw", "float32", "uint16_scaled"):
            raise ValueError("key `output_format` is `%s`, but must be raw, float32 or uint16_scaled" % self.output_format)
        if self.algorithm == "BM":
            self.left = cv.StereoBM_create(self.num_disparities, self.sad_window_size)
        elif self.algorithm == "SGBM":
            area = self.block_size**2
            self.left = cv.StereoSGBM_create(
                self.min_disparity,
                self.num_disparities,
                self.block_size,
                8 * area,
                32 * area,
                1,
                0,
                10,
                self.speckle_window_size,
                self.speckle_range,
                cv.STEREO_SGBM_MODE_SGBM_3WAY,
            )
        else:
            raise ValueError("key `algorithm` is `%s`, but must be BM or SGBM" % self.algorithm)
        if self.use_wls_filter and not hasattr(cv, "ximgproc"):
            raise ValueError("key `use_wls_filter` needs the contributed modules of OpenCV, which this cv2 lacks")
        self.rig = _Rig(self.calibration_file) if self.calibration_file else None

    def compute(self, left_image: Any, right_image: Any) -> ImageContainer:
        import numpy as np

        left, right, shown = grey(left_image), grey(right_image), color(left_image)
        if left.shape != right.shape:
            raise ValueError("the left image is %d by %d, the right one %d by %d" % (left.shape[::-1] + right.shape[::-1]))
        if self.rig is not None:
            left, right, shown = self.rig.straight(left, 0), self.rig.straight(right, 1), self.rig.straight(shown, 0)
        # OpenCV would abort the program if no pixel had a possible match.
        widest = self.min_disparity + self.num_disparities - min(self.min_disparity, 0)
        if self.algorithm == "SGBM" and left.shape[1] <= widest:
            raise ValueError(
                "the images are %d pixels wide, but with `min_disparity` %d and `num_disparities` %d must be wider than %d"
                % (left.shape[1], self.min_disparity, self.num_disparities, widest)
            )
        found = self._compare(left, right)
        apart = found.astype(np.float32) / 16  # OpenCV counts in sixteenths of a pixel
        if self.disparity_as_alpha:
            return ImageContainer.fromarray(np.dstack([shown, self._alpha(np.clip(apart, 0, 255).round())]))
        if self.output_format == "float32":
            return ImageContainer.fromarray(apart)
        if self.output_format == "uint16_scaled":
            return ImageContainer.fromarray(np.clip(apart * 256, 0, 65535).astype(np.uint16))
        return ImageContainer.fromarray(found)

    def _compare(self, left: Any, right: Any) -> Any:
        found = self.left.compute(left, right)
        if self.use_wls_filter:
            x = opencv().ximgproc
            smooth = x.createDisparityWLSFilter(self.left)
            smooth.setLambda(self.wls_lambda)
            smooth.setSigmaColor(self.wls_sigma)
            back = x.createRightMatcher(self.left).compute(right, left)
            found = smooth.filter(found, left, disparity_map_right=back, right_view=right)
        return found

    def _alpha(self, apart: Any) -> Any:
        import numpy as np

        alpha = apart.astype(np.uint8)
        if not self.invert_disparity_alpha:
            return alpha
        return 255 - np.where(alpha == 0, np.uint8(255), alpha)


class _Rig:
    """A pair of cameras from one of VIAME's JSON files, with the maps that align the rows of their images."""

    def __init__(self, name: str):
        try:
            with open(name, encoding="utf-8") as f:
                data = json.load(f)
        except OSError as e:
            raise ValueError("key `calibration_file`: `%s` cannot be read: %s" % (name, e.strerror)) from None
        except ValueError:
            raise ValueError("key `calibration_file`: `%s` is not JSON" % name) from None
        try:
            self.cameras = [self._camera(data, side) for side in ("left", "right")]
            self.turn, self.shift = data["R"], data["T"]
        except KeyError as e:
            raise ValueError("`%s` has no member `%s`, so it is not a calibration of two cameras" % (name, e.args[0])) from None
        self.maps: Any = {}

    @staticmethod
    def _camera(data: Any, side: str) -> Tuple[Any, Any]:
        import numpy as np

        fx, fy, cx, cy = (data["%s_%s" % (k, side)] for k in ("fx", "fy", "cx", "cy"))
        lens = [data.get("%s_%s" % (k, side), 0.0) for k in ("k1", "k2", "p1", "p2", "k3")]
        return np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]], float), np.array(lens, float)

    def straight(self, image: Any, side: int) -> Any:
        """Return an image of one camera with its rows aligned to the other camera's."""
        import numpy as np

        cv = opencv()
        size = (image.shape[1], image.shape[0])
        if size not in self.maps:
            (m1, d1), (m2, d2) = self.cameras
            turn, shift = np.array(self.turn, float).reshape(3, 3), np.array(self.shift, float).reshape(3)
            r1, r2, p1, p2 = cv.stereoRectify(m1, d1, m2, d2, size, turn, shift, flags=cv.CALIB_ZERO_DISPARITY, alpha=0)[:4]
            self.maps[size] = [
                cv.initUndistortRectifyMap(m, d, r, p, size, cv.CV_32FC1)
                for m, d, r, p in ((m1, d1, r1, p1), (m2, d2, r2, p2))
            ]
        return cv.remap(image, *self.maps[size][side], cv.INTER_LINEAR)


_COMMON = ((6, 5), (7, 6), (8, 6), (9, 6), (5, 4), (8, 5), (7, 5))


class Targets(Vision, ImageObjectDetector):
    """A detector of the corners of a checkerboard, or of the dots of a target, each as a small detection. The notes of
    a corner have its place on the board."""

    defaults = {
        "config_file": "",
        "target_width": 7,
        "target_height": 5,
        "square_size": 1.0,
        "object_type": "unknown",
        "auto_detect_grid": False,
        "target_type": "auto",
        "dot_min_area": 30.0,
        "dot_max_area": 5000.0,
        "dot_min_circularity": 0.65,
        "roi_x1": -1,
        "roi_y1": -1,
        "roi_x2": -1,
        "roi_y2": -1,
    }
    SIZE = 5  # the size of a detection, in pixels

    def ready(self) -> None:
        if self.target_type not in ("auto", "checkerboard", "dots"):
            raise ValueError("key `target_type` is `%s`, but must be auto, checkerboard or dots" % self.target_type)
        self.grid: Optional[Tuple[int, int]] = None if self.auto_detect_grid else (self.target_width, self.target_height)

    def detect(self, image: Any) -> DetectedObjectSet:
        view = grey(image)
        corners: Any = []
        if self.target_type != "dots":
            corners = self._board(view)
        board = len(corners) > 0
        if not board and self.target_type != "checkerboard":
            corners = self._dots(view)
        found = DetectedObjectSet()
        for i, (x, y) in enumerate(corners):
            if not self._inside(x, y):
                continue
            box = BoundingBox(x - self.SIZE / 2, y - self.SIZE / 2, x + self.SIZE / 2, y + self.SIZE / 2)
            one = DetectedObject(box, 1.0, DetectedObjectType(self.object_type, 1.0))
            if board and self.grid is not None:
                row, column = divmod(i, self.grid[0])
                for axis, at in (("x", column * self.square_size), ("y", row * self.square_size), ("z", 0.0)):
                    one.add_note(":stereo3d_%s=%f" % (axis, at))
            found.add(one)
        return found

    def _inside(self, x: float, y: float) -> bool:
        if self.roi_x1 < 0 or self.roi_y1 < 0 or self.roi_x2 <= self.roi_x1 or self.roi_y2 <= self.roi_y1:
            return True
        return self.roi_x1 <= x <= self.roi_x2 and self.roi_y1 <= y <= self.roi_y2

    def _board(self, view: Any) -> Any:
        """Return the corners of the board. Without a setting for its size, find the size in the first image."""
        for grid in [self.grid] if self.grid is not None else _grids():
            corners = self._corners(view, grid)
            if corners is not None:
                self.grid = grid
                return corners
        return []

    def _corners(self, view: Any, grid: Any) -> Any:
        cv = opencv()
        scale = 1.0
        while scale * min(view.shape) > 5000:
            scale /= 2
        small = cv.resize(view, None, fx=scale, fy=scale) if scale < 1 else view
        found, corners = cv.findChessboardCorners(small, grid, flags=cv.CALIB_CB_ADAPTIVE_THRESH)
        if not found:
            return None
        stop = (cv.TERM_CRITERIA_EPS + cv.TERM_CRITERIA_MAX_ITER, 30, 0.001)
        return cv.cornerSubPix(view, corners / scale, (11, 11), (-1, -1), stop).reshape(-1, 2).tolist()

    def _dots(self, view: Any) -> List[Tuple[float, float]]:
        p = opencv().SimpleBlobDetector_Params()
        p.minThreshold, p.maxThreshold, p.thresholdStep, p.minRepeatability = 40, 220, 10, 2
        p.filterByArea, p.minArea, p.maxArea = True, self.dot_min_area, self.dot_max_area
        p.filterByCircularity, p.minCircularity = True, self.dot_min_circularity
        p.filterByConvexity, p.minConvexity = True, 0.7
        p.filterByInertia, p.minInertiaRatio = True, 0.4
        p.filterByColor = False
        return [k.pt for k in opencv().SimpleBlobDetector_create(p).detect(view)]


def _grids() -> List[Tuple[int, int]]:
    """Return the board sizes to try, the usual ones first, each in both orientations."""
    sizes = list(_COMMON) + [(x, y) for x in range(4, 16) for y in range(4, x + 1)]
    both = [g for x, y in sizes for g in ((x, y), (y, x))]
    return list(dict.fromkeys(both))


ALGORITHMS = (("ocv_stereo_disparity", Disparity), ("ocv_detect_calibration_targets", Targets))
