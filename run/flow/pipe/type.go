package pipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// A Type declares one kind of process. Apart from its functions it is plain data: checking, documenting or drawing a pipeline
// needs no process.
type Type struct {
	Name string
	Doc  string // one or more sentences that help users choose a type
	In   []Port
	Out  []Port // without HeartbeatPort, which every process has
	Keys []Key

	// Stateless is set if each step depends on its inputs alone, takes one datum from each and gives one to each output: copies
	// may share the work.
	Stateless bool

	Level      Level    // what the engine checks of the inputs before a step
	Properties []string // upstream's names, such as `_unsync_input`; for information

	// Needs is what this program lacks to run a type that is only declared here. Empty: the type runs.
	Needs string

	// Embedding is set if the program that embeds the pipeline carries out a type which is only declared here: such a pipeline is
	// complete, but runs only in that program.
	Embedding bool

	// Version is the program and its version that the declaration describes: `KWIVER 1.8`. Other versions have other ports and
	// keys, so using something that this version lacks is only a warning. Empty: the type is exactly as declared.
	Version string

	// Origin is the file that a declaration was read from, if known.
	Origin string

	// Span is the class that declares the type in a source; zero if no source was read.
	Span source.Span

	// OpenKeys is set if the list of keys may be incomplete, because it was read from source code.
	OpenKeys bool

	// Cluster makes the type a small pipeline; New is then nil.
	Cluster *Cluster

	// Settle decides the port types that configuration or neighbours leave open. Nil accepts every type.
	Settle func(Config, Settling) (string, error)

	// Narrow returns the ports and keys of one process if its configuration decides them. Narrow is nil, or returns nil, if they
	// are the type's own.
	Narrow func(*Node) *Type

	// Judge reports settings that each fit their key, but not together: an empty range, a name without a suffix. It sees only the
	// settings. Check and Run.Set call it, so Setup and Reconfigure need not repeat the checks.
	Judge func(Values) error

	// Lacks returns an error for settings that are right, but need something this program does not have, such as an algorithm. A
	// pipeline with such settings is checked but does not run. Nil: nothing is lacking.
	Lacks func(Values) error

	// Probe returns an error if a process needs something this machine does not have, such as an interpreter. It may run programs,
	// so only a run and its plan call it, before the first process is set up. Nil: nothing is needed.
	Probe func(*Env) error

	// Tell returns what is known about the data of an output before the run, from settings that Judge has seen and from what is
	// known about inputs. Its error reports settings that do not fit the arriving data. Nil: nothing is known.
	Tell func(output string, v Values, in func(input string) Facts) (Facts, error)

	// New makes a process of this type.
	New func() Process

	// runs is this program's type, if another program's declaration replaced it.
	runs *Type
}

// Runs returns the type of which a run makes processes: the type itself, or this program's type if another program's declaration
// replaced it. It returns nil if the type is only declared.
func (t *Type) Runs() *Type {
	switch {
	case t.runs != nil:
		return t.runs
	case t.New != nil || t.Cluster != nil:
		return t
	}
	return nil
}

// Common returns the type without the ports and keys that only one program has, so that a pipeline that uses it fits all of these
// programs. It runs as the whole type.
func (t *Type) Common() *Type {
	c := *t
	var ins, outs bool
	c.In, ins = commonPorts(t.In)
	c.Out, outs = commonPorts(t.Out)
	c.Keys = slices.DeleteFunc(slices.Clone(t.Keys), func(k Key) bool { return k.Only != "" })
	if !ins && !outs && len(c.Keys) == len(t.Keys) {
		return t
	}
	c.runs = t
	return &c
}

// commonPorts returns the ports that every program has, and whether any port differs between programs.
func commonPorts(ports []Port) (common []Port, differ bool) {
	for _, p := range ports {
		differ = differ || p.Only != "" || p.OpenIn != ""
		if p.Only != "" {
			continue
		}
		if p.OpenIn != "" {
			p.Flags |= Required
		}
		common = append(common, p)
	}
	return common, differ
}

// Missing returns why a type that is only declared does not run.
func (t *Type) Missing() string {
	if t.Needs == "" {
		return "type `" + t.Name + "` is only known by its ports and keys"
	}
	return "type `" + t.Name + "` needs " + t.Needs
}

