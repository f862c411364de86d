"""The binary form of data, as docs/protocol.md specifies it."""

import struct
import sys
import weakref
from array import array
from collections import deque
from types import ModuleType
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from .process import EMPTY, FLUSH, Error

(
    KIND_EMPTY,
    KIND_INT,
    KIND_FLOAT,
    KIND_TEXT,
    KIND_BYTES,
    KIND_TENSOR,
    KIND_IMAGE,
    KIND_ERROR,
    KIND_BOOL,
    KIND_LIST,
    KIND_RECORD,
    KIND_FLUSH,
) = range(12)
INLINE, SHARED, RETURNED = range(3)

LARGE = 64 << 10
"""The size from which a payload is passed through shared memory, in bytes."""

_u32 = struct.Struct("<I")
_u64 = struct.Struct("<Q")
_i64 = struct.Struct("<q")
_f64 = struct.Struct("<d")
_shared = struct.Struct("<BIQQ")
_returned = struct.Struct("<BQQ")

_sizes = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "e": 2, "f": 4, "d": 8}


class Record:
    """A record of the pipeline: a name and members."""

    __slots__ = ("name", "members")

    def __init__(self, name: str, members: Dict[str, Any]):
        self.name = name
        self.members = members


class Tensor:
    """An array as bytes, kind and shape, used if numpy is not installed."""

    __slots__ = ("kind", "shape", "data")

    def __init__(self, kind: str, shape: Tuple[int, ...], data: bytes):
        self.kind = kind
        self.shape = shape
        self.data = data

    def __repr__(self) -> str:
        return "Tensor(%r, %r)" % (self.kind, self.shape)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tensor)
            and (self.kind, self.shape, self.data) == (other.kind, other.shape, other.data)
        )

    __hash__ = None  # type: ignore[assignment]


class WireError(ValueError):
    """The error for a value that has no binary form, or for bytes that are not a valid one."""


_numpy: Optional[ModuleType] = None
_searched = False


def numpy() -> Optional[ModuleType]:
    """Return the module numpy, imported at the first call, or None if it is not installed."""
    global _numpy, _searched
    if not _searched:
        _searched = True
        try:
            import numpy as found

            _numpy = found
        except ImportError:
            pass
    return _numpy


class Memory:
    """The shared memory that this side reads; arrays are views of it.

    A block belongs to the reader as long as an array refers to it. Then its
    number is added to `released`, and the next answer returns it.
    """

    def __init__(self, view: memoryview):
        self.view = view
        self.released: Deque[int] = deque()
        self._held: Dict[int, Any] = {}
        self.address = 0  # set when the first array arrives

    def hold(self, block: int, owner: Any) -> None:
        """Keep a block until its owner is deleted."""
        if not self.address:
            np = sys.modules["numpy"]
            self.address = np.frombuffer(self.view, np.uint8).__array_interface__["data"][0]

        def gone(_: Any) -> None:
            del self._held[block]
            self.released.append(block)

        self._held[block] = weakref.ref(owner, gone)


class Room:
    """The shared memory that this side writes.

    All of it is free again when the next request arrives, because the pipeline
    has copied the answers before it sends a request.
    """

    def __init__(self, view: memoryview):
        self.view = view
        self.used = 0

    def take(self, n: int) -> int:
        """Reserve n bytes and return their offset, or -1 if there is no room."""
        at = self.used
        if at + n > len(self.view):
            return -1
        self.used = (at + n + 63) & ~63
        return at


