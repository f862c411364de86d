"""Tests of pipelines in a Python program. They need the program, whose path is in PENTODE_PROGRAM."""

import io
import os
import tempfile
import threading
import unittest

from pentode import kwiver
from pentode.wire import numpy

kwiver.install()

from kwiver.sprokit.adapters import adapter_data_set, embedded_pipeline  # noqa: E402
from kwiver.sprokit.pipeline import datum, edge, pipeline, process, process_cluster  # noqa: E402
from kwiver.sprokit.pipeline import process_factory, scheduler_factory, stamp, version  # noqa: E402
from kwiver.sprokit.pipeline_util import bake, export_, load  # noqa: E402
from kwiver.vital.config import Config  # noqa: E402
from kwiver.vital.types import BoundingBox, DetectedObject, DetectedObjectSet, ImageContainer, Timestamp  # noqa: E402

ROUND = """
process in :: input_adapter
process out :: output_adapter
connect from in.a to out.x
connect from in.b to out.y
"""

HALVES = """
process in :: input_adapter
process halves :: split_image
process out :: output_adapter
connect from in.image to halves.image
connect from halves.left_image to out.left
"""

PRODUCT = """
process one :: numbers
  end = 4
process two :: numbers
  start = 10
  end = 14
process end :: multiplication
process sink :: print_number
  output = OUT
connect from one.number to end.factor1
connect from two.number to end.factor2
connect from end.product to sink.number
"""

TIMES = """
cluster times
  -- Multiplies by a number.
  factor = 20
  -- The number.
  imap from number to multiply.factor1
  -- What to multiply.
  omap from multiply.product to product
  -- The product.

process const
  :: const_number
  value[ro] = $CONFIG{times:factor}

process multiply
  :: multiplication

connect from const.number
        to   multiply.factor2
"""


class Count(process.PythonProcess):
    """A counter that remembers the calls to it."""

    def __init__(self, conf, name="count"):
        conf.set_value("_name", name)
        process.PythonProcess.__init__(self, conf)
        self.life = []
        required = process.PortFlags()
        required.add(self.flag_required)
        self.declare_configuration_key("end", "3", "Where to end.")
        self.declare_output_port("number", "integer", required, "A number.")

    def _configure(self):
        self.life.append("configure")
        self.next, self.end = 0, int(self.config_value("end"))

    def _step(self):
        if self.next == self.end:
            self.mark_process_as_complete()
            self.push_datum_to_port("number", datum.complete())
            return
        self.push_datum_to_port("number", datum.new_int(self.next))
        self.next += 1

    def _finalize(self):
        self.life.append("finalize")


class Collect(process.PythonProcess):
    def __init__(self, conf, name="collect"):
        conf.set_value("_name", name)
        process.PythonProcess.__init__(self, conf)
        self.found = []
        required = process.PortFlags()
        required.add(self.flag_required)
        self.declare_input_port("number", "integer", required, "A number.")

    def _step(self):
        self.found.append(self.grab_value_from_port("number"))
        if self.found[-1] == 1000:
            raise ValueError("a thousand is too much")


def embedded(text):
    made = embedded_pipeline.EmbeddedPipeline()
    made.build_pipeline(io.StringIO(text))
    return made


def data(**values):
    made = adapter_data_set.AdapterDataSet.create()
    for port, value in values.items():
        made[port] = value
    return made


