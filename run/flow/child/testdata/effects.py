"""Processes for tests."""

import logging
import os
import signal
import sys
import time

from pentode import EMPTY, Complete, Error, Process, key, port, run


class Scale(Process):
    """Multiplies each number."""

    number = port.input("integer")
    product = port.output("integer")
    factor = key(int, 2, "The number to multiply by.", tunable=True)
    fixed = key(str, "a", "Cannot change.")

    def step(self, number):
        if self.factor == 7:
            raise ValueError("7 is too much")
        return self.factor * number

    def prepare(self, changed):
        if changed.get("factor", 0) < 0:
            raise ValueError("a negative factor is refused")

    def reconfigure(self, changed):
        if self.factor == 13:
            raise ValueError("13 brings bad luck")


class Count(Process):
    """Counts up to a limit; a source that completes by itself."""

    number = port.output("integer")
    limit = key(int, 3, "How far.")

    def setup(self):
        self.next = 0

    def step(self):
        if self.next == self.limit:
            raise Complete
        self.next += 1
        return self.next


class Sum(Process):
    """Adds up; a sink that prints, with state."""

    number = port.input("integer")

    def setup(self):
        self.total = 0

    def step(self, number):
        self.total += number

    def finish(self):
        print("the sum is %d" % self.total)
        logging.getLogger("elsewhere").info("a module says so")
        self.log.warning("summed up")


class Repeat(Process):
    """Pushes each number as often as it says; ends with the first above 3."""

    number = port.input("integer")
    out = port.output("integer", name="number")

    def step(self, number):
        if number > 3:
            self.complete()
        for _ in range(number):
            yield number

    def finish(self):
        self.out.push(-1)


class Split(Process):
    """Several outputs."""

    number = port.input("integer")
    half = port.output("double")
    word = port.output("string")

    def step(self, number):
        if number == 1:
            return number / 2, "one"
        if number == 2:
            return {"word": Error("no word")}
        return EMPTY, None


class Identity(Process):
    """Gives back what it gets."""

    value = port.input()
    out = port.output(name="value")

    def step(self, value):
        return value


class Frame(Process):
    """Gives back an image, as a copy if asked to."""

    image = port.input("kwiver:image")
    out = port.output("kwiver:image", name="image")
    copy = key(bool, False, "Whether to copy.")

    def step(self, image):
        return image.copy() if self.copy else image


class Keep(Process):
    """Keeps frames and compares them at the end with what they were."""

    image = port.input("kwiver:image")

    def setup(self):
        self.kept = []

    def step(self, image):
        if image.flags.writeable:
            raise ValueError("a frame can be changed")
        self.kept.append((image[10:, 10:], image[10:, 10:].copy()))

    def finish(self):
        for view, copy in self.kept:
            if not (view == copy).all():
                raise ValueError("a frame has changed")
        print("kept %d frames" % len(self.kept))


class Bad(Process):
    """Misbehaves."""

    number = port.input("integer")
    out = port.output("integer")
    how = key(str, "raise", "How.")

    def step(self, number):
        if self.how == "raise" and number == 3:
            return self.fails(number)
        if self.how == "exit" and number == 3:
            os._exit(7)
        if self.how == "kill" and number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "hang" and number == 3:
            time.sleep(1000)
        if self.how == "type":
            return object()
        if self.how == "large":
            return 1 << 70
        if self.how == "print":
            print("number %d" % number)
            print("    indented", file=sys.stderr)
        return number

    def fails(self, number):
        raise ValueError("three is too many")


class Import(Process):
    """Cannot be set up."""

    number = port.input("integer")

    def setup(self):
        raise RuntimeError("no model here")

    def step(self, number):
        pass


class Detect(Process):
    """Finds one object in each image."""

    image = port.input("kwiver:image")
    found = port.output("kwiver:detected_object_set", name="detected_object_set")
    name = key(str, "thing", "What it is called.")

    def step(self, image):
        from pentode.types import BoundingBox, DetectedObject, DetectedObjectSet, DetectedObjectType

        box = BoundingBox(1, 2, image.shape[1], image.shape[0])
        return DetectedObjectSet([DetectedObject(box, 0.5, DetectedObjectType(self.name, 0.75))])


run(Scale)


class Lenient(Process):
    """Doubles what comes to inputs that may all stay open."""

    number = port.input("integer", required=False)
    other = port.input("integer", required=False)
    out = port.output("integer")

    def step(self, number, other):
        return 2 * (number or 0) + (other or 0)
