"""Names of threads."""

import threading


def name_thread(name: str) -> bool:
    """Gives this thread a name."""
    threading.current_thread().name = name
    return True
