"""A pipeline that gets its data from this program and gives it the results."""

import os
import queue
import threading
from typing import Any, Dict, List, Optional

from .... import embed
from ....process import Complete, Port
from ..pipeline import datum
from .adapter_data_set import AdapterDataSet, DataSetType


class EmbeddedPipeline:
    """The pipeline of a file whose `input_adapter` takes what `send` is given,
    and whose `output_adapter` hands over what `receive` returns."""

    def __init__(self) -> None:
        self._path = ""
        self._include: List[str] = []
        self._ports: Dict[str, Optional[List[str]]] = {"input_adapter": None, "output_adapter": None}
        self._sent: "queue.Queue[AdapterDataSet]" = queue.Queue(1)
        self._received: "queue.Queue[AdapterDataSet]" = queue.Queue()
        self._room = threading.Semaphore(1)  # for one set that was not received yet; their end needs none
        self._run: Optional[embed.Run] = None
        self._at_end = False

    def build_pipeline(self, path: Any, def_dir: str = "") -> None:
        """Reads a file, or a stream that `def_dir` is the folder of, and checks what it says. Files that it includes
        are also looked for in `def_dir`."""
        if hasattr(path, "read"):
            path = embed.written(path.read())
        self._path, self._include = os.fspath(path), [def_dir]
        said = embed.resolved(self._path, self._include)
        names = {p["key"].split(" ", 1)[1]: p["value"] for p in said["parts"] if p["key"].startswith("process ")}
        for part in said["parts"]:
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
            raise RuntimeError("`build_pipeline` comes before `start`")
        self._run = embed.Run(self._path, self._find, self._ended, self._include)

    def _find(self, hello: Dict[str, Any]) -> Any:
        adapter = _Input if hello["type"] == "input_adapter" else _Output
        return lambda: adapter(self, hello)

    def _ended(self) -> None:
        """Lets those go that wait for the pipeline."""
        self._end_input()
        self._room.release()
        self._received.put(AdapterDataSet(DataSetType.end_of_input))

    def _end_input(self) -> None:
        try:
            self._sent.put_nowait(AdapterDataSet(DataSetType.end_of_input))
        except queue.Full:
            pass  # the adapter does not wait for it

    def _running(self) -> embed.Run:
        if self._run is None:
            raise RuntimeError("the pipeline has not been started")
        return self._run

    def send(self, data: AdapterDataSet) -> None:
        """Hands a set to the pipeline, and waits while it has not taken the one before."""
        run = self._running()
        self._names("input_adapter")
        while run.running():
            try:
                self._sent.put(data, timeout=0.5)
                return
            except queue.Full:
                pass
        run.wait()  # says why it ended
        raise RuntimeError("the pipeline has ended")

    def send_end_of_input(self) -> None:
        self.send(AdapterDataSet(DataSetType.end_of_input))

    def receive(self) -> AdapterDataSet:
        """Waits for the next set. The last one is the end of the data; where the pipeline failed, RuntimeError says why."""
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
        """Stops the pipeline, whatever it has not done yet."""
        run = self._running()
        run.stop()
        self._end_input()
        while not self._at_end:  # it may wait for its results to be taken
            self.receive()


class _Adapter:
    """A process of the pipeline with the ports that are connected."""

    pushes_itself = False

    def __init__(self, around: EmbeddedPipeline, hello: Dict[str, Any]):
        self.around = around
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
        """What an adapter has no part in."""

    setup = prepare = reconfigure = flush = finish = nothing


class _Input(_Adapter):
    def step(self) -> Any:
        data = self.around._sent.get()
        if data.is_end_of_data():
            raise Complete
        made = {port: value for port, value in data}
        unknown = [port for port in made if port not in (p["name"] for p in self._out)]
        if unknown:
            raise ValueError("the set has data for port `%s`, which is not connected" % unknown[0])
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
        around = self.around
        if not around._room.acquire(blocking=self.waits):
            try:
                around._received.get_nowait()  # the oldest set makes room
            except queue.Empty:
                pass  # it has just been received
        around._received.put(data)


def _port(said: Dict[str, str], output: bool) -> Port:
    port = Port(said["type"], said["name"], "", not output, output)
    port.attribute = said["name"]
    return port