class Encoder:
    """An encoder that appends values to `out`."""

    def __init__(self, room: Optional[Room] = None, theirs: Optional[Memory] = None):
        self.out = bytearray()
        self.room = room
        self.theirs = theirs

    def text(self, s: str) -> None:
        data = s.encode("utf-8", "surrogateescape")
        self.out += _u32.pack(len(data))
        self.out += data

    def column(self, values: List[Any], image: bool = False) -> None:
        """Append the data of one port from several steps."""
        kinds = set(map(type, values))
        if kinds == {int}:
            try:
                data = array("q", values)
            except OverflowError:
                raise WireError("a whole number has more than 64 bits") from None
            self.out += b"q"
            self.out += _little(data)
        elif kinds == {float}:
            self.out += b"d"
            self.out += _little(array("d", values))
        else:
            self.out.append(0)
            for v in values:
                self.value(v, image)

    def value(self, v: Any, image: bool = False, depth: int = 0) -> None:
        """Append one value; with `image`, an array is written as an image."""
        if depth > 64:
            raise WireError("a value is nested more than 64 levels deep")
        write = _writers.get(type(v))
        if write is not None:
            write(self, v, image, depth)
            return
        kind = type(v)
        if hasattr(v, "__pentode__"):
            self.value(v.__pentode__(), image or getattr(v, "__pentode_image__", False), depth)
        elif kind.__module__ == "numpy":
            self.numpy(v, image, depth)
        elif isinstance(v, bool):
            _bool(self, v, image, depth)
        elif isinstance(v, int):
            _int(self, int(v), image, depth)
        elif isinstance(v, float):
            _float(self, float(v), image, depth)
        elif isinstance(v, str):
            _text(self, str(v), image, depth)
        elif isinstance(v, dict):
            _dict(self, v, image, depth)
        elif isinstance(v, (list, tuple)):
            _list(self, v, image, depth)
        else:
            np = sys.modules.get("numpy")
            if np is not None and isinstance(v, np.ndarray):
                self.numpy(v, image, depth)
            else:
                raise WireError("a value of type %s cannot leave the process" % kind.__name__)

    def numpy(self, v: Any, image: bool, depth: int) -> None:
        np = sys.modules["numpy"]
        if not isinstance(v, np.ndarray):
            if isinstance(v, np.generic):
                self.value(v.item(), image, depth)
                return
            raise WireError("a value of type %s cannot leave the process" % type(v).__name__)
        kind = v.dtype.newbyteorder("=").char
        kind = {"l": "q", "L": "Q"}.get(kind, kind) if v.dtype.itemsize == 8 else kind
        if kind not in _sizes or _sizes[kind] != v.dtype.itemsize:
            raise WireError("an array of %s cannot leave the process" % v.dtype)
        image = image and (v.ndim == 2 or v.ndim == 3 and 1 <= v.shape[2] <= 4)
        self._head(KIND_IMAGE if image else KIND_TENSOR, kind, v.shape)
        n = v.nbytes
        if n < LARGE:
            self._inline(v.astype(v.dtype.newbyteorder("<"), copy=False).tobytes())
            return
        if v.flags.c_contiguous and v.dtype.isnative and self.theirs is not None:
            at = v.__array_interface__["data"][0] - self.theirs.address
            if self.theirs.address and 0 <= at and at + n <= len(self.theirs.view):
                self.out += _returned.pack(RETURNED, at, n)
                return
        at = self.room.take(n) if self.room is not None else -1
        if at < 0:
            self._inline(np.ascontiguousarray(v, v.dtype.newbyteorder("<")).data.cast("B"))
            return
        target = np.frombuffer(self.room.view, v.dtype.newbyteorder("<"), v.size, at)  # type: ignore[union-attr]
        np.copyto(target.reshape(v.shape), v)
        self.out += _shared.pack(SHARED, 0, at, n)

    def _head(self, what: int, kind: str, shape: Tuple[int, ...]) -> None:
        stride = _sizes[kind]
        for n in shape:
            stride *= n
        strides = []
        for n in shape:
            if n:
                stride //= n
            strides.append(stride)
        self.out += struct.pack("<BcB", what, kind.encode(), len(shape))
        self.out += struct.pack("<%dQ" % (2 * len(shape)), *shape, *strides)

    def _inline(self, data: Any) -> None:
        self.out.append(INLINE)
        self.out += _u32.pack(len(data))
        self.out += data

    def payload(self, data: Any) -> None:
        n = len(data)
        at = self.room.take(n) if self.room is not None and n >= LARGE else -1
        if at < 0:
            self._inline(data)
            return
        self.room.view[at : at + n] = data  # type: ignore[union-attr]
        self.out += _shared.pack(SHARED, 0, at, n)


def _little(data: array) -> bytes:
    if sys.byteorder == "big":
        data.byteswap()
    return data.tobytes()


def _none(e: Encoder, v: Any, image: bool, depth: int) -> None:
    e.out.append(KIND_EMPTY)


def _word(e: Encoder, v: Any, image: bool, depth: int) -> None:
    e.out.append(KIND_FLUSH if v is FLUSH else KIND_EMPTY)


def _bool(e: Encoder, v: Any, image: bool, depth: int) -> None:
    e.out += bytes((KIND_BOOL, bool(v)))


def _int(e: Encoder, v: int, image: bool, depth: int) -> None:
    e.out.append(KIND_INT)
    try:
        e.out += _i64.pack(v)
    except struct.error:
        raise WireError("a whole number has more than 64 bits") from None


def _float(e: Encoder, v: float, image: bool, depth: int) -> None:
    e.out.append(KIND_FLOAT)
    e.out += _f64.pack(v)


def _text(e: Encoder, v: str, image: bool, depth: int) -> None:
    e.out.append(KIND_TEXT)
    e.text(v)


def _bytes(e: Encoder, v: Any, image: bool, depth: int) -> None:
    e.out.append(KIND_BYTES)
    e.payload(v)


def _error(e: Encoder, v: Error, image: bool, depth: int) -> None:
    if depth:
        raise WireError("an Error is a whole datum and cannot be part of a value")
    e.out.append(KIND_ERROR)
    e.text(v.why)


def _list(e: Encoder, v: Any, image: bool, depth: int) -> None:
    e.out.append(KIND_LIST)
    e.out += _u32.pack(len(v))
    for x in v:
        e.value(x, False, depth + 1)


