"""Regions and marks of a Python program in a trace, and knobs of the trace configuration.

    from pentode import trace

    with trace.region("step"):
        depth = trace.knob("depth", 4)
        trace.mark("checkpoint")

Under ``pentode trace record -- python3 program.py``, the region appears in the trace. Without a
tracer, regions and marks do nothing, and a knob has the default that is given here.
"""

import contextlib
import ctypes
from typing import Any, Callable, Optional, TypeVar

__all__ = ["knob", "mark", "region"]


def _found(name: str, result: Any, *arguments: Any) -> Optional[Callable[..., Any]]:
    """Return the tracer's function with a name, or None if the program is not traced."""
    try:
        function = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):
        return None
    function.restype, function.argtypes = result, arguments
    return function


_begin = _found("pentode_trace_region_begin", None, ctypes.c_char_p)
_end = _found("pentode_trace_region_end", None, ctypes.c_char_p)
_mark = _found("pentode_trace_mark", None, ctypes.c_char_p)
_knobs = {
    int: _found("pentode_trace_knob_int", ctypes.c_int, ctypes.c_char_p, ctypes.c_int),
    float: _found("pentode_trace_knob_double", ctypes.c_double, ctypes.c_char_p, ctypes.c_double),
    str: _found("pentode_trace_knob_string", ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p),
}


class Region(contextlib.ContextDecorator):
    """A region that ends with its ``with`` block, also by an exception; it works as a decorator too. `region` makes one."""

    def __init__(self, name: str):
        self._name = name.encode()

    def __enter__(self) -> "Region":
        if _begin:
            _begin(self._name)
        return self

    def __exit__(self, *_: Any) -> None:
        if _end:
            _end(self._name)


def region(name: str) -> Region:
    """Return a region of the trace, for ``with`` or as a decorator."""
    return Region(name)


def mark(name: str) -> None:
    """Mark a moment, such as a checkpoint."""
    if _mark:
        _mark(name.encode())


_T = TypeVar("_T", int, float, str)


def knob(name: str, otherwise: _T) -> _T:
    """Return the value of a knob, or ``otherwise`` if the trace configuration has no such knob."""
    if type(otherwise) not in _knobs:
        raise TypeError(f"a knob is an int, a float or a str, not {type(otherwise).__name__}")
    function = _knobs[type(otherwise)]
    if function is None:
        return otherwise
    if isinstance(otherwise, str):
        return function(name.encode(), otherwise.encode()).decode(errors="replace")
    return function(name.encode(), otherwise)
