"""The Python side of the protocol between a pipeline and a process."""

import importlib
import json
import logging
import mmap
import os
import socket
import struct
import sys
import threading
import time
import traceback
from types import GeneratorType
from typing import Any, Callable, Dict, List, Optional, Type

from . import types
from .kwiver.vital.types import feature
from .process import Complete, Process
from .wire import Decoder, Encoder, Memory, Room, WireError, numpy

PROTOCOL = 1

HELLO, STEPS, PREPARE, RECONFIGURE, FLUSH, END = b"HSPCFE"
READY, ANSWER, DONE, FAIL, LOG = b"RAKXL"

_head = struct.Struct("<IB")

_PROMPT = 0.001  # seconds after which finished answers are sent

RECORDS = {**types.RECORDS, **feature.RECORDS}

_hosted = False  # whether a pipeline started this interpreter and loads the modules


class Socket:
    """A socket that carries frames."""

    def __init__(self, sock: socket.socket):
        self._sock = sock
        self._data = bytearray()
        self._lock = threading.Lock()

    def read(self) -> Optional[tuple]:
        """Return the kind and payload of the next frame; None at the end."""
        data = self._data
        while len(data) < 5:
            if not self._more(65536):
                return None
        n, kind = _head.unpack_from(data)
        while len(data) < 5 + n:
            if not self._more(max(65536, 5 + n - len(data))):
                return None
        payload = bytes(data[5 : 5 + n])
        del data[: 5 + n]
        return kind, payload

    def _more(self, n: int) -> bool:
        part = self._sock.recv(n)
        self._data += part
        return bool(part)

    def write(self, kind: int, payload: Any = b"") -> None:
        """Send a frame; any thread may call it."""
        with self._lock:
            self._sock.sendall(_head.pack(len(payload), kind) + payload)

    def fail(self, message: str, trace: str = "") -> None:
        """Report to the pipeline why something failed."""
        e = Encoder()
        e.text(message)
        e.text(trace)
        self.write(FAIL, e.out)

    def close(self) -> None:
        self._sock.close()


class _ToPipeline(logging.Handler):
    """A logging handler that sends records to the pipeline's log."""

    def __init__(self, sock: Socket):
        super().__init__()
        self._to = sock

    def emit(self, record: logging.LogRecord) -> None:
        level = 3 if record.levelno >= 40 else 2 if record.levelno >= 30 else 1 if record.levelno >= 20 else 0
        e = Encoder()
        e.text(self.format(record))
        try:
            self._to.write(LOG, bytes((level,)) + e.out)
        except OSError:
            pass  # the pipeline has ended


