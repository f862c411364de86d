"""A program that speaks the protocol, and lies in the way it is told to."""

import json
import mmap
import os
import socket
import struct
import sys
import time

how = sys.argv[1]
sock = socket.socket(fileno=int(os.environ["PENTODE_FD"]))


def exactly(n):
    data = b""
    while len(data) < n:
        part = sock.recv(n - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


def read():
    n, kind = struct.unpack("<IB", exactly(5))
    return chr(kind), exactly(n)


def write(kind, payload=b""):
    sock.sendall(struct.pack("<IB", len(payload), ord(kind)) + payload)


def answer(value, steps=1, released=(), form=1):
    head = struct.pack("<IBI", steps, 0, len(released)) + struct.pack("<%dI" % len(released), *released)
    write("A", head + bytes([form]) + value)


_, hello = read()
memory = json.loads(hello).get("memory")
if how == "truncate":
    try:
        os.ftruncate(memory["write"], 4096)
        print("it could be made smaller")
    except OSError as e:
        print("it cannot be made smaller: %s" % e.strerror)
if how == "write":
    try:
        mmap.mmap(memory["read"], memory["size"])
        print("it could be written to")
    except (OSError, PermissionError) as e:
        print("it cannot be written to: %s" % e.strerror)
if how == "prattle":
    for i in range(2000):
        print("noise", i)
        print("    more noise", file=sys.stderr)
write("R", b'{"protocol": 1}')

def honest(payload):
    steps = struct.unpack_from("<I", payload)[0]
    answer(b"\0" + struct.pack("<Bq", 1, 5) * steps, steps)


def partly(payload):
    """Answers to everything until several steps come at once, then to the first of them only."""
    steps = struct.unpack_from("<I", payload)[0]
    if steps < 3:
        honest(payload)
        return
    answer(b"\0" + struct.pack("<Bq", 1, 5), 1)
    with open(sys.argv[2], "w") as f:
        f.write("(it was doing one of %d steps)" % (steps - 1))
    sys.exit(0)


INT = struct.pack("<BBq", 0, 1, 5)  # a mixed column with one whole number
while True:
    kind, payload = read()
    if kind == "E":
        write("K")
        break
    if how == "shape":
        answer(struct.pack("<BBcBQQqq", 0, 5, b"d", 2, 1000, 1000, 8000, 8) + struct.pack("<BI", 0, 8) + bytes(8))
    elif how == "huge":
        answer(struct.pack("<BBcBQQqq", 0, 5, b"d", 2, 1 << 40, 1 << 40, 8, 8) + struct.pack("<BI", 0, 8) + bytes(8))
    elif how == "strides":
        answer(struct.pack("<BBcBQq", 0, 5, b"B", 1, 100, -1) + struct.pack("<BI", 0, 100) + bytes(100))
    elif how == "outside":
        answer(struct.pack("<BBcBQq", 0, 5, b"B", 1, 4096, 1) + struct.pack("<BIQQ", 1, 0, memory["size"] - 100, 4096))
    elif how == "overflow":
        answer(struct.pack("<BBcBQq", 0, 5, b"B", 1, 4096, 1) + struct.pack("<BIQQ", 1, 0, (1 << 64) - 1, 4096))
    elif how == "channels":
        answer(struct.pack("<BBcBQQQqqq", 0, 6, b"B", 3, 2, 2, 9, 18, 9, 1) + struct.pack("<BI", 0, 36) + bytes(36))
    elif how == "release":
        answer(INT, released=[77])
    elif how == "many":
        answer(b"", steps=200, form=0)
    elif how == "none":
        answer(INT, steps=0)
    elif how == "kind":
        answer(struct.pack("<BB", 0, 99))
    elif how == "deep":
        answer(b"\0" + struct.pack("<BI", 9, 1) * 100 + b"\0")
    elif how == "count":
        answer(struct.pack("<I", 1 << 30) + INT, form=2)
    elif how == "short":
        answer(b"\0\1\2")
    elif how == "frame":
        write("?", b"what")
    elif how == "length":
        sock.sendall(struct.pack("<IB", 1 << 31, ord("A")))
    elif how == "text":
        answer(struct.pack("<BBI", 0, 3, 2) + b"\xff\xfe")
    elif how == "partly":
        partly(payload)
    elif how == "torn":
        sock.sendall(struct.pack("<IB", 100, ord("A")) + b"abc")
        sys.exit(0)
    elif how == "hang":
        time.sleep(1000)
    elif how == "stay":  # a grandchild holds everything open
        if os.fork() == 0:
            time.sleep(1000)
        honest(payload)
    else:
        honest(payload)
