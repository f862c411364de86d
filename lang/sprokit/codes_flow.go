package sprokit

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

var (
	shadowed = &diag.Code{
		ID: "sprokit/shadowed", Severity: diag.Warning,
		Title: "a value that is replaced before it is used",
		Doc:   "The same file sets a key twice, and no macro reads it in between. To change what an included file sets is normal and not reported.",
		Bad:   "process a :: numbers\n  end = 5\n  end = 6\nprocess s :: sink\nconnect from a.number to s.sink\n",
		Good:  "process a :: numbers\n  end = 6\nprocess s :: sink\nconnect from a.number to s.sink\n",
	}
	unusedLocal = &diag.Code{
		ID: "sprokit/unused-local", Severity: diag.Warning,
		Title: "a `:=` that no macro reads",
		Doc:   "`name := value` makes `$LOCAL{name}` available below. Nothing below uses it.",
		Bad:   "config c\n  mode := online\nprocess a :: orphan\n",
		Good:  "process a :: orphan\n",
	}
	keySign = &diag.Code{
		ID: "sprokit/key-sign", Severity: diag.Info,
		Title: "a `.` or `/` in the name of a key",
		Doc: "The format's document knows letters, digits, `_` and `-` in names, and `:` between a block and its key. Both signs are accepted, as the original program does, but " +
			"as part of the name: `a.b` is one key, and not `b` in a block `a`. Keys of processes are not reported, because algorithms have such names.",
		Bad:  "config run\n  stop.at = 3\nprocess a :: numbers\n  end = $CONFIG{run:stop.at}\nprocess b :: sink\nconnect from a.number to b.sink\n",
		Good: "config run\n  stop:at = 3\nprocess a :: numbers\n  end = $CONFIG{run:stop:at}\nprocess b :: sink\nconnect from a.number to b.sink\n",
	}
	unusedEntry = &diag.Code{
		ID: "sprokit/unused-entry", Severity: diag.Warning,
		Title: "an entry that nothing reads",
		Doc:   "The first part of a key is the name of a process, `_pipeline`, `_scheduler` or `_global`, or the key is read by a `$CONFIG{…}` below. This entry is neither, so it has no effect.",
		Bad:   "process reader :: numbers\nconfig raeder\n  end = 3\nprocess s :: sink\nconnect from reader.number to s.sink\n",
		Good:  "process reader :: numbers\nconfig reader\n  end = 3\nprocess s :: sink\nconnect from reader.number to s.sink\n",
	}
)

var (
	noSuchFile = &diag.Code{
		ID: "sprokit/no-such-file", Severity: diag.Warning,
		Title: "a data file that is not there",
		Doc: "A process reads the file when it begins, so a run refuses the pipeline. A name that begins at no root is looked for in the folder where the run starts: where a check starts in another folder than that of " +
			"the pipeline, only a name is reported that is near to that of a file. Of a name behind `relativepath` it is not always known whether the process reads it; then this is an info.",
		Bad:  "process t :: text_read\n  file_name = no-such-file.txt\nprocess s :: sink\nconnect from t.text to s.sink\n",
		Good: fine,
	}
	noFolder = &diag.Code{
		ID: "sprokit/no-folder", Severity: diag.Warning,
		Title: "a folder that cannot be written to",
		Doc:   "A run makes files, but no folders, so the process could not begin where there is none, or where its permissions do not let you make files.",
		Bad:   "process a :: numbers\nprocess p :: print_number\n  output = no-such-folder/n.txt\nconnect from a.number to p.number\n",
		Good:  fine,
	}
)

const fine = "process a :: numbers\nprocess s :: sink\nconnect from a.number to s.sink\n"

