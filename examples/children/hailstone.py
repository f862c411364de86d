"""Answers each number with the length of its hailstone sequence."""

import json
import sys

for line in sys.stdin:
    n = json.loads(line)["number"]
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    print(json.dumps({"steps": steps}), flush=True)

print("no numbers left", file=sys.stderr)
