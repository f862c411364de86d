"""What runs a pipeline."""

from typing import Any, Optional

from .... import embed
from ...vital.config import Config


class PythonScheduler:
    """Runs a pipeline. A subclass overrides `_start` and the other parts of its life."""

    def __init__(self, pipe: Any, conf: Any = None):
        if isinstance(pipe, Config):  # some are written with the settings first
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
        """Begins the run."""

    def _wait(self) -> None:
        """Waits for its end."""

    def _stop(self) -> None:
        """Ends it."""

    def _pause(self) -> None:
        """Begins no step until it is resumed."""

    def _resume(self) -> None:
        """Goes on after a pause."""


class Engine(PythonScheduler):
    """Lets the program `pentode` run a pipeline with one of its schedulers."""

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
            raise RuntimeError("the pipeline runs already")
        self._run = self._pipeline.start(self._name)

    def _wait(self) -> None:
        self._running().wait()

    def _stop(self) -> None:
        self._running().stop()

    def _pause(self) -> None:
        self._running().pause()

    def _resume(self) -> None:
        self._running().resume()
