"""Pipelines in a Python program.

The program `pentode` runs the pipeline; some of its processes run in this
program. A thread serves each of them, through a socket and two shared
memories, as for a process in a separate interpreter.
"""

import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence

from .serve import Host, Socket

VARIABLE = "PENTODE_EMBED"

_log = logging.getLogger(__name__)


def program() -> str:
    """Return the path of the program `pentode`: from PENTODE_PROGRAM, from PATH, or installed with this package."""
    named = os.environ.get("PENTODE_PROGRAM")
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    beside = [os.path.join(here, "..", "pentode"), os.path.join(here, "..", "..", "..", "bin", "pentode")]
    for path in [named] if named else [shutil.which("pentode") or "", *beside]:
        if path and os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    if named:
        raise RuntimeError("PENTODE_PROGRAM is `%s`, which is not an executable file" % named)
    raise RuntimeError("the program `pentode` is not in PATH: install it, or set PENTODE_PROGRAM to its path")


def ask(*arguments: str, text: Optional[str] = None) -> str:
    """Run the program and return its output; if it fails, raise RuntimeError with its message."""
    done = subprocess.run([program(), *arguments], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError((done.stdout + done.stderr).strip() or "`pentode %s` failed" % arguments[0])
    return done.stdout


def resolved(path: str, include: Sequence[str] = (), text: Optional[str] = None) -> Dict[str, Any]:
    """Return the processes, connections and settings of a pipeline file, with includes and macros resolved."""
    folders = [word for folder in include if folder for word in ("-I", folder)]
    given = ["--lang", "sprokit", "--filename", path, "-"] if text is not None else [path]
    return json.loads(ask("show", "--all", "--origin", "--format", "json", *folders, *given, text=text))


def check(text: str) -> None:
    """Check a pipeline; RuntimeError has the findings."""
    environment = {**os.environ, VARIABLE: "3:check"}  # makes the type `embedded` known
    result = subprocess.run(
        [program(), "check", "--lang", "sprokit", "-"], input=text, env=environment, capture_output=True, text=True
    )
    if result.returncode != 0:
        raise RuntimeError((result.stdout + result.stderr).strip())


class Run:
    """A running pipeline.

    `find` gets the pipeline's description of a process and returns a function that makes the process. `ended` is
    called when the pipeline has ended, also after a failure.
    """

    def __init__(
        self,
        path: str,
        find: Callable[[Dict[str, Any]], Any],
        ended: Callable[[], None] = lambda: None,
        include: Sequence[str] = (),
        scheduler: str = "",
    ):
        self._find, self._ended = find, ended
        self._last_lines: List[str] = []  # of the program's output
        self._stopped = False
        ours, theirs = socket.socketpair()
        arguments = [program(), "run", "--config=run.control=false"]
        arguments += [word for folder in include if folder for word in ("-I", folder)]
        arguments += ["--scheduler", scheduler] if scheduler else []
        name = os.path.basename(sys.argv[0] if sys.argv and sys.argv[0] else "python") or "python"
        with theirs:
            self._process = subprocess.Popen(
                arguments + [path],
                pass_fds=[theirs.fileno()],
                env={**os.environ, VARIABLE: "%d:%s" % (theirs.fileno(), name)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,  # Ctrl-C interrupts this program, which then stops the pipeline
            )
        self._control = ours
        self._threads = [threading.Thread(target=f, daemon=True) for f in (self._serve, self._listen)]
        for thread in self._threads:
            thread.start()

    def _serve(self) -> None:
        with self._control:
            while True:
                word, descriptors, _, _ = socket.recv_fds(self._control, 1, 3)
                if not word:
                    return
                host = Host(Socket(socket.socket(fileno=descriptors[0])), self._find, descriptors[1:])
                threading.Thread(target=self._member, args=(host,), daemon=True).start()

    @staticmethod
    def _member(host: Host) -> None:
        host.serve()
        host.sock.close()

    def _listen(self) -> None:
        """Log the program's output, and keep its last lines."""
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                line = line.rstrip("\n")
                level = logging.ERROR if "error" in line.lower() else logging.WARNING if "warn" in line.lower() else logging.INFO
                _log.log(level, "%s", line)
                self._last_lines = self._last_lines[-19:] + [line]
        self._process.wait()
        self._ended()

    def running(self) -> bool:
        return self._process.poll() is None

    def wait(self) -> None:
        """Wait for the end of the pipeline; raise RuntimeError with the reason if it failed."""
        self._process.wait()
        for thread in self._threads:
            thread.join()
        if self._process.returncode != 0 and not self._stopped:
            raise RuntimeError("\n".join(self._last_lines).strip() or "the pipeline failed")

    def stop(self) -> None:
        """Interrupt the pipeline, which then ends in good order."""
        if self.running():
            self._stopped = True
            self._process.send_signal(signal.SIGINT)

    def pause(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._process.send_signal(signal.SIGCONT)


def written(text: str) -> str:
    """Write the text of a pipeline to a temporary file, removed when the program exits, and return its path."""
    import atexit

    handle, path = tempfile.mkstemp(suffix=".pipe")
    with os.fdopen(handle, "w") as f:
        f.write(text)

    def remove() -> None:
        if os.path.exists(path):
            os.unlink(path)

    atexit.register(remove)
    return path
