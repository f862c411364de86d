"""Tests of the binary form of data."""

import gc
import math
import unittest

from pentode import EMPTY, FLUSH, Error
from pentode.types import RECORDS, BoundingBox, DetectedObject, DetectedObjectSet, DetectedObjectType, Timestamp
from pentode.wire import Decoder, Encoder, Memory, Room, Tensor, WireError, numpy


def back(value, image=False):
    e = Encoder()
    e.value(value, image)
    d = Decoder(bytes(e.out), None, RECORDS)
    result = d.value()
    assert d.at == len(e.out)
    return result


class WireTest(unittest.TestCase):
    def test_values(self):
        for v in (None, True, 0, -1, 1 << 62, 1.5, math.inf, "täxt", b"\0b", [1, [2.5, "x"]], {"a": {"b": [None]}}):
            self.assertEqual(back(v), v)
        self.assertTrue(math.isnan(back(math.nan)))
        self.assertEqual(back(Error("why")), Error("why"))
        self.assertIs(back(FLUSH), FLUSH)
        self.assertIsNone(back(EMPTY))

    def test_columns(self):
        for column in ([1, 2, 3], [1.5, 2.5], [1, 2.5, "x"], [True, 1], [], ["a"]):
            e = Encoder()
            e.column(column)
            got = Decoder(bytes(e.out)).column(len(column))
            self.assertEqual([(type(v), v) for v in got], [(type(v), v) for v in column])

    def test_what_has_no_form(self):
        for v in (object(), 1 << 64, [Error("inside")]):
            with self.assertRaises(WireError):
                back(v)
        deep = []
        for _ in range(100):
            deep = [deep]
        with self.assertRaises(WireError):
            back(deep)

    def test_records(self):
        found = DetectedObject(BoundingBox(1, 2, 3, 4), 0.5, DetectedObjectType(["cat", "dog"], [0.2, 0.8]))
        again = back(DetectedObjectSet([found]))
        self.assertEqual(again[0].bounding_box, found.bounding_box)
        self.assertEqual(again[0].type.get_most_likely_class(), "dog")
        self.assertEqual(back(Timestamp(1500000, 7)), Timestamp(1500000, 7))

    def test_tensor_without_numpy(self):
        t = Tensor("H", (2, 3), bytes(12))
        e = Encoder()
        e.value(t)
        self.assertEqual(back(t) if numpy() is None else bytes(back(t).tobytes()), t if numpy() is None else t.data)


@unittest.skipIf(numpy() is None, "numpy is not installed")
class ArrayTest(unittest.TestCase):
    def setUp(self):
        self.np = numpy()

    def test_kinds_and_orders(self):
        np = self.np
        for dtype in "?bBhHiIqQefd":
            a = np.arange(24).reshape(2, 3, 4).astype(dtype)
            for v in (a, a[:, ::-1], a.T, a.astype(a.dtype.newbyteorder(">")), a[:0]):
                got = back(v)
                self.assertTrue((got == v).all() and got.shape == v.shape, (dtype, v.shape))
                self.assertFalse(got.flags.writeable)
        with self.assertRaises(WireError):
            back(np.zeros(3, complex))

    def test_scalars(self):
        self.assertEqual(back(self.np.int32(5)), 5)
        self.assertEqual(back(self.np.float32(0.5)), 0.5)

    def test_grey_images_have_two_dimensions(self):
        a = self.np.zeros((4, 5), self.np.uint8)
        self.assertEqual(back(a, True).shape, (4, 5))
        self.assertEqual(back(a[:, :, None], True).shape, (4, 5))
        self.assertEqual(back(self.np.zeros((4, 5, 3), self.np.uint8), True).shape, (4, 5, 3))

    def test_memory(self):
        np = self.np
        shared = bytearray(1 << 20)
        a = np.arange(40000, dtype=np.uint16).reshape(200, 200)
        writer = Encoder(Room(memoryview(shared)))
        writer.value(a)
        self.assertLess(len(writer.out), 100)
        # The pipeline assigns block numbers, not the writer.
        data = bytearray(writer.out)
        data[-20:-16] = (9).to_bytes(4, "little")
        memory = Memory(memoryview(shared).toreadonly())
        got = Decoder(bytes(data), memory).value()
        self.assertTrue((got == a).all())
        part = got[10:20, ::2]
        del got
        gc.collect()
        self.assertEqual(list(memory.released), [])
        again = Encoder(None, memory)
        again.value(np.ascontiguousarray(part))
        del part
        gc.collect()
        self.assertEqual(list(memory.released), [9])

    def test_full_memory(self):
        a = self.np.zeros(100000, self.np.uint8)
        e = Encoder(Room(memoryview(bytearray(1000))))
        e.value(a)
        self.assertGreater(len(e.out), 100000)


if __name__ == "__main__":
    unittest.main()