def _members(e: Encoder, name: str, members: Dict[str, Any], depth: int) -> None:
    e.out.append(KIND_RECORD)
    e.text(name)
    e.out += _u32.pack(len(members))
    for k, x in members.items():
        e.text(str(k))
        e.value(x, False, depth + 1)


def _dict(e: Encoder, v: Dict[str, Any], image: bool, depth: int) -> None:
    _members(e, "", v, depth)


def _record(e: Encoder, v: Record, image: bool, depth: int) -> None:
    _members(e, v.name, v.members, depth)


def _tensor(e: Encoder, v: Tensor, image: bool, depth: int) -> None:
    image = image and (len(v.shape) == 2 or len(v.shape) == 3 and 1 <= v.shape[2] <= 4)
    e._head(KIND_IMAGE if image else KIND_TENSOR, v.kind, v.shape)
    e.payload(v.data)


_writers: Dict[type, Callable[[Encoder, Any, bool, int], None]] = {
    type(None): _none,
    type(EMPTY): _word,
    bool: _bool,
    int: _int,
    float: _float,
    str: _text,
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: _bytes,
    Error: _error,
    list: _list,
    tuple: _list,
    dict: _dict,
    Record: _record,
    Tensor: _tensor,
}


class Decoder:
    """A decoder of values; `records` has the functions that convert named records."""

    def __init__(
        self,
        data: bytes,
        memory: Optional[Memory] = None,
        records: Optional[Dict[str, Callable[[Dict[str, Any]], Any]]] = None,
    ):
        self.data = data
        self.at = 0
        self.memory = memory
        self.records = records or {}

    def u8(self) -> int:
        at = self.at
        self.at = at + 1
        return self.data[at]

    def u32(self) -> int:
        at = self.at
        self.at = at + 4
        return _u32.unpack_from(self.data, at)[0]

    def text(self) -> str:
        n = self.u32()
        at = self.at
        self.at = at + n
        return str(self.data[at : at + n], "utf-8")

    def column(self, n: int) -> List[Any]:
        """Read n data of one port."""
        form = self.u8()
        if form == 0:
            return [self.value() for _ in range(n)]
        at = self.at
        self.at = at + 8 * n
        return list(struct.unpack_from("<%d%s" % (n, chr(form)), self.data, at))

    def value(self) -> Any:
        """Read one value; an empty datum is None."""
        kind = self.u8()
        at = self.at
        if kind == KIND_INT:
            self.at = at + 8
            return _i64.unpack_from(self.data, at)[0]
        if kind == KIND_FLOAT:
            self.at = at + 8
            return _f64.unpack_from(self.data, at)[0]
        if kind == KIND_EMPTY:
            return None
        if kind == KIND_TEXT:
            return self.text()
        if kind == KIND_BYTES:
            view, block = self._payload()
            data = bytes(view)
            self._free(block)
            return data
        if kind == KIND_TENSOR:
            return self._array()
        if kind == KIND_IMAGE:
            image = self._array()
            # A grey image has two dimensions, as is usual in Python.
            if not isinstance(image, Tensor) and image.shape[2:] == (1,):
                return image.reshape(image.shape[:2])
            return image
        if kind == KIND_ERROR:
            return Error(self.text())
        if kind == KIND_BOOL:
            return self.u8() != 0
        if kind == KIND_LIST:
            return [self.value() for _ in range(self.u32())]
        if kind == KIND_RECORD:
            name = self.text()
            members = {}
            for _ in range(self.u32()):
                member = self.text()
                members[member] = self.value()
            # A type that only Python knows travels as a record whose member `_type` names it.
            known = name or members.get("_type")
            if isinstance(known, str) and known in self.records:
                return self.records[known](members)
            return Record(name, members) if name else members
        if kind == KIND_FLUSH:
            return FLUSH
        raise WireError("the pipeline sent a value of the unknown kind %d" % kind)

    def _payload(self) -> Tuple[memoryview, int]:
        """Return the bytes of a value and the number of their block, or 0."""
        where = self.u8()
        if where == INLINE:
            n = self.u32()
            at = self.at
            self.at = at + n
            return memoryview(self.data)[at : at + n], 0
        _, block, offset, n = _shared.unpack_from(self.data, self.at - 1)
        self.at += _shared.size - 1
        assert self.memory is not None
        return self.memory.view[offset : offset + n], block

    def _free(self, block: int) -> None:
        if block and self.memory is not None:
            self.memory.released.append(block)

    def _array(self) -> Any:
        kind = chr(self.u8())
        dims = self.u8()
        sizes = struct.unpack_from("<%dQ" % (2 * dims), self.data, self.at)
        self.at += 16 * dims
        shape = sizes[:dims]
        view, block = self._payload()
        np = numpy()
        if np is None:
            data = bytes(view)
            self._free(block)
            return Tensor(kind, shape, data)
        owner = np.frombuffer(view, np.dtype(kind).newbyteorder("<"))
        if block:
            # Every view of this array keeps the array alive, and so the block.
            self.memory.hold(block, owner)  # type: ignore[union-attr]
        else:
            owner.flags.writeable = False
        return owner.reshape(shape)