// A Settling is a question to a type about one of its open ports.
type Settling struct {
	Port   string
	Output bool
	Want   string // type of the neighbour; empty if the process must choose by itself
}

// Level is what the engine checks of required inputs before each step.
type Level uint8

const (
	// CheckValid runs a step only when every required input has a value; the engine handles empty, error, flush and complete
	// itself. It includes CheckSync.
	CheckValid Level = iota
	// CheckSync runs a step when the data of the required inputs have equal stamps.
	CheckSync
	// CheckNone leaves all input handling to the process.
	CheckNone
)

// String returns the name that upstream uses.
func (l Level) String() string {
	switch l {
	case CheckSync:
		return "check_sync"
	case CheckNone:
		return "check_none"
	}
	return "check_valid"
}

// A Port is a place where edges attach.
//
// A name with a part in angle brackets is a pattern: the pipeline chooses the name by connecting to it. `<any>` matches any name
// that does not start with `_`, `<n>` matches digits, any other variable a text without `/`. The first variable of
// `dist/<tag>/<item>` is the port's group: the text that matches `<tag>` in the name also replaces it in the type, and ports of
// one group belong together.
type Port struct {
	Name  string
	Type  string
	Flags Flags
	Doc   string

	// Freq is the number of data that pass per step.
	Freq Freq
	// FreqKey names a key whose value is added to Freq.
	FreqKey string
	// Passes is the input whose data an output of any type passes on unchanged; a variable in angle brackets has the same text as
	// in the output's own name.
	Passes string
	// Turns is set if the ports of one group take turns: each of n ports has frequency 1/n.
	Turns bool
	// Span is the place of its name in the source that declares it; zero if no source was read.
	Span source.Span
	// Least is the number of ports of a pattern that must be connected, for each group.
	Least int
	// Only is the only program whose version of the type has the port: `VIAME`. Empty: all have it.
	Only string
	// OpenIn is the only program whose version of the type lets the port stay unconnected.
	OpenIn string
}

// Port types with a special meaning.
const (
	AnyType          = "_any"
	NoneType         = "_none"
	IntegerType      = "integer" // whole numbers, also as the value of a static port
	DataDependent    = "_data_dependent"
	FlowDependent    = "_flow_dependent/" // followed by a tag, which may be empty
	HeartbeatPort    = "_heartbeat"
	StaticPrefix     = "static/" // key of a static port's value: static/<port>
	NonBlockingKey   = "_non_blocking"
	InstrumentKey    = "_instrumentation:type"
	InstrumentPrefix = "_instrumentation:"
	DefaultCapacity  = 40
)

// Flags restrict how a port may be connected.
type Flags uint8

const (
	Required Flags = 1 << iota // must be connected
	Static                     // input: may take its value from configuration
	Mutable                    // input: the process changes the data
	NoDep                      // input: does not make the producer run first
	Const                      // output: no consumer may change the data
	Shared                     // output: one reader may change it, or many may read it
)

var flagNames = []string{"required", "static", "mutable", "nodep", "const", "shared"}

// String lists the flags as type files write them: "required,shared".
func (f Flags) String() string {
	var s []string
	for i, n := range flagNames {
		if f&(1<<i) != 0 {
			s = append(s, n)
		}
	}
	return strings.Join(s, ",")
}

// ParseFlags parses what Flags.String returns. A leading `_` is allowed.
func ParseFlags(text string) (Flags, error) {
	var f Flags
next:
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimPrefix(strings.TrimSpace(word), "_")
		if word == "" {
			continue
		}
		for i, n := range flagNames {
			if n == word {
				f |= 1 << i
				continue next
			}
		}
		return f, fmt.Errorf("`%s` is not a port flag: expected %s", word, strings.Join(flagNames, ", "))
	}
	return f, nil
}

