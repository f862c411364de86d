"""Logging: what is logged goes to the pipeline's log."""

import logging
import sys
import traceback
from functools import wraps
from typing import Any, Callable

getLogger = logging.getLogger


def print_exc(exc_info: Any = None) -> None:
    """Prints an exception with its trace."""
    traceback.print_exception(*(exc_info or sys.exc_info()))


def exc_report(func: Callable) -> Callable:
    """Prints what a function raises before it goes on."""

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return func(*args, **kwargs)
        except Exception:
            print_exc()
            raise

    return wrapper
