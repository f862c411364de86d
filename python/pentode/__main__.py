"""The program `python3 -m pentode`, which a pipeline starts."""

import sys

from .serve import main

sys.exit(main(sys.argv[1:]))
