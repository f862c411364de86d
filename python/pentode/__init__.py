"""Processes of pipelines, written in Python.

A process is a class with ports, keys and a step::

    from pentode import Process, key, port, run

    class Scale(Process):
        \"\"\"Multiplies each number.\"\"\"

        number = port.input("integer")
        product = port.output("integer")
        factor = key(int, 2, "The number to multiply by.", tunable=True)

        def step(self, number):
            return self.factor * number

    run(Scale)

The pipeline runs the class in a separate interpreter. The output of the class
goes to the pipeline's log.
"""

from .process import EMPTY, FLUSH, Complete, Error, Process, key, port
from .serve import run

__version__ = "0.1.0"

__all__ = ["EMPTY", "FLUSH", "Complete", "Error", "Process", "key", "port", "run"]
