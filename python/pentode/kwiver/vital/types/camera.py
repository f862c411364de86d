"""Cameras and their lenses."""

from typing import Any, List, Sequence


class CameraIntrinsics:
    """The focal length, principal point and distortion of a camera.

    They are given as numbers, or as a matrix and distortion coefficients.
    """

    def __init__(
        self,
        focal_length: Any = 1.0,
        principal_point: Any = (0.0, 0.0),
        aspect_ratio: float = 1.0,
        skew: float = 0.0,
        dist_coeffs: Sequence[float] = (),
        image_width: int = 0,
        image_height: int = 0,
        **matrix: Any,
    ):
        if isinstance(focal_length, CameraIntrinsics):
            self.__dict__.update(focal_length.__dict__)
            return
        if "K" in matrix or hasattr(focal_length, "__len__"):
            k = matrix.get("K", focal_length)
            given = matrix.get("d", dist_coeffs or (principal_point if "K" not in matrix else ()))
            dist_coeffs = [] if tuple(given) == (0.0, 0.0) else given
            focal_length, skew = float(k[0][0]), float(k[0][1])
            aspect_ratio, principal_point = focal_length / float(k[1][1]), (float(k[0][2]), float(k[1][2]))
        self._focal, self._point = float(focal_length), tuple(map(float, principal_point))
        self._aspect, self._skew = float(aspect_ratio), float(skew)
        self._dist: List[float] = [float(x) for x in dist_coeffs]
        self._size = (image_width, image_height)

    def clone(self) -> "CameraIntrinsics":
        return CameraIntrinsics(self)

    def focal_length(self) -> float:
        return self._focal

    def principal_point(self) -> Any:
        import numpy as np

        return np.array(self._point)

    def aspect_ratio(self) -> float:
        return self._aspect

    def skew(self) -> float:
        return self._skew

    def dist_coeffs(self) -> List[float]:
        return list(self._dist)

    def image_width(self) -> int:
        return self._size[0]

    def image_height(self) -> int:
        return self._size[1]

    def as_matrix(self) -> Any:
        import numpy as np

        (x, y), f = self._point, self._focal
        return np.array([[f, self._skew, x], [0, f / self._aspect, y], [0, 0, 1]])

    def distort(self, point: Any) -> Any:
        """Return the place to which the lens moves a point of the image plane.

        Coefficients 1, 2 and 5 are radial, 3 and 4 tangential, 6 to 8 a divisor.
        """
        import numpy as np

        k1, k2, p1, p2, k3, k4, k5, k6 = (self._dist + [0.0] * 8)[:8]
        x, y = float(point[0]), float(point[1])
        r2 = x * x + y * y
        radial = (1 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1 + r2 * (k4 + r2 * (k5 + r2 * k6)))
        dx = 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        dy = 2 * p2 * x * y + p1 * (r2 + 2 * y * y)
        return np.array([x * radial + dx, y * radial + dy])

    def undistort(self, point: Any) -> Any:
        """Return the point that `distort` moves to this one, found by iteration."""
        import numpy as np

        want = np.array([float(point[0]), float(point[1])])
        found = want.copy()
        for _ in range(50):
            off = want - self.distort(found)
            found += off
            if abs(off).max() < 1e-12:
                break
        return found

    def map(self, point: Any) -> Any:
        """Return the pixel of a point of the image plane, or of a point in space."""
        if len(point) == 3:
            point = (point[0] / point[2], point[1] / point[2])
        x, y = self.distort(point)
        m = self.as_matrix()
        return m[:2, :2] @ (x, y) + m[:2, 2]

    def unmap(self, pixel: Any) -> Any:
        """Return the point of the image plane that a pixel shows."""
        import numpy as np

        m = self.as_matrix()
        return self.undistort(np.linalg.solve(m[:2, :2], np.asarray(pixel, float) - m[:2, 2]))

    def __repr__(self) -> str:
        return "<CameraIntrinsics(focal length %g, principal point %g, %g)>" % (self._focal, *self._point)


SimpleCameraIntrinsics = CameraIntrinsics
