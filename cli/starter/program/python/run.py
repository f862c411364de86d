"""A drop falls on a membrane. Each frame is one line of JSON, which the pipeline reads."""

import json
from math import exp

SIZE, FRAMES, EVERY = 32, 16, 4  # as in the tree
INSIDE = range(1, SIZE - 1)


def step(now, before):
    """The next moment; the edge does not move."""
    after = [[0.0] * SIZE for _ in range(SIZE)]
    for r in INSIDE:
        for c in INSIDE:
            around = now[r - 1][c] + now[r + 1][c] + now[r][c - 1] + now[r][c + 1]
            after[r][c] = 2 * now[r][c] - before[r][c] + 0.25 * (around - 4 * now[r][c])
    return after


def main():
    now = [[0.0] * SIZE for _ in range(SIZE)]
    for r in INSIDE:
        for c in INSIDE:
            now[r][c] = exp(-((r - 10) ** 2 + (c - 14) ** 2) / 6)
    before = now
    for i in range(FRAMES * EVERY):
        if i % EVERY == 0:
            field = [[round(v, 6) for v in row] for row in now]
            print(json.dumps({"frame": i // EVERY, "field": field}), flush=True)  # each frame at once
        before, now = now, step(now, before)


main()
