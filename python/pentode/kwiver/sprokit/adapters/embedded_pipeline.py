"""A pipeline that exchanges data with this program."""

import os
import queue
import threading
from typing import Any, Dict, List, Optional

from .... import embed
from ....process import Complete, Port
from ..pipeline import datum
from .adapter_data_set import AdapterDataSet, DataSetType


class EmbeddedPipeline:
    """A pipeline file that runs inside this program.

    Its `input_adapter` outputs the data sets given to `send`, and `receive`
    returns the data sets that its `output_adapter` gets.
    """

    def __init__(self) -> None:
        self._path = ""
        self._include: List[str] = []
        self._ports: Dict[str, Optional[List[str]]] = {"input_adapter": None, "output_adapter": None}
        self._sent: "queue.Queue[AdapterDataSet]" = queue.Queue(1)
        self._received: "queue.Queue[AdapterDataSet]" = queue.Queue()
        self._room = threading.Semaphore(1)  # for one set that is not received yet; the end of the data needs none
        self._run: Optional[embed.Run] = None
        self._at_end = False

    def build_pipeline(self, path: Any, def_dir: str = "") -> None:
        """Read and check a pipeline, from a file or a stream; included files are also searched in `def_dir`."""
        if hasattr(path, "read"):
            path = embed.written(path.read())
        self._path, self._include = os.fspath(path), [def_dir]
        resolved = embed.resolved(self._path, self._include)
        names = {p["key"].split(" ", 1)[1]: p["value"] for p in resolved["parts"] if p["key"].startswith("process ")}
        for part in resolved["parts"]:
            if not part["key"].startswith("connect to "):
                continue
            for kind, address in (("input_adapter", part["value"]), ("output_adapter", part["key"][len("connect to ") :])):
                process, _, port = address.partition(".")
                if names.get(process) == kind:
                    known = self._ports[kind] = self._ports[kind] or []
                    if port not in known:
                        known.append(port)

    def input_port_names(self) -> List[str]:
        return self._names("input_adapter")

    def output_port_names(self) -> List[str]:
        return self._names("output_adapter")

    def _names(self, kind: str) -> List[str]:
        ports = self._ports[kind]
        if ports is None:
            raise RuntimeError("the pipeline has no `%s`" % kind)
        return list(ports)

    def input_adapter_connected(self) -> bool:
        return self._ports["input_adapter"] is not None

    def output_adapter_connected(self) -> bool:
        return self._ports["output_adapter"] is not None

    def start(self) -> None:
        if not self._path:
            raise RuntimeError("`build_pipeline` must be called before `start`")
        self._run = embed.Run(self._path, self._find, self._ended, self._include)

    def _find(self, hello: Dict[str, Any]) -> Any:
        adapter = _Input if hello["type"] == "input_adapter" else _Output
        return lambda: adapter(self, hello)

    def _ended(self) -> None:
        """Wake up all callers that wait for the pipeline."""
        self._end_input()
        self._room.release()
        self._received.put(AdapterDataSet(DataSetType.end_of_input))

    def _end_input(self) -> None:
        try:
            self._sent.put_nowait(AdapterDataSet(DataSetType.end_of_input))
        except queue.Full:
            pass  # the adapter is not waiting

    def _running(self) -> embed.Run:
        if self._run is None:
            raise RuntimeError("the pipeline has not been started")
        return self._run

    def send(self, data: AdapterDataSet) -> None:
        """Send a data set to the pipeline; wait until the pipeline has taken the one before."""
        run = self._running()
        self._names("input_adapter")
        while run.running():
            try:
                self._sent.put(data, timeout=0.5)
                return
            except queue.Full:
                pass
        run.wait()  # raises the reason why it ended
        raise RuntimeError("the pipeline has ended")

    def send_end_of_input(self) -> None:
        self.send(AdapterDataSet(DataSetType.end_of_input))

    def receive(self) -> AdapterDataSet:
        """Wait for the next data set and return it; the last one marks the end. Raise RuntimeError if the pipeline failed."""
        run = self._running()
        if self._at_end:
            return AdapterDataSet(DataSetType.end_of_input)
        found = self._received.get()
        self._room.release()
        if found.is_end_of_data():
            self._at_end = True
            run.wait()
        return found

    def full(self) -> bool:
        return self._sent.full()

    def empty(self) -> bool:
        return self._received.empty()

    def at_end(self) -> bool:
        return self._at_end

    def wait(self) -> None:
        self._running().wait()

    def stop(self) -> None:
        """Stop the pipeline, and drop its remaining results."""
        run = self._running()
        run.stop()
        self._end_input()
        while not self._at_end:  # the pipeline may wait until its results are taken
            self.receive()


class _Adapter:
    """An adapter process, with the connected ports."""

    pushes_itself = False

    def __init__(self, owner: EmbeddedPipeline, hello: Dict[str, Any]):
        self.owner = owner
        self.log: Any = None
        self._connected: Any = frozenset()
        self._pushed: List[Any] = []
        self._ending = False
        self._in, self._out = hello["inputs"], hello["outputs"]

    def inputs(self) -> List[Port]:
        return [_port(p, False) for p in self._in]

    def outputs(self) -> List[Port]:
        return [_port(p, True) for p in self._out]

    def parameters(self) -> List[str]:
        return [p["name"] for p in self._in]

    def changes(self, config: Dict[str, str], tunable_only: bool = True) -> Dict[str, str]:
        return {}

    def configure(self, config: Dict[str, str], tunable_only: bool = False) -> Dict[str, str]:
        return {}

    def nothing(self, *args: Any) -> None:
        """Do nothing."""

    setup = prepare = reconfigure = flush = finish = nothing


class _Input(_Adapter):
    def step(self) -> Any:
        data = self.owner._sent.get()
        if data.is_end_of_data():
            raise Complete
        made = {port: value for port, value in data}
        unknown = [port for port in made if port not in (p["name"] for p in self._out)]
        if unknown:
            raise ValueError("the data set has data for port `%s`, which is not connected" % unknown[0])
        return made if len(self._out) > 1 else made.get(self._out[0]["name"])


class _Output(_Adapter):
    def configure(self, config: Dict[str, str], tunable_only: bool = False) -> Dict[str, str]:
        self.waits = config.get("wait_on_queue_full", "true").strip().lower() in ("true", "yes", "on", "1")
        return {}

    def step(self, *values: Any) -> None:
        data = AdapterDataSet()
        for port, value in zip(self._in, values):
            found = datum.of(value)
            if port["type"] == "kwiver:image" and found.type() is datum.DatumType.data:
                found = datum.Datum(found.get_image_container())
            data.add_datum(port["name"], found)
        owner = self.owner
        if not owner._room.acquire(blocking=self.waits):
            try:
                owner._received.get_nowait()  # the oldest set makes room
            except queue.Empty:
                pass  # it has just been received
        owner._received.put(data)


def _port(info: Dict[str, str], output: bool) -> Port:
    port = Port(info["type"], info["name"], "", not output, output)
    port.attribute = info["name"]
    return port
