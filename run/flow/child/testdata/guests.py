"""Processes as they are written for KWIVER."""

from kwiver.sprokit.pipeline import process


class Adder(process.PythonProcess):
    """Adds the numbers of ports that it declares in a loop."""

    def __init__(self, conf):
        process.PythonProcess.__init__(self, conf)
        flags = process.PortFlags()
        flags.add(self.flag_required)
        for i in range(2):
            self.declare_input_port("number%d" % i, "integer", flags, "A number.")
        self.declare_output_port("sum", "integer", process.PortFlags(), "Their sum.")

    def _step(self):
        total = sum(self.grab_value_from_port("number%d" % i) for i in range(2))
        self.push_value_to_port("sum", total)
        self._base_step()
