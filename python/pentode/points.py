"""Points, their covariances, and polygons."""

from typing import Any, Iterable, List, Optional, Tuple


class Covar:
    """A covariance: a symmetric matrix of how certain a point is."""

    size = 0

    def __init__(self, value: Any = None):
        import numpy as np

        if value is None:
            self._matrix = np.eye(self.size)
        elif isinstance(value, Covar):
            self._matrix = value._matrix.copy()
        elif np.ndim(value) == 0:
            self._matrix = np.eye(self.size) * float(value)
        else:
            m = np.asarray(value, float)
            if m.shape != (self.size, self.size):
                raise ValueError("a covariance of %d dimensions must be a %d by %d matrix" % ((self.size,) * 3))
            self._matrix = (m + m.T) / 2

    def matrix(self) -> Any:
        return self._matrix.copy()

    to_matrix = matrix

    def __getitem__(self, at: Tuple[int, int]) -> float:
        return float(self._matrix[at])

    def __setitem__(self, at: Tuple[int, int], value: float) -> None:
        self._matrix[at] = self._matrix[at[::-1]] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Covar) and self._matrix.tolist() == other._matrix.tolist()

    __hash__ = None  # type: ignore[assignment]


class Point:
    """A point, made from its coordinates or from a vector of them."""

    size = 0
    covar: Any = Covar
    type_name = "d"

    def __init__(self, *args: Any, **named: Any):
        covariance = named.get("covariance")
        if "value" in named:
            args = (named["value"],)
        if args and hasattr(args[0], "__len__"):
            covariance = args[1] if len(args) > 1 else covariance
            args = tuple(args[0])
        elif not args:
            args = (0,) * self.size
        if len(args) != self.size:
            raise TypeError("a point of %d dimensions cannot have %d coordinates" % (self.size, len(args)))
        self.value = args
        self._covariance = covariance

    @property
    def value(self) -> Any:
        import numpy as np

        return np.array(self._value)

    @value.setter
    def value(self, value: Any) -> None:
        self._value = tuple(int(x) if self.type_name == "i" else float(x) for x in value)

    @property
    def covariance(self) -> Any:
        if self._covariance is None:
            self._covariance = self.covar()
        return self._covariance

    @covariance.setter
    def covariance(self, covariance: Any) -> None:
        self._covariance = covariance

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: int) -> float:
        return self._value[i]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and self._value == other._value

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<%s(%s)>" % (type(self).__name__, ", ".join("%g" % x for x in self._value))


class Covar2d(Covar):
    size = 2


class Covar2f(Covar):
    size = 2


class Covar3d(Covar):
    size = 3


class Covar3f(Covar):
    size = 3


class Covar4d(Covar):
    size = 4


class Covar4f(Covar):
    size = 4


class Point2d(Point):
    size, covar, type_name = 2, Covar2d, "d"


class Point2f(Point):
    size, covar, type_name = 2, Covar2f, "f"


class Point2i(Point):
    size, covar, type_name = 2, Covar2d, "i"


class Point3d(Point):
    size, covar, type_name = 3, Covar3d, "d"


class Point3f(Point):
    size, covar, type_name = 3, Covar3f, "f"


class Point4d(Point):
    size, covar, type_name = 4, Covar4d, "d"


class Point4f(Point):
    size, covar, type_name = 4, Covar4f, "f"


class Polygon:
    """A closed line through points."""

    def __init__(self, points: Optional[Iterable[Any]] = None):
        self._points: List[Tuple[float, float]] = []
        for p in points or ():
            self.push_back(p)

    def push_back(self, *point: Any) -> None:
        x, y = point[0] if len(point) == 1 else point
        self._points.append((float(x), float(y)))

    def num_vertices(self) -> int:
        return len(self._points)

    def get_vertices(self) -> List[Any]:
        import numpy as np

        return [np.array(p) for p in self._points]

    def at(self, i: int) -> Any:
        import numpy as np

        return np.array(self._points[i])

    def contains(self, *point: Any) -> bool:
        """Report whether a point is inside: a ray from it crosses the line an odd number of times."""
        x, y = point[0] if len(point) == 1 else point
        inside = False
        for (x1, y1), (x2, y2) in zip(self._points, self._points[1:] + self._points[:1]):
            if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
                inside = not inside
        return inside