// A Key is one configuration entry that a type understands. It is not a schema.Key: catalogues declare it as data, and it has what
// the engine needs to know of a value, for example whether it may change during a run, is a file, or names an algorithm.
type Key struct {
	Name     string
	Kind     Kind
	Default  string
	Doc      string
	Tunable  bool               // may change while the pipeline runs
	Required bool               // has no usable default
	Reads    bool               // the value is a file or folder that the process reads when it begins
	Writes   bool               // the value is a file that the process writes completely
	Runs     bool               // the value is a program or a program's argument
	Choices  []string           // the possible values; for an algorithm, of its `type`
	Only     string             // the only program whose version of the type has the key; empty: all have it
	Known    func() []Algorithm // the algorithms of this program that its `type` may name; nil: none are known
	Role     string             // what the algorithms that its `type` may name implement: `image_filter`; empty: not known
	Instead  string             // an input whose data replace the value if it is connected
}

// Kind is the form that a key's value must have.
type Kind string

const (
	String   Kind = "string"
	Int      Kind = "int"
	Unsigned Kind = "unsigned"
	Double   Kind = "double"
	Float    Kind = "float"
	Bool     Kind = "bool"
	// Algo is a key N of upstream's algorithm kind: `N:type` names an
	// implementation, `N:<implementation>:*` configures it.
	Algo Kind = "algo"
	// Any is a key N below which everything is allowed: `N`, `N:*`.
	Any Kind = "any"
)

// KeyFor finds the declaration of a process's key: a key of the type, or a key that every process has.
func (t *Type) KeyFor(name string) (*Key, bool) {
	for i := range t.Keys {
		if t.Keys[i].covers(name) {
			return &t.Keys[i], true
		}
	}
	if port, ok := strings.CutPrefix(name, StaticPrefix); ok {
		p, _ := t.FindIn(port)
		switch {
		case p == nil || p.Flags&Static == 0:
			return nil, false
		case p.Type == IntegerType:
			return &staticInteger, true
		}
		return &staticKey, true
	}
	for i := range processKeys {
		if processKeys[i].covers(name) {
			return &processKeys[i], true
		}
	}
	return nil, false
}

func (k *Key) covers(name string) bool {
	rest, ok := strings.CutPrefix(name, k.Name)
	if !ok {
		return false
	}
	switch k.Kind {
	case Algo:
		return rest == ":type" || strings.Count(rest, ":") >= 2 && rest[0] == ':'
	case Any:
		return k.Name == "" || rest == "" || rest[0] == ':'
	}
	return rest == ""
}

// ProcessKeys returns the keys that every process has.
func ProcessKeys() []Key { return append([]Key(nil), processKeys...) }

var processKeys = []Key{
	{Name: NonBlockingKey, Kind: Unsigned, Doc: "Capacity of every edge into this process; when an edge is full, data are dropped and counted, and the producer does not wait."},
	{Name: SiteKey, Kind: String, Default: MainSite, Doc: "Site that the process runs on: a name of letters, digits, - and _. A process with `_replicas` may have several sites, separated by commas."},
	{Name: ReplicasKey, Kind: Unsigned, Default: "1", Doc: "Number of copies that share the work of a stateless process; results keep their order."},
	{Name: InstrumentKey, Kind: String, Default: "none", Choices: []string{"none", "logger", "timer", "trace"}, Doc: "Observer of this process: it is told when setup, each step, a flush and the finalization begin and end."},
	{Name: "_instrumentation:logger:level", Kind: String, Default: "info", Choices: []string{"trace", "debug", "info", "warn", "error"}, Doc: "Level at which the logger writes."},
	{Name: "_instrumentation:timer:type", Kind: String, Default: "wall", Choices: []string{"wall", "cpu"}, Doc: "Clock of the timer."},
	{Name: "_instrumentation:timer:output_file", Kind: String, Doc: "File for the timer's table; empty means <process>_timing.csv, with . for the / of clusters."},
	{Name: "_instrumentation:trace:policy", Kind: String, Doc: "PInsight file that decides which events are written."},
	{Name: "_instrumentation:trace:output_file", Kind: String, Doc: "File for the events; empty means the trace of the whole run."},
}

var (
	staticKey     = Key{Name: StaticPrefix + "<port>", Kind: String, Doc: "Value of a static input port that is not connected."}
	staticInteger = Key{Name: staticKey.Name, Kind: Int, Doc: staticKey.Doc}
)

// Keys that decide where a process runs.
const (
	SiteKey  = "_site"
	MainSite = "main" // the site of processes that name none
)

// ReplicasKey sets how many copies of a process work side by side.
const ReplicasKey = "_replicas"