// flowCode are the codes for what the engine finds.
var flowCode = map[problem.Kind]*diag.Code{
	pipe.NoProcesses: {ID: "sprokit/no-processes", Severity: diag.Error, Title: "a pipeline without processes",
		Doc: "A pipeline needs at least one process. A file that has entries is perhaps meant to be included, so there it is a warning; call it `.conf` or `.config`.",
		Bad: "config a\n  k = 1\n", Good: fine},
	pipe.DuplicateProcess: {ID: "sprokit/duplicate-process", Severity: diag.Error, Title: "two processes of one name",
		Doc: "Processes and clusters share their names. To give a process further settings, write `config NAME`.",
		Bad: "process a :: numbers\nprocess a :: sink\n", Good: fine},
	pipe.UnknownType: {ID: "sprokit/unknown-type", Severity: diag.Warning, Title: "a process type that is not known here",
		Doc: "Most pipelines use types that live in other programs, so this is a warning; such a pipeline cannot be run here. Clusters are found in `SPROKIT_CLUSTER_PATH`, `--cluster-path` and beside the file; `--types FILE` declares others, and `pentode flow import` makes such a file from an installation.",
		Bad: "process a :: nubmers\nprocess s :: sink\nconnect from a.number to s.sink\n", Good: fine},
	pipe.UnknownProcess: {ID: "sprokit/unknown-process", Severity: diag.Error, Title: "a connection to a process that does not exist",
		Doc: "Both ends of a connection are declared with `process`, before or after it.",
		Bad: "process a :: numbers\nconnect from a.number to s.sink\n", Good: fine},
	pipe.UnknownPort: {ID: "sprokit/unknown-port", Severity: diag.Error, Title: "a port that the process does not have",
		Doc: "`connect from` names an output port, `to` an input port. `pentode flow describe TYPE` lists them. The types of KWIVER's vision processes, and those of `pentode flow import`, are declared as one version has them; there it is a warning.",
		Bad: "process a :: numbers\nprocess s :: sink\nconnect from a.nubmer to s.sink\n", Good: fine},
	pipe.PortTwice: {ID: "sprokit/port-connected-twice", Severity: diag.Error, Title: "an input port with two connections",
		Doc: "An output may be connected any number of times, an input once.",
		Bad: "process a :: numbers\nprocess b :: numbers\nprocess s :: sink\nconnect from a.number to s.sink\nconnect from b.number to s.sink\n", Good: fine},
	pipe.TypeMismatch: {ID: "sprokit/type-mismatch", Severity: diag.Error, Title: "two ports of different types",
		Doc: "Connected ports have the same type, or one of them takes any. A port that depends on the flow gets the type of its neighbour.",
		Bad: "process a :: numbers\nprocess s :: take_string\nconnect from a.number to s.string\n", Good: fine},
	pipe.TypeRefused: {ID: "sprokit/type-refused", Severity: diag.Error, Title: "a process refuses the type of its neighbour",
		Doc: "The process decides by its configuration which types it takes.",
		Bad: "process a :: numbers\nprocess f :: flow_dependent\n  reject = true\nprocess s :: sink\nconnect from a.number to f.input\nconnect from f.output to s.sink\n", Good: fine},
	pipe.UntypedPort: {ID: "sprokit/untyped-port", Severity: diag.Error, Title: "a connection whose type nothing tells",
		Doc: "Ports that depend on the flow get their type from a port that has one; somewhere the chain must begin.",
		Bad: "process a :: flow_dependent\nprocess b :: flow_dependent\nconnect from a.output to b.input\n", Good: fine},
	pipe.FlagMismatch: {ID: "sprokit/flag-mismatch", Severity: diag.Error, Title: "data that one reader would change under another",
		Doc: "Data of a const port may not be changed; data of a shared port have one reader that changes them, or only readers that do not.",
		Bad: "process a :: const\nprocess m :: mutate\nconnect from a.const to m.mutate\n", Good: fine},
	pipe.MissingConnection: {ID: "sprokit/missing-required-connection", Severity: diag.Error, Title: "a port that must be connected is not",
		Doc: "Required ports need a connection before the pipeline can run. Where a type is declared as one version of another program has it, this is a warning.",
		Bad: "process a :: numbers\n", Good: fine},
	pipe.TooFewPorts: {ID: "sprokit/too-few-ports", Severity: diag.Error, Title: "too few ports of a group",
		Doc: "Types whose ports the pipeline names need a least number of them: a `multiplexer` two inputs for each group.",
		Bad: "process a :: numbers\nprocess m :: multiplexer\nprocess s :: sink\nconnect from a.number to m.g/a\nconnect from m.g to s.sink\n", Good: fine},
	pipe.NotADAG: {ID: "sprokit/not-a-dag", Severity: diag.Error, Title: "processes that wait for each other in a circle",
		Doc: "A loop needs an input that does not wait for its data, as that of `feedback`. Through a type that is not known here a loop is a warning, because the type may have such an input.",
		Bad: "process a :: numbers\nprocess m :: multiplication\nconnect from a.number to m.factor1\nconnect from m.product to m.factor2\n", Good: fine},
	pipe.FrequencyMismatch: {ID: "sprokit/frequency-mismatch", Severity: diag.Error, Title: "data that come at different rates",
		Doc: "All ways to a process must bring data for the same number of steps.",
		Bad: "process a :: numbers\nprocess d :: duplicate\nprocess m :: multiplication\nprocess s :: sink\nconnect from a.number to d.input\nconnect from a.number to m.factor1\nconnect from d.duplicate to m.factor2\nconnect from m.product to s.sink\n", Good: fine},
	pipe.SeparateParts: {ID: "sprokit/separate-parts", Severity: diag.Warning, Title: "parts of a pipeline that are not connected",
		Doc: "The parts run side by side, which is seldom meant. The original program refuses such a pipeline.",
		Bad: "process a :: numbers\nprocess s :: sink\nconnect from a.number to s.sink\nprocess b :: numbers\nprocess t :: sink\nconnect from b.number to t.sink\n", Good: fine},
	pipe.UnknownKey: {ID: "sprokit/unknown-key", Severity: diag.Warning, Title: "a key that the process does not have",
		Doc: "The process will not look at it, so the value it was meant to set keeps its default. `pentode flow describe TYPE` lists the keys. For a type whose declaration was read from source code this is an info.",
		Bad: "process a :: numbers\n  edn = 5\nprocess s :: sink\nconnect from a.number to s.sink\n", Good: fine},
	pipe.UnknownAlgorithm: {ID: "sprokit/unknown-algorithm", Severity: diag.Error, Title: "an algorithm that is not known",
		Doc: "`KEY:type` names the algorithm that does the work. A name that is near to a known one is misspelt: an error where a catalogue lists the algorithms, as one of `pentode flow import` does. Any other name may be that of an algorithm which the catalogue did not see, so it is a warning.",
		Bad: "process d :: image_filter\n  filter:type = vxl_treshold\nprocess s :: sink\nconnect from d.image to s.sink\n", Good: fine},
	pipe.MissingKey: {ID: "sprokit/missing-key", Severity: diag.Error, Title: "a key that a process needs",
		Doc: "The key has no default that works.",
		Bad: "process a :: numbers\nprocess p :: print_number\nconnect from a.number to p.number\n", Good: fine},
	pipe.BadValue: {ID: "sprokit/bad-value", Severity: diag.Error, Title: "a value that does not fit its key",
		Doc: "Numbers, switches and choices are checked before the pipeline runs, and whether the values of a process go together. A program that is not on this machine, or an algorithm that only an installation has, is a warning. For the capacity of an edge this is a warning, because the default is used instead; under `--as upstream` also for text behind a number, which the original program ignores.",
		Bad: "process a :: numbers\n  end = many\nprocess s :: sink\nconnect from a.number to s.sink\n", Good: fine},
	pipe.ReadOnlyKey: {ID: "sprokit/read-only-key", Severity: diag.Error, Title: "a key that follows another cannot be set",
		Doc: "A key inside a cluster that takes its value from a key of the cluster is read-only.",
		Bad: "process a :: numbers\nprocess m :: multiplier_cluster\n  factor = 1\n  const:value = 3\nprocess s :: sink\nconnect from a.number to m.factor\nconnect from m.product to s.sink\n", Good: fine},
	pipe.NoSuchEdge: {ID: "sprokit/no-such-edge", Severity: diag.Warning, Title: "a configuration of edges that concerns none",
		Doc: "`_edge_by_type` names the type of the port that takes the data, `_edge_by_conn` a process, `up` or `down`, and its port.",
		Bad: "config _pipeline:_edge_by_conn\n  b:up:number:capacity = 3\n" + fine, Good: fine},
	pipe.StaticIgnored: {ID: "sprokit/static-ignored", Severity: diag.Warning, Title: "the value of a static port that is connected",
		Doc: "A connection wins over the value in the configuration.",
		Bad: "process p :: some_type_with_a_static_port\n  static/port = 1\n", Good: fine},
	pipe.NoEffect: {ID: "sprokit/no-effect", Severity: diag.Warning, Title: "a setting that changes nothing",
		Doc: "`[tunable]` at a key that the process type reads only at its start: the key cannot change while the pipeline runs. `_non_blocking` at a process without inputs: it is about edges into the process.",
		Bad: "process a :: numbers\n  end[tunable] = 5\nprocess s :: sink\nconnect from a.number to s.sink\n", Good: fine},
	pipe.MixedData: {ID: "sprokit/mixed-data", Severity: diag.Warning, Title: "data that do not belong together meet",
		Doc:  "With `_non_blocking` data are dropped before a process. Behind it the data are counted anew, so where they meet others that lost none, the fifth of one side is paired with the third of the other, and nothing shows it.",
		Bad:  "process a :: numbers\nprocess p :: pass\n  _non_blocking = 2\nprocess m :: multiplication\nprocess s :: sink\nconnect from a.number to p.pass\nconnect from p.pass to m.factor1\nconnect from a.number to m.factor2\nconnect from m.product to s.sink\n",
		Good: "process a :: numbers\nprocess p :: pass\n  _non_blocking = 2\nprocess m :: multiplication\nprocess s :: sink\nconnect from a.number to p.pass\nconnect from p.pass to m.factor1\nconnect from p.pass to m.factor2\nconnect from m.product to s.sink\n"},
	pipe.SameFile: {ID: "sprokit/same-file", Severity: diag.Error, Title: "two processes that write one file",
		Doc:  "Each process writes its file from the beginning, and the file appears when it is complete: of two with one name, one would take the place of the other. `text_write` with `append` adds to what is there.",
		Bad:  "process a :: numbers\nprocess v :: print_number\n  output = n.txt\nprocess w :: print_number\n  output = n.txt\nconnect from a.number to v.number\nconnect from a.number to w.number\n",
		Good: "process a :: numbers\nprocess v :: print_number\n  output = v.txt\nprocess w :: print_number\n  output = w.txt\nconnect from a.number to v.number\nconnect from a.number to w.number\n"},
	pipe.StateInReplicas: {ID: "sprokit/state-in-replicas", Severity: diag.Error, Title: "copies of a process that may keep state",
		Doc:  "`_replicas` lets copies of a process take turns. Only a type that declares that every step depends on its inputs alone gives the same results that way.",
		Bad:  "process a :: numbers\n  _replicas = 2\nprocess s :: sink\nconnect from a.number to s.sink\n",
		Good: "process a :: numbers\nprocess m :: multiplication\n  _replicas = 2\nprocess s :: sink\nconnect from a.number to m.factor1\nconnect from a.number to m.factor2\nconnect from m.product to s.sink\n"},
	pipe.UnknownScheduler: {ID: "sprokit/unknown-scheduler", Severity: diag.Error, Title: "a scheduler that does not exist",
		Doc:  "`_scheduler:type` is `sync`, `thread_per_process` (the default), `pythread_per_process` or `thread_pool`.",
		Bad:  "config _scheduler\n  type = threads\nprocess a :: orphan\n",
		Good: "config _scheduler\n  type = sync\nprocess a :: orphan\n"},
	pipe.SetupFailed: {ID: "sprokit/setup-failed", Severity: diag.Error, AtRun: true, Title: "a process cannot begin",
		Doc:  "The configuration has the right form, but a file, a program or a value that it names does not serve. Nothing was run.",
		Bad:  "process a :: numbers\nprocess p :: exec\n  command = no-such-program\nconnect from a.number to p.number\n",
		Good: "process a :: numbers\nprocess p :: exec\n  command = cat\nconnect from a.number to p.number\n"},
	pipe.CannotRun: {ID: "sprokit/cannot-run", Severity: diag.Error, AtRun: true, Title: "a process type that is only declared here",
		Doc: "Its ports and keys are known, so the pipeline can be checked and drawn; to run it takes a program that has the type.",
		Bad: "process a :: a_type_of_the_types_file\n", Good: fine},
}

// flowCodes lists them in the order of the engine's kinds.
func flowCodes() []*diag.Code {
	var list []*diag.Code
	for _, kind := range pipe.Kinds() {
		if code := flowCode[kind]; code != nil {
			list = append(list, code)
		}
	}
	return list
}