@unittest.skipIf("PENTODE_PROGRAM" not in os.environ, "PENTODE_PROGRAM names no program")
class EmbeddedTest(unittest.TestCase):
    def test_data_there_and_back(self):
        made = embedded(ROUND)
        self.assertEqual((made.input_port_names(), made.output_port_names()), (["a", "b"], ["x", "y"]))
        with self.assertRaisesRegex(RuntimeError, "has not been started"):
            made.wait()
        made.start()
        found = DetectedObjectSet([DetectedObject(BoundingBox(1, 2, 3, 4), 0.5)])
        for a, b in ((1, "one"), (found, Timestamp(7, 3)), (2.5, [1, 2])):
            made.send(data(a=a, b=b))  # receives each result before it sends the next set
            got = made.receive()
            if isinstance(a, DetectedObjectSet):
                self.assertEqual(got["x"][0].bounding_box, found[0].bounding_box)
            else:
                self.assertEqual(got["x"], a)
            self.assertEqual(list(got["y"]) if isinstance(b, list) else got["y"], b)
        made.send(data(a=3))  # a port without a value gets an empty datum
        self.assertEqual(dict(made.receive())["y"].type(), datum.DatumType.empty)
        made.send_end_of_input()
        self.assertTrue(made.receive().is_end_of_data() and made.at_end() and made.receive().is_end_of_data())
        made.wait()
        with self.assertRaisesRegex(RuntimeError, "has ended"):
            made.send(data(a=1))

    @unittest.skipIf(numpy() is None, "numpy is not installed")
    def test_images(self):
        np = numpy()
        made = embedded(HALVES)
        made.start()
        whole = np.arange(8 * 6 * 3, dtype=np.uint8).reshape(6, 8, 3)
        made.send(data(image=ImageContainer.fromarray(whole)))
        left = made.receive()["left"]
        self.assertIsInstance(left, ImageContainer)
        self.assertEqual(left.asarray()[:, :, :3].tolist(), whole[:, :4].tolist())
        made.send_end_of_input()
        self.assertTrue(made.receive().is_end_of_data())

    def test_mistakes(self):
        with self.assertRaisesRegex(RuntimeError, "expected `::` and a type"):
            embedded("process broken")
        made = embedded(ROUND)
        made.start()
        made.send(data(a=1, z=2))
        with self.assertRaisesRegex(RuntimeError, "data for port `z`, which is not connected"):
            made.receive()
        made = embedded("process n :: numbers\nprocess s :: sink\nconnect from n.number to s.sink\n")
        with self.assertRaisesRegex(RuntimeError, "has no `input_adapter`"):
            made.input_port_names()

    def test_stop(self):
        made = embedded(ROUND)
        made.start()
        made.send(data(a=1))
        self.assertEqual(made.receive()["x"], 1)
        made.stop()
        self.assertTrue(made.at_end())
        made.wait()

    def test_processes_of_this_program(self):
        for name in scheduler_factory.types():
            count, collect = Count(Config({"end": "5"})), Collect(Config())
            made = pipeline.Pipeline()
            for p in (count, collect, process_factory.create_process("multiplication", "times")):
                made.add_process(p)
            two = process_factory.create_process("const_number", "two", Config({"value": "2"}))
            made.add_process(two)
            made.connect("count", "number", "times", "factor1")
            made.connect("two", "number", "times", "factor2")
            made.connect("times", "product", "collect", "number")
            made.setup_pipeline()
            run = scheduler_factory.create_scheduler(name, made)
            run.start()
            run.wait()
            self.assertEqual((collect.found, count.life), ([0, 2, 4, 6, 8], ["configure", "finalize"]), name)

    def test_failure_of_this_program(self):
        made = pipeline.Pipeline()
        made.add_process(Count(Config({"end": "1001"})))
        made.add_process(Collect(Config()))
        made.connect("count", "number", "collect", "number")
        made.setup_pipeline()
        run = scheduler_factory.create_scheduler("pythread_per_process", made)
        run.start()
        with self.assertRaisesRegex(RuntimeError, "a thousand is too much"):
            run.wait()

    def test_pipeline(self):
        made = pipeline.Pipeline()
        with self.assertRaisesRegex(RuntimeError, "has no processes"):
            made.setup_pipeline()
        count, collect = Count(Config()), Collect(Config())
        made.reset()
        made.add_process(count)
        made.add_process(collect)
        with self.assertRaisesRegex(RuntimeError, "has a process `count` already"):
            made.add_process(count)
        with self.assertRaisesRegex(RuntimeError, "has no process `missing`"):
            made.connect("missing", "number", "collect", "number")
        made.connect("count", "number", "collect", "number")
        made.setup_pipeline()
        self.assertTrue(made.is_setup() and made.setup_successful())
        self.assertEqual((made.upstream_for_process("collect"), made.downstream_for_port("count", "number")), ([count], [collect]))
        self.assertEqual(made.sender_for_port("collect", "number").getAddr(), ("count", "number"))
        self.assertIs(made.edge_for_connection("count", "number", "collect", "number").upstream, count)
        with self.assertRaisesRegex(RuntimeError, "reset it first"):
            made.remove_process("count")
        made.reset()
        made.remove_process("count")
        self.assertEqual((list(made.process_names()), len(made.connections_from_addr("count", "number"))), (["collect"], 0))
        with self.assertRaisesRegex(RuntimeError, "process type `no_such_type` is unknown"):
            process_factory.create_process("no_such_type", "x")

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "product.pipe"), os.path.join(folder, "out.txt")
            with open(path, "w") as f:
                f.write(PRODUCT.replace("OUT", out))
            blocks = load.load_pipe_file(path)
            self.assertEqual([b.process.name for b in blocks if b.process], ["one", "two", "end", "sink"])
            self.assertEqual([b.connect.to for b in blocks if b.connect][0], ("end", "factor1"))
            self.assertEqual(bake.extract_configuration(blocks).get_value("two:start"), "10")
            made = bake.bake_pipe_file(path)
            made.setup_pipeline()
            drawn = io.StringIO()
            export_.export_dot(drawn, made, "product")
            self.assertIn("digraph", drawn.getvalue())
            run = scheduler_factory.create_scheduler("thread_per_process", made)
            run.start()
            run.wait()
            with open(out) as f:
                self.assertEqual(f.read().split(), ["0", "11", "24", "39"])

    def test_clusters(self):
        info = bake.bake_cluster(io.StringIO(TIMES))
        bake.register_cluster(info)
        for settings, want in (({}, [0, 20, 40]), ({"factor": "3"}, [0, 3, 6])):
            collect = Collect(Config())
            made = pipeline.Pipeline()
            cluster = process_factory.create_process("times", "t", Config(settings))
            self.assertIs(process_cluster.cluster_from_process(cluster), cluster)
            for p in (Count(Config()), cluster, collect):
                made.add_process(p)
            self.assertEqual(list(made.cluster_names()), ["t"])
            made.connect("count", "number", "t", "number")
            made.connect("t", "product", "collect", "number")
            made.setup_pipeline()
            run = scheduler_factory.create_scheduler("pythread_per_process", made)
            run.start()
            run.wait()
            self.assertEqual(collect.found, want)


