package pipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// A Type declares one kind of process. It is plain data apart from New and
// Settle: to check, document or draw a pipeline takes no process.
type Type struct {
	Name string
	Doc  string // one or more sentences for people who choose a type
	In   []Port
	Out  []Port // without HeartbeatPort, which every process has
	Keys []Key

	// Stateless is set where each step depends on its inputs alone, takes one
	// datum of each and gives one to each output: copies may share the work.
	Stateless bool

	Level      Level    // what must hold of the inputs before a step
	Properties []string // upstream's names: `_unsync_input`, …; for information

	// Needs is what is missing to run a type that is only declared here.
	// Empty: it runs.
	Needs string

	// Embedding is set where the program that embeds a pipeline stands behind a type which is only
	// declared here: such a pipeline is complete, and it runs in that program alone.
	Embedding bool

	// Version is the program and its version that the declaration describes:
	// `KWIVER 1.8`. Other versions have other ports and keys, so what this one
	// lacks is a warning. Empty: the type is exactly as declared.
	Version string

	// Origin is the file that a declaration was read from, where it is known.
	Origin string

	// Span is the class that a source declares the type with; zero where none was read.
	Span source.Span

	// OpenKeys is set where the list of keys may be incomplete, because it was
	// read from source code.
	OpenKeys bool

	// Cluster makes the type a small pipeline of its own; New is then nil.
	Cluster *Cluster

	// Settle decides the port types that configuration or neighbours leave
	// open. Nil accepts every type.
	Settle func(Config, Settling) (string, error)

	// Narrow gives the ports and keys of one process where its configuration
	// decides them. It is nil, or gives nil, where they are those of the type.
	Narrow func(*Node) *Type

	// Judge reports settings that fit their keys each, but not the process: a
	// range that is empty, a name without an ending. It sees only the settings;
	// Check and Run.Set call it, so Setup and Reconfigure need not look again.
	Judge func(Values) error

	// Lacks is the error of settings that are right, but need what is not part of this
	// program: an algorithm. A pipeline with them is checked and not run. Nil: nothing.
	Lacks func(Values) error

	// Probe is the error of a process that needs what this machine does not have: an
	// interpreter. It may run programs, so only a run and its plan call it, before the first
	// process is set up. Nil: nothing is needed.
	Probe func(*Env) error

	// Tell says what is known of the data of an output before the run, from settings that
	// Judge has seen and from what is known of inputs. Its error is one of settings that
	// do not go with what arrives. Nil: nothing is known.
	Tell func(output string, v Values, in func(input string) Facts) (Facts, error)

	// New makes a process of this type.
	New func() Process

	// runs is the type of this program behind the declaration of another one.
	runs *Type
}

// Runs returns the type that a run makes processes of: the type itself, or
// that of this program behind the declaration of another one. It is nil where
// the type is only declared.
func (t *Type) Runs() *Type {
	switch {
	case t.runs != nil:
		return t.runs
	case t.New != nil || t.Cluster != nil:
		return t
	}
	return nil
}

// Common is the type without the ports and keys that one program alone has: what a
// pipeline for any of them may use. It runs as the whole type.
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

// commonPorts are the ports as every program has them, and whether that is a difference.
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

// Missing is the reason why a type that is only declared does not run.
func (t *Type) Missing() string {
	if t.Needs == "" {
		return "type `" + t.Name + "` is known by its ports and keys only"
	}
	return "type `" + t.Name + "` needs " + t.Needs
}

// A Settling asks a type about one of its open ports.
type Settling struct {
	Port   string
	Output bool
	Want   string // type the neighbour has; empty when the process must choose by itself
}

// Level is what the engine verifies of required inputs before each step.
type Level uint8

const (
	// CheckValid runs a step only when every required input holds data; it
	// handles empty, error, flush and complete itself. It includes CheckSync.
	CheckValid Level = iota
	// CheckSync runs a step when the required inputs carry equal stamps.
	CheckSync
	// CheckNone leaves all input handling to the process.
	CheckNone
)

