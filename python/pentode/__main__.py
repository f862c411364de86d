"""`python3 -m pentode` is what a pipeline starts."""

import sys

from .serve import main

sys.exit(main(sys.argv[1:]))
