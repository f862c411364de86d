"""Tests of the parts of a process."""

import unittest

from pentode import EMPTY, Complete, Error, Process, key, port
from pentode.serve import find_class, summary
from pentode.testing import feed


class Scale(Process):
    """Multiplies each number."""

    number = port.input("integer", doc="A number.")
    product = port.output("integer")
    factor = key(int, 2, "The number to multiply by.", tunable=True)

    def step(self, number):
        return self.factor * number


class Named(Scale):
    """A class with a second output and a second key."""

    word = port.output("string", name="text")
    unit = key(str, "m", choices=["m", "km"])

    def step(self, number):
        return {"word": "%d %s" % (number, self.unit)}


class Source(Process):
    number = port.output("integer")
    exact = key(bool, False)

    def setup(self):
        self.left = 3

    def step(self):
        if not self.left:
            raise Complete
        self.left -= 1
        if self.left == 1:
            return Error("one is missing")
        return self.left if self.exact else None


class Pushing(Process):
    a = port.input()
    b = port.input(required=False)
    out = port.output()

    def step(self, a, b):
        for _ in range(a):
            self.out.push((a, b))
        if a == 3:
            self.complete()

    def finish(self):
        self.out.push("end")


class ProcessTest(unittest.TestCase):
    def test_filter(self):
        self.assertEqual(feed(Scale, {"number": [1, 2]}, factor=3), {"product": [3, 6]})

    def test_several_outputs(self):
        out = feed(Named, {"number": [1]}, unit="km")
        self.assertEqual(out, {"product": [EMPTY], "text": ["1 km"]})

    def test_source(self):
        self.assertEqual(feed(Source, exact="yes"), {"number": [2, Error("one is missing"), 0]})
        self.assertEqual(feed(Source), {"number": [EMPTY, Error("one is missing"), EMPTY]})

    def test_pushes(self):
        out = feed(Pushing, {"a": [0, 2, 3, 4]})
        self.assertEqual(out["out"], [EMPTY] + [(2, None)] * 2 + [(3, None)] * 3 + ["end"])

    def test_keys(self):
        with self.assertRaisesRegex(ValueError, "key `factor` is `x`, but must be a whole number"):
            feed(Scale, {"number": []}, factor="x")
        with self.assertRaisesRegex(ValueError, "key `unit` is `cm`, but must be one of m, km"):
            feed(Named, {"number": []}, unit="cm")
        with self.assertRaisesRegex(ValueError, "must be true or false"):
            feed(Source, exact="maybe")

    def test_tunable(self):
        p = Named()
        p.configure({"factor": "3"})
        self.assertEqual(p.configure({"factor": "4"}, tunable_only=True), {"factor": 4})
        with self.assertRaisesRegex(ValueError, "key `unit` cannot change"):
            p.configure({"factor": "5", "unit": "km"}, tunable_only=True)
        self.assertEqual(p.factor, 4)

    def test_parameters(self):
        class Wrong(Scale):
            def step(self, nmber):
                pass

        with self.assertRaisesRegex(TypeError, "a parameter `nmber`, which is not an input port"):
            Wrong.parameters()

    def test_input_cannot_push(self):
        with self.assertRaises(TypeError):
            Scale().number.push(1)

    def test_find_class(self):
        with self.assertRaisesRegex(ImportError, "module `json` has no class `Nothing`"):
            find_class("json.Nothing")
        with self.assertRaisesRegex(ImportError, "expected MODULE.CLASS"):
            find_class("json")

    def test_summary(self):
        self.assertIn("input number (integer) A number.", summary(Scale))


if __name__ == "__main__":
    unittest.main()