class Host:
    """The host of one process: it reads requests from the pipeline and answers them."""

    def __init__(self, sock: Socket, find: Callable[[Dict[str, Any]], Any], descriptors: Optional[List[int]] = None):
        self.sock = sock
        self.find = find
        self.descriptors = descriptors
        self.memory: Optional[Memory] = None
        self.room: Optional[Room] = None
        self.process: Any = None
        self.images: List[bool] = []
        self.answered = 0

    def serve(self) -> bool:
        """Run the process to its end; return False if the process or one of its steps failed."""
        failed = False
        try:
            while True:
                frame = self.sock.read()
                if frame is None:
                    return not failed
                if self.room is not None:
                    self.room.used = 0
                try:
                    if not self._do(*frame):
                        return True
                except Exception as e:
                    if frame[0] != STEPS:
                        raise
                    # The pipeline may continue without the output of this step.
                    failed = True
                    self.process._pushed.clear()
                    self.sock.fail(describe(e), trace_of(e))
        except (BrokenPipeError, ConnectionResetError):
            return True
        except BaseException as e:  # the pipeline reports every failure
            if isinstance(e, KeyboardInterrupt):
                return False
            self.sock.fail(describe(e), trace_of(e))
            return False

    def _do(self, kind: int, payload: bytes) -> bool:
        if kind == STEPS:
            d = Decoder(payload, self.memory, RECORDS)
            n = d.u32()
            self._steps(n, [d.column(n) for _ in self.inputs])
        elif kind == HELLO:
            self._hello(json.loads(payload))
        elif kind == PREPARE:
            self._prepare(json.loads(payload))
        elif kind == RECONFIGURE:
            self._reconfigure(json.loads(payload))
        elif kind == FLUSH:
            self.process.flush()
            self._send_pushed()
            self.sock.write(DONE)
        elif kind == END:
            self.process.finish()
            self._send_pushed()
            self.sock.write(DONE)
            return False
        else:
            raise WireError("the pipeline sent a frame of the unknown kind %d" % kind)
        return True

    def _hello(self, hello: Dict[str, Any]) -> None:
        if hello["protocol"] != PROTOCOL:
            raise WireError(
                "the pipeline speaks version %s of the protocol; this package speaks %d" % (hello["protocol"], PROTOCOL)
            )
        self._map(hello.get("memory"))
        log = self._logger(hello["process"])
        self.process = process = self.find(hello)()
        process.log = log
        inputs = [p.name for p in process.inputs()]
        outputs = [p.name for p in process.outputs()]
        self.inputs = [p["name"] for p in hello["inputs"]]
        self.outputs = [p["name"] for p in hello["outputs"]]
        required = [p.name for p in process.inputs() if p.required]
        ready = {"protocol": PROTOCOL, "inputs": inputs, "outputs": outputs, "required": required, "prepare": True}
        if set(self.inputs) <= set(inputs) and set(self.outputs) <= set(outputs):
            self._connect(hello)
            process.configure(hello["config"])
            process.setup()
        self.sock.write(READY, json.dumps(ready).encode())

    def _logger(self, name: str) -> logging.Logger:
        """Return the logger of the process.

        If the process has the interpreter to itself, the records of all other
        loggers also go to the pipeline's log.
        """
        log = logging.getLogger(name)
        log.setLevel(logging.DEBUG)
        if self.descriptors is None:
            logging.root.addHandler(_ToPipeline(self.sock))
            logging.root.setLevel(logging.INFO)
        else:
            log.addHandler(_ToPipeline(self.sock))
            log.propagate = False
        return log

    def _map(self, memory: Optional[Dict[str, int]]) -> None:
        if memory is None:
            return
        read, write = (memory["read"], memory["write"]) if self.descriptors is None else self.descriptors
        size = memory["size"]
        self.memory = Memory(memoryview(mmap.mmap(read, size, prot=mmap.PROT_READ)))
        self.room = Room(memoryview(mmap.mmap(write, size)))
        os.close(read)
        os.close(write)

    def _connect(self, hello: Dict[str, Any]) -> None:
        """Assign input columns to the parameters of the step, and outputs to ports."""
        process = self.process
        by_name = {p.name: p.attribute for p in process.inputs()}
        place = {by_name[name]: i for i, name in enumerate(self.inputs)}
        self.order = [place.get(a) for a in process.parameters()]
        ports = {p.name: p for p in process.outputs()}
        self.places = {ports[name].attribute: i for i, name in enumerate(self.outputs)}
        self.all_outputs = [p.attribute for p in process.outputs()]
        self.images = [
            "kwiver:image" in (ports[p["name"]].type, p["type"]) for p in hello["outputs"]
        ]
        process._connected = frozenset(place) | frozenset(self.places)

    def _steps(self, n: int, columns: List[List[Any]]) -> None:
        process, step, pushed = self.process, self.process.step, self.process._pushed
        if self.order:
            rows: Any = zip(*[columns[i] if i is not None else [None] * n for i in self.order])
        else:
            rows = [()] * n
        single = len(self.all_outputs) == 1 and len(self.outputs) == 1 and not self.pushes
        data: List[List[Any]] = [[] for _ in self.outputs]
        counts: Optional[List[List[int]]] = None
        plain: Any = data[0].append if single else None
        sent, made = time.perf_counter(), 0
        del columns
        for row in rows:
            try:
                result = step(*row)
                kind = type(result)
                if single and not pushed and kind is not GeneratorType and counts is None:
                    plain(result)
                else:
                    if counts is None:
                        counts = [[1] * made for _ in self.outputs]
                    self._collect(result, kind, data, counts)
            except Complete:
                process._ending = True
                if counts is None:
                    counts = [[1] * made for _ in self.outputs]
                self._drain(data, counts)
            except Exception:
                if made:
                    self._answer(made, data, counts)
                raise
            made += 1
            row = result = None  # drops the references, so that memory that the process no longer uses is freed
            if process._ending:
                break
            if made < n and time.perf_counter() - sent > _PROMPT:
                self._answer(made, data, counts)
                n, made, counts = n - made, 0, None
                data = [[] for _ in self.outputs]
                plain = data[0].append if single else None
                sent = time.perf_counter()
        del rows
        if made:
            self._answer(made, data, counts)

    def _collect(self, result: Any, kind: type, data: List[List[Any]], counts: List[List[int]]) -> None:
        """Distribute the result of a step to the output ports."""
        before = [len(d) for d in data]
        pushed = self.process._pushed
        if kind is GeneratorType:
            if len(self.all_outputs) != 1:
                raise TypeError("a step that yields needs one output; with several, push to the ports")
            for value in result:
                self._put(self.all_outputs[0], value, data)
        elif result is None and (pushed or self.pushes):
            pass
        elif len(self.all_outputs) == 1:
            self._put(self.all_outputs[0], result, data)
        elif kind is dict:
            for name in result:
                if name not in self.all_outputs:
                    raise KeyError("`%s` is not an output port" % name)
            for name in self.all_outputs:
                self._put(name, result.get(name), data)
        elif kind is tuple and len(result) == len(self.all_outputs):
            for name, value in zip(self.all_outputs, result):
                self._put(name, value, data)
        elif result is None:
            for name in self.all_outputs:
                self._put(name, None, data)
        else:
            raise TypeError(
                "a step of a process with %d outputs returns a dict or a tuple of %d values, not %s"
                % (len(self.all_outputs), len(self.all_outputs), kind.__name__)
            )
        self._drain(data, None)
        for i, d in enumerate(data):
            counts[i].append(len(d) - before[i])

    @property
    def pushes(self) -> bool:
        """Whether the process pushes its outputs itself instead of returning them."""
        return getattr(self.process, "pushes_itself", False)

    def _put(self, attribute: str, value: Any, data: List[List[Any]]) -> None:
        i = self.places.get(attribute)
        if i is not None:
            data[i].append(value)

    def _drain(self, data: List[List[Any]], counts: Optional[List[List[int]]]) -> None:
        """Collect the data that the step pushed."""
        before = [len(d) for d in data]
        for attribute, value in self.process._pushed:
            self._put(attribute, value, data)
        self.process._pushed.clear()
        if counts is not None:
            for i, d in enumerate(data):
                counts[i].append(len(d) - before[i])

    def _send_pushed(self) -> None:
        """Send the data that were pushed outside a step."""
        if self.process._pushed:
            data: List[List[Any]] = [[] for _ in self.outputs]
            counts: List[List[int]] = [[] for _ in self.outputs]
            self._drain(data, counts)
            self._answer(1, data, counts)

    def _answer(self, steps: int, data: List[List[Any]], counts: Optional[List[List[int]]]) -> None:
        e = Encoder(self.room, self.memory)
        e.out += struct.pack("<IB", steps, self.process._ending)
        released: List[int] = []
        while self.memory is not None and self.memory.released:
            released.append(self.memory.released.popleft())
        e.out += struct.pack("<I%dI" % len(released), len(released), *released)
        for i, column in enumerate(data):
            if counts is None or all(c == 1 for c in counts[i]):
                e.out.append(1)
            else:
                e.out.append(2)
                e.out += struct.pack("<%dI" % steps, *counts[i])
            e.column(column, self.images[i])
        self.sock.write(ANSWER, e.out)

    def _prepare(self, config: Dict[str, str]) -> None:
        try:
            changed = self.process.changes(config)
            if changed:
                self.process.prepare(changed)
        except Exception as e:
            self.sock.fail(describe(e))
            return
        self.sock.write(DONE)

    def _reconfigure(self, config: Dict[str, str]) -> None:
        process = self.process
        before = dict(process.__dict__)
        try:
            changed = process.configure(config, tunable_only=True)
            if changed:
                process.reconfigure(changed)
        except Exception as e:
            process.__dict__.clear()
            process.__dict__.update(before)
            self.sock.fail(describe(e))
            return
        self.sock.write(DONE)


