"""The same as handoff.c, in Python: handoff.py TREE STEPS MICROSECONDS."""

import sys
import time

import numpy as np
import pdi


def setting():
    try:
        dt = float(pdi.access("dt", pdi.IN)[()])
        pdi.release("dt")
        return dt
    except pdi.Error:
        return 1.0


n, steps, pause = 32, int(sys.argv[2]), float(sys.argv[3]) / 1e6
with open(sys.argv[1]) as tree:
    pdi.init(tree.read())
pdi.expose("n", n, pdi.OUT)
dt = setting()
for i in range(steps):
    field = dt * (np.arange(n * n, dtype=float).reshape(n, n) % n + i)
    pdi.multi_expose("step", [("i", i, pdi.OUT), ("field", field, pdi.OUT)])
    dt = setting()
    print(i, "%g" % dt, flush=True)
    time.sleep(pause)
pdi.finalize()
print("finalized")
