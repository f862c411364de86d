"""The data store for Python programs.

Values are numpy arrays that share their memory with the store: nothing is copied. An array
that is not contiguous, such as every second column, is copied for the store; changes of
the store are copied back when the array is reclaimed.
A plain number or list becomes an array of the type that the tree declares.

The names are the same as in PDI's module, so that programs written for it run unchanged.

    import pdi, numpy as np

    pdi.init("data: {x: {type: array, subtype: double, size: 3}}")
    pdi.expose("x", np.array([1.0, 2.0, 3.0]), pdi.OUT)
    pdi.finalize()
"""

import ctypes
import json
import os
import sys

try:
    import numpy as np
except ImportError as e:
    raise ImportError("the module pdi needs numpy, which %s does not have: install it there (Debian: python3-numpy)" % sys.executable) from e

NONE, IN, OUT, INOUT = 0, 1, 2, 3

version = "1.12.0"


class Error(Exception):
    """An error of the store; `status` is its class."""

    def __init__(self, message, status=0):
        super().__init__(message)
        self.status = status


# ---- the library ----


class _Tree(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("document", ctypes.c_void_p), ("node", ctypes.c_void_p)]


class _Handler(ctypes.Structure):
    _fields_ = [("func", ctypes.c_void_p), ("context", ctypes.c_void_p)]


class _Private(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int),
        ("parse", ctypes.c_void_p),
        ("forget", ctypes.c_void_p),
        ("type", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)),
        ("share_as", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int)),
    ]