// String gives the name that upstream uses.
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
// A name with a part in angle brackets is a pattern: the pipeline chooses the
// name by connecting to it. `<any>` stands for any name that does not start
// with `_`, `<n>` for digits, every other one for a text without `/`. The
// first such part of `dist/<tag>/<item>` is the port's group: what stands for
// `<tag>` in the name stands for it in the type too, and ports of one group
// belong together.
type Port struct {
	Name  string
	Type  string
	Flags Flags
	Doc   string

	// Freq is how many data pass per step.
	Freq Freq
	// FreqKey names a key whose value is added to Freq.
	FreqKey string
	// Passes is the input whose data an output of any type hands on as they are; a part in angle brackets is that of its own name.
	Passes string
	// Turns is set where the ports of one group take turns: each of n has
	// frequency 1/n.
	Turns bool
	// Span is the place of its name in the source that declares it; zero where
	// none was read.
	Span source.Span
	// Least is how many ports of a pattern must be connected, for each group.
	Least int
	// Only is the program whose version of the type alone has the port: `VIAME`. Empty: all have it.
	Only string
	// OpenIn is the program whose version of the type alone lets the port stay unconnected.
	OpenIn string
}

// Port types with a meaning of their own.
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

// String lists the flags as they are written in type files: "required,shared".
func (f Flags) String() string {
	var s []string
	for i, n := range flagNames {
		if f&(1<<i) != 0 {
			s = append(s, n)
		}
	}
	return strings.Join(s, ",")
}

// ParseFlags reads what Flags.String writes. A leading `_` is allowed.
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

// A Key is one configuration entry that a type understands. It is no schema.Key: catalogues declare it as data, and it says
// what the engine needs of a value: whether it may change during a run, is a file, or names an algorithm.
type Key struct {
	Name     string
	Kind     Kind
	Default  string
	Doc      string
	Tunable  bool               // may change while the pipeline runs
	Required bool               // has no default that works
	Reads    bool               // the value is the name of a file or folder that the process reads when it begins
	Writes   bool               // the value is the name of a file that the process writes, all of it
	Runs     bool               // the value is a program, or goes to one as an argument
	Choices  []string           // what the value may be; of an algorithm, its `type`
	Only     string             // the program whose version of the type alone has the key; empty: all have it
	Known    func() []Algorithm // the algorithms of this program that its `type` may name; nil: none are known
	Role     string             // what the algorithm implements that its `type` names: `image_filter`; empty: not known
	Instead  string             // an input whose data take the place of the value, where it is connected
}

// Kind is what a key's value must look like.
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
	// Any is a key N under which everything is allowed: `N`, `N:*`.
	Any Kind = "any"
)

// KeyFor finds the declaration that covers a key of a process: an own key of
// the type, or one that every process has.
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

// ProcessKeys are the keys that every process has.
func ProcessKeys() []Key { return append([]Key(nil), processKeys...) }

var processKeys = []Key{
	{Name: NonBlockingKey, Kind: Unsigned, Doc: "Capacity of every edge into this process; data that find it full are dropped and counted instead of making the producer wait."},
	{Name: SiteKey, Kind: String, Default: MainSite, Doc: "Site that the process runs on: a name of letters, digits, - and _. One with `_replicas` may have several, with commas between them."},
	{Name: ReplicasKey, Kind: Unsigned, Default: "1", Doc: "Number of copies that share the work of a process without state; results come in order."},
	{Name: InstrumentKey, Kind: String, Default: "none", Choices: []string{"none", "logger", "timer", "trace"}, Doc: "Who is told when this process begins and ends a part of its life."},
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

// Keys that say where a process runs.
const (
	SiteKey  = "_site"
	MainSite = "main" // of processes that name no site
)

// ReplicasKey is how many copies of a process work side by side.
const ReplicasKey = "_replicas"