def describe(e: BaseException) -> str:
    """Return an exception in one line, with the place in the user's file."""
    text = "".join(traceback.format_exception_only(type(e), e)).strip().splitlines()[-1]
    frames = traceback.extract_tb(e.__traceback__)
    ours = os.path.dirname(os.path.abspath(__file__))
    for frame in reversed(frames):
        if not os.path.abspath(frame.filename).startswith((ours, os.path.dirname(os.__file__), "<")):
            return "%s (%s:%d)" % (text, os.path.basename(frame.filename), frame.lineno or 0)
    return text


def trace_of(e: BaseException) -> str:
    """Return the traceback of an exception, as Python prints it."""
    return "".join(traceback.format_exception(type(e), e, e.__traceback__)).rstrip()


def load(hello: Dict[str, Any]) -> Any:
    """Find the class that a pipeline names: `package.module.Class`."""
    for folder in reversed(hello.get("search") or []):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    from . import kwiver

    kwiver.install()
    if hello.get("algorithm"):
        return lambda: kwiver.player(hello)
    return kwiver.adapt(find_class(hello["class"]), hello)


def find_class(name: str) -> Any:
    """Import a class by its module and name."""
    module, dot, attribute = name.rpartition(".")
    if not dot:
        raise ImportError("`%s` is not the name of a class: expected MODULE.CLASS" % name)
    found = importlib.import_module(module)
    if not hasattr(found, attribute):
        names = [n for n, v in vars(found).items() if isinstance(v, type) and v.__module__ == found.__name__]
        raise ImportError("module `%s` has no class `%s`; it has %s" % (module, attribute, ", ".join(names) or "none"))
    return getattr(found, attribute)


