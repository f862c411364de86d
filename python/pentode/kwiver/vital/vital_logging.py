"""Logging to the pipeline's log."""

import logging
import sys
import traceback
from functools import wraps
from typing import Any, Callable

getLogger = logging.getLogger


def print_exc(exc_info: Any = None) -> None:
    """Print an exception with its traceback."""
    traceback.print_exception(*(exc_info or sys.exc_info()))


def exc_report(func: Callable) -> Callable:
    """Decorate a function so that it prints its exceptions before it raises them."""

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return func(*args, **kwargs)
        except Exception:
            print_exc()
            raise

    return wrapper
