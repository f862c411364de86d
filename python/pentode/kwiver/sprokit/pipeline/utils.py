"""Names of threads."""

import threading


def name_thread(name: str) -> bool:
    """Give this thread a name."""
    threading.current_thread().name = name
    return True