class PartsTest(unittest.TestCase):
    def test_edge(self):
        made = edge.Edge(Config({"capacity": "1"}))
        first, second = edge.EdgeDatum(datum.new(1), stamp.new_stamp(1)), edge.EdgeDatum(datum.new(2), stamp.new_stamp(1))
        made.push_datum(first)
        self.assertTrue(made.full_of_data())
        waits = threading.Thread(target=made.push_datum, args=(second,))
        waits.start()
        self.assertIs(made.get_datum(), first)
        waits.join()
        self.assertIs(made.peek_datum(), second)
        made.mark_downstream_as_complete()
        made.push_datum(first)
        self.assertEqual((made.datum_count(), made.is_downstream_complete()), (0, True))

    def test_scheduler_of_ones_own(self):
        class Mine(scheduler_factory.Scheduler):
            life = []

            def _start(self):
                self.life.append("start")

        scheduler_factory.add_scheduler("mine", "Does nothing.", Mine)
        made = scheduler_factory.create_scheduler("mine", pipeline.Pipeline())
        made.start()
        made.wait()
        self.assertEqual((Mine.life, scheduler_factory.description("mine")), (["start"], "Does nothing."))
        with self.assertRaisesRegex(RuntimeError, "there is no scheduler `other`"):
            scheduler_factory.create_scheduler("other", pipeline.Pipeline())

    def test_version(self):
        self.assertTrue(version.runtime.check(1, 7, 9))
        self.assertFalse(version.compile.check(2, 0, 0))

    def test_data_sets(self):
        made = data(a=1)
        made["a"] = "again"
        self.assertEqual((made["a"], len(made), made.empty()), ("again", 1, False))
        with self.assertRaisesRegex(RuntimeError, "has no port `b`"):
            made["b"]
        with self.assertRaises(TypeError):
            made["c"] = None


if __name__ == "__main__":
    unittest.main()