def run(cls: Type[Process]) -> None:
    """Run a class as a process of the pipeline that started this program.

    If a pipeline loads the module itself, do nothing. If the program was
    started from a terminal, print a summary of the class.
    """
    if _hosted:
        return
    if "PENTODE_FD" not in os.environ:
        print(summary(cls))
        return
    sys.exit(0 if Host(_socket(), lambda hello: cls).serve() else 1)


def summary(cls: Type[Process]) -> str:
    """Return a summary of a class: its documentation, ports and keys."""
    lines = [cls.__name__ + ": " + (cls.__doc__ or "").strip()]
    for title, ports in (("input", cls.inputs()), ("output", cls.outputs())):
        lines += ["  %s %s (%s) %s" % (title, p.name, p.type, p.doc) for p in ports]
    lines += ["  key %s = %s  %s" % (k.name, k.default, k.doc) for k in cls.keys()]
    return "\n".join(line.rstrip() for line in lines)


def _socket() -> Socket:
    return Socket(socket.socket(fileno=int(os.environ.pop("PENTODE_FD"))))


def _quiet_pipe() -> None:
    """Make printed output reach the log line by line."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr, attr-defined]
        except (AttributeError, ValueError):
            pass


def main(arguments: List[str]) -> int:
    """Run the program that a pipeline starts: one process, or a group of them."""
    global _hosted
    if arguments[:1] == ["--algorithm"]:
        return _algorithm(*arguments[1:])
    if "PENTODE_FD" not in os.environ:
        print("a pipeline starts this program: `process NAME :: python` with `class = MODULE.CLASS`", file=sys.stderr)
        return 2
    _hosted = True
    _quiet_pipe()
    if arguments == ["--group"]:
        return _group()
    return 0 if Host(_socket(), load).serve() else 1


def _algorithm(process_type: str, name: str) -> int:
    """Print whether a process can use the named algorithm and, if not, why.

    Anything that modules print while they load goes to standard error instead.
    """
    from . import kwiver

    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    kwiver.install()
    why = kwiver.lacks(process_type, name)
    answer.write("lacks " + why if why else "has")
    answer.close()
    return 0


def _group() -> int:
    """Run several processes in this interpreter, each in a thread.

    The control socket passes the descriptors of each process: its socket and
    its two memories. The program ends when the pipeline has closed the control
    socket and every process has ended.
    """
    control = socket.socket(fileno=int(os.environ.pop("PENTODE_FD")))
    numpy()  # load it here, before the threads start
    threads = []
    while True:
        word, descriptors, _, _ = socket.recv_fds(control, 1, 3)
        if not word:
            break
        host = Host(Socket(socket.socket(fileno=descriptors[0])), load, descriptors[1:])
        thread = threading.Thread(target=_member, args=(host,), daemon=True)
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()
    return 0


def _member(host: Host) -> None:
    host.serve()
    host.sock.close()
