"""Arrays, numbers and records from Python."""

import numpy as np
import pdi

pdi.init("""
logging: error
metadata: {n: int}
data:
  a: {type: array, subtype: double, size: [2, 3]}
  r: {type: struct, members: [{i: int}, {v: {type: array, subtype: double, size: 2}}]}
plugins:
  set_value: {on_init: [{share: [r: {i: 4, v: [1.5, 2.5]}]}]}
""")

a = np.zeros((2, 3))
pdi.share("a", a, pdi.INOUT)
b = pdi.access("a", pdi.INOUT)
assert b.shape == (2, 3) and b.ctypes.data == a.ctypes.data
b[1, 2] = 5
pdi.release("a")
pdi.reclaim("a")
assert a[1, 2] == 5


def strided(array):
    """Checks that the store reads and writes all elements of an array that is not contiguous."""
    array[...] = [[1, 2, 3], [4, 5, 6]]
    pdi.share("a", array, pdi.INOUT)
    seen = pdi.access("a", pdi.INOUT)
    assert seen.tolist() == [[1, 2, 3], [4, 5, 6]], seen
    seen[1, 2] = 60
    pdi.release("a")
    assert pdi.reclaim("a") is None
    assert array.tolist() == [[1, 2, 3], [4, 5, 60]], array
    pdi.share("a", array, pdi.OUT)
    pdi.reclaim("a")


whole = np.zeros((6, 9))
strided(whole[1::3, ::4])
assert whole.sum() == 1 + 2 + 3 + 4 + 5 + 60
strided(np.zeros((3, 2)).T)
strided(np.zeros((2, 3))[::-1, ::-1])
strided(np.zeros((2, 3), dtype=">f8"))

pdi.expose("n", 7, pdi.OUT)  # a plain number gets the declared type
n = pdi.access("n", pdi.IN)
assert n == 7 and n.dtype == np.int32 and not n.flags.writeable
pdi.release("n")

r = pdi.access("r", pdi.INOUT)
assert r.i == 4 and list(r.v) == [1.5, 2.5]
r.i = 5
r.v[0] = 9
assert r.i == 5 and r.v[0] == 9
pdi.release("r")

for wrong in (lambda: pdi.reclaim("a"), lambda: pdi.share("a", object(), pdi.OUT), lambda: pdi.init("a: [")):
    try:
        wrong()
    except pdi.Error:
        pass
    else:
        raise AssertionError("expected an error")

pdi.multi_expose("event", [("n", 3, pdi.OUT), ("a", a, pdi.OUT)])
pdi.finalize()