def _load(name):
    """Load a library of this installation, or the library that the program has already loaded."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", name)
    return ctypes.CDLL(beside if os.path.exists(beside) else name, mode=ctypes.RTLD_GLOBAL)


_pdi = _load("libpdi.so.1")
_paraconf = _load("libparaconf.so.1")
_libc = ctypes.CDLL(None)
_private = ctypes.POINTER(_Private).in_dll(_load("libpdi_private.so.1"), "pentode_private").contents

_pdi.PDI_errmsg.restype = ctypes.c_char_p
_pdi.PDI_errhandler.restype = _Handler
_pdi.PDI_errhandler.argtypes = [_Handler]
_pdi.PDI_init.argtypes = [_Tree]
_pdi.PDI_access.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int]
for _f in (_pdi.PDI_release, _pdi.PDI_reclaim, _pdi.PDI_event):
    _f.argtypes = [ctypes.c_char_p]
_paraconf.PC_parse_string.restype = _Tree
_paraconf.PC_parse_string.argtypes = [ctypes.c_char_p]
_paraconf.PC_tree_destroy.argtypes = [ctypes.POINTER(_Tree)]
_paraconf.PC_errmsg.restype = ctypes.c_char_p
_paraconf.PC_errhandler.restype = _Handler
_paraconf.PC_errhandler.argtypes = [_Handler]
_libc.free.argtypes = [ctypes.c_void_p]


def _call(function, *args):
    """Calls the store and raises an exception for an error, whatever error handler the program has."""
    handler = _pdi.PDI_errhandler(_Handler())
    try:
        status = function(*args)
    finally:
        _pdi.PDI_errhandler(handler)
    if status:
        raise Error(_pdi.PDI_errmsg().decode("utf-8", "replace"), status)


# ---- values ----

_NUMBERS = {
    "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64",
    "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
    "float32": "float", "float64": "double", "bool": "uint8",
}  # fmt: skip


def _dtype(t):
    """Returns the numpy type of a number, or None."""
    if t["kind"] in ("int", "uint") and t["size"] in (1, 2, 4, 8):
        return np.dtype("%s%d" % ("i" if t["kind"] == "int" else "u", t["size"]))
    if t["kind"] == "float" and t["size"] in (4, 8):
        return np.dtype("f%d" % t["size"])
    return None


def _type(name):
    """Returns the type of a datum, or None."""
    text = _private.type(name.encode())
    if not text:
        return None
    try:
        return json.loads(ctypes.string_at(text))
    finally:
        _libc.free(text)


def _array(value, name):
    """Returns a value as a new array, or the value itself if it is an array."""
    if isinstance(value, np.ndarray):
        array = value
    elif isinstance(value, (bool, int, float, list, tuple, np.generic)):
        declared = _type(name)
        while declared and declared["kind"] == "array":
            declared = declared["elem"]
        array = np.array(value, dtype=_dtype(declared) if declared else None)
    else:
        raise Error("cannot share `%s`: a %s is neither a number nor an array of numbers" % (name, type(value).__name__))
    if array.dtype.name not in _NUMBERS:
        raise Error("cannot share `%s`: numbers of type %s are not known" % (name, array.dtype))
    return array


def _memory(array):
    """Returns an array with the same elements, contiguous and in the byte order of the machine."""
    if array.flags.c_contiguous and array.dtype.isnative:
        return array
    return np.array(array, dtype=array.dtype.newbyteorder("="), order="C")


def _declaration(array):
    number = _NUMBERS[array.dtype.name]
    if array.ndim == 0:
        return number
    return "{type: array, subtype: %s, size: [%s]}" % (number, ", ".join(map(str, array.shape)))


def _numbers(t, address, writable):
    """Returns the memory of a number or of an array of numbers as a numpy array, or None for other types."""
    whole, used, elem = [], [], t
    while elem["kind"] == "array":
        count = elem.get("count", 0)
        size = elem["elem"]["size"]
        whole.append(elem["size"] // size if size else 0)
        used.append(slice(elem.get("start", 0), elem.get("start", 0) + count))
        elem = elem["elem"]
    dtype = _dtype(elem)
    if dtype is None:
        return None
    if t["size"] == 0:
        return np.empty([s.stop - s.start for s in used], dtype)
    memory = (ctypes.c_char * t["size"]).from_address(address)
    array = np.frombuffer(memory, dtype=dtype).reshape(whole)
    if used:
        array = array[tuple(used)]
    array.flags.writeable = writable
    return array


def _value(t, address, writable):
    """Returns the value of a type at an address."""
    numbers = _numbers(t, address, writable)
    if numbers is not None:
        return numbers
    if t["kind"] in ("record", "tuple"):
        return Record(t, address, writable)
    if t["kind"] == "array":
        return Array(t, address, writable)
    if t["kind"] == "pointer" and t.get("elem"):
        target = ctypes.c_void_p.from_address(address).value
        return _value(t["elem"], target, writable) if target else None
    return np.frombuffer((ctypes.c_char * t["size"]).from_address(address), dtype="u1")


class Record:
    """A record of the store: its members are attributes."""

    def __init__(self, t, address, writable):
        object.__setattr__(self, "_members", {m["name"] or str(i): m for i, m in enumerate(t["members"])})
        object.__setattr__(self, "_address", address)
        object.__setattr__(self, "_writable", writable)

    def _member(self, name):
        member = self._members.get(name)
        if member is None:
            raise Error("the record has no member `%s`: it has %s" % (name, ", ".join(self._members) or "none"))
        return _value(member["type"], self._address + member["offset"], self._writable)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = self._member(name)
        return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value

    def __setattr__(self, name, value):
        member = self._member(name)
        if not isinstance(member, np.ndarray):
            raise Error("the member `%s` is neither a number nor an array of numbers: set its parts" % name)
        if not self._writable:
            raise Error("the member `%s` may not be written: the record was accessed for reading" % name)
        member[...] = value

    def __getitem__(self, i):
        return getattr(self, i if isinstance(i, str) else list(self._members)[i])

    def __dir__(self):
        return list(self._members)


class Array:
    """An array of records."""

    def __init__(self, t, address, writable):
        self._elem, self._count, self._writable = t["elem"], t.get("count", 0), writable
        self._address = address + t.get("start", 0) * t["elem"]["size"]

    def __len__(self):
        return self._count

    def __getitem__(self, i):
        if not -self._count <= i < self._count:
            raise IndexError(i)
        return _value(self._elem, self._address + i % self._count * self._elem["size"], self._writable)


# ---- the calls ----

# The data that this module has shared and not yet reclaimed, by name, the last share last: the
# arrays must live as long. Each entry is the memory that the store has and the array to which
# changes of the store are copied back, or None. The entry of an access is None.
_held = {}


def init(text):
    """Makes the store that a specification tree, given as YAML text, describes."""
    handler = _paraconf.PC_errhandler(_Handler())
    try:
        tree = _paraconf.PC_parse_string(text.encode())
    finally:
        _paraconf.PC_errhandler(handler)
    if tree.status:
        raise Error(_paraconf.PC_errmsg().decode("utf-8", "replace"), 2)
    try:
        _call(_pdi.PDI_init, tree)
    finally:
        _paraconf.PC_tree_destroy(ctypes.byref(tree))
    _held.clear()


def finalize():
    """Closes the store."""
    _call(_pdi.PDI_finalize)
    _held.clear()


def event(name):
    """Triggers an event."""
    _call(_pdi.PDI_event, name.encode())


def share(name, value, access):
    """Shares a value with the store until it is reclaimed or released."""
    array = _array(value, name)
    memory = _memory(array)
    _call(_private.share_as, name.encode(), _declaration(array).encode(), memory.ctypes.data, access)
    _held.setdefault(name, []).append((memory, array if access & IN and memory is not array else None))


def access(name, inout):
    """Returns the value of a datum, which is valid until it is released or reclaimed."""
    address = ctypes.c_void_p()
    _call(_pdi.PDI_access, name.encode(), ctypes.byref(address), inout)
    _held.setdefault(name, []).append(None)
    t = _type(name) if address.value else None
    return _value(t, address.value, bool(inout & OUT)) if t else None


def release(name):
    """Ends an access, or hands shared data over to the store."""
    held = _held.get(name)
    if held and held[-1] is not None:
        reclaim(name)  # the memory belongs to numpy, so the store cannot own it; metadata is copied
        return
    _call(_pdi.PDI_release, name.encode())
    if held:
        held.pop()


def reclaim(name):
    """Ends the sharing of a value."""
    _call(_pdi.PDI_reclaim, name.encode())
    held = _held.get(name) and _held[name].pop()
    if held and held[1] is not None:
        held[1][...] = held[0]


def expose(name, value, access):
    """Shares a value and reclaims it at once."""
    share(name, value, access)
    reclaim(name)


def multi_expose(event_name, data):
    """Shares several `(name, value, access)`, triggers an event, and reclaims them in reverse order."""
    shared, first = [], None
    try:
        for name, value, inout in data:
            share(name, value, inout)
            shared.append(name)
        event(event_name)
    except Error as e:
        first = e
    for name in reversed(shared):
        try:
            reclaim(name)
        except Error as e:
            first = first or e
    if first:
        raise first


def _run(code, values):
    """Runs code of the plugin pycall in __main__, where names that it defines stay for the next call.

    The values of the store are variables only while the code runs, because their memory may be gone afterwards.
    """
    scope = sys.modules["__main__"].__dict__
    scope["pdi"] = sys.modules[__name__]
    names = [v["name"] for v in values]
    before = {name: scope[name] for name in names if name in scope}
    for v in values:
        scope[v["name"]] = _value(v["type"], v["address"], v["writable"])
    try:
        exec(code, scope)
    finally:
        for name in names:
            scope.pop(name, None)
        scope.update(before)
