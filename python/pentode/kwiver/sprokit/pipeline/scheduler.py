"""Schedulers, which run pipelines."""

from typing import Any, Optional

from .... import embed
from ...vital.config import Config


class PythonScheduler:
    """A scheduler; a subclass overrides `_start`, `_wait`, `_stop`, `_pause` and `_resume`."""

    def __init__(self, pipe: Any, conf: Any = None):
        if isinstance(pipe, Config):  # some callers pass the settings first
            pipe, conf = conf, pipe
        self._pipeline, self._config = pipe, conf

    def pipeline(self) -> Any:
        return self._pipeline

    def start(self) -> None:
        self._start()

    def wait(self) -> None:
        self._wait()

    def stop(self) -> None:
        self._stop()

    def pause(self) -> None:
        self._pause()

    def resume(self) -> None:
        self._resume()

    def _start(self) -> None:
        """Start the run."""

    def _wait(self) -> None:
        """Wait for the end of the run."""

    def _stop(self) -> None:
        """Stop the run."""

    def _pause(self) -> None:
        """Pause: start no step before the run is resumed."""

    def _resume(self) -> None:
        """Continue after a pause."""


class Engine(PythonScheduler):
    """A scheduler of the program `pentode`, which runs the pipeline."""

    def __init__(self, name: str, pipe: Any, conf: Any = None):
        PythonScheduler.__init__(self, pipe, conf)
        self._name = name
        self._run: Optional[embed.Run] = None

    def _running(self) -> embed.Run:
        if self._run is None:
            raise RuntimeError("the pipeline has not been started")
        return self._run

    def _start(self) -> None:
        if self._run is not None and self._run.running():
            raise RuntimeError("the pipeline is already running")
        self._run = self._pipeline.start(self._name)

    def _wait(self) -> None:
        self._running().wait()

    def _stop(self) -> None:
        self._running().stop()

    def _pause(self) -> None:
        self._running().pause()

    def _resume(self) -> None:
        self._running().resume()
