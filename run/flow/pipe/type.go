package pipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// A Type declares a kind of process. Most of it is plain data, so a pipeline can be checked, documented and drawn without making a
// process.
type Type struct {
	Name string
	Doc  string // documentation that helps users to choose a type, in one or more sentences
	In   []Port
	Out  []Port // except HeartbeatPort, which every process has
	Keys []Key

	// Stateless is set if a step depends only on its inputs, takes one datum from each input and gives one to each output. Such a
	// process can be replicated.
	Stateless bool

	Level      Level    // what the engine checks before a step
	Properties []string // upstream's names of the type's properties, such as `_unsync_input`; only for information

	// Needs describes what is missing if the type is only declared and cannot run here. It is empty if the type can run.
	Needs string

	// Embedding is set if the type is only declared and a program that embeds the pipeline does its work. A pipeline with such a
	// type is valid but runs only in that program.
	Embedding bool

	// Version is the program and version that the declaration describes, such as `KWIVER 1.8`. Because other versions may have
	// more ports and keys, the use of an undeclared one is only a warning. If Version is empty, the declaration is exact.
	Version string

	// Origin is the file that a declaration was read from, if known.
	Origin string

	// Span is the place of the type's class in a source file; zero if no source was read.
	Span source.Span

	// OpenKeys is set if the list of keys may be incomplete, because it was read from source code.
	OpenKeys bool

	// Cluster is set if the type is a cluster, which consists of other processes. New is then nil.
	Cluster *Cluster

	// Settle returns the type of a port whose type is left open, or refuses a type. If it is nil, every type is accepted.
	Settle func(Config, Settling) (string, error)

	// Narrow returns a type with the ports and keys of one process, if they depend on its configuration. If Narrow is nil or
	// returns nil, the process has the ports and keys of the type.
	Narrow func(*Node) *Type

	// Judge reports settings that are valid individually but do not fit together, such as an empty range. It sees only the
	// settings. Check and Run.Set call it, so Setup and Reconfigure need not repeat its checks.
	Judge func(Values) error

	// Lacks returns an error if the settings are valid but need something that this program does not have, such as an algorithm. A
	// pipeline with such settings can be checked but not run. If Lacks is nil, nothing is missing.
	Lacks func(Values) error

	// Probe returns an error if a process needs something that this machine does not have, such as an interpreter. It may run
	// programs to find out, so only a run and its plan call it, before the first process is set up. If Probe is nil, nothing is
	// needed.
	Probe func(*Env) error

	// Tell returns what is known about the data of an output before the run. It uses the settings, which Judge has checked, and
	// what is known about the inputs. It returns an error if the settings do not fit the data that arrive. If Tell is nil, nothing
	// is known.
	Tell func(output string, v Values, in func(input string) Facts) (Facts, error)

	// New makes a process of this type.
	New func() Process

	// runs is this program's own type, if a declaration of another program has replaced it in the registry; else nil.
	runs *Type
}

// Runs returns the type that a run uses. This is the type itself or, if it is another program's declaration, this program's type
// of the same name. It returns nil if this program has no such type.
func (t *Type) Runs() *Type {
	switch {
	case t.runs != nil:
		return t.runs
	case t.New != nil || t.Cluster != nil:
		return t
	}
	return nil
}

// Common returns the type without ports and keys that exist in only one program's version of it. A pipeline that uses only the
// rest fits the versions of all programs. A process of the result runs as the whole type.
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

// commonPorts returns the ports that exist in every program's version of the type. differ is true if there are others.
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

// Missing describes why a type that is only declared cannot run.
func (t *Type) Missing() string {
	if t.Needs == "" {
		return "type `" + t.Name + "` is only known by its ports and keys"
	}
	return "type `" + t.Name + "` needs " + t.Needs
}

// A Settling asks Type.Settle for the type of one port.
type Settling struct {
	Port   string
	Output bool
	Want   string // type at the other end of the connection; empty if the process must choose
}

// Level selects what the engine checks of the required inputs before each step.
type Level uint8

const (
	// CheckValid makes a step only if every required input has a value. The engine handles empty, error, flush and complete
	// itself. The stamps are checked as with CheckSync.
	CheckValid Level = iota
	// CheckSync makes a step if the data of the required inputs have equal stamps, whether or not they are values.
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
// that does not start with `_`, `<n>` matches digits, any other variable a text without `/`. The text that matches a variable also
// replaces the variable in the port's type. The text for the first variable, such as `<tag>` in `dist/<tag>/<item>`, is the port's
// group. Ports with the same group belong together.
type Port struct {
	Name  string
	Type  string
	Flags Flags
	Doc   string

	// Freq is the number of data that pass the port in each step.
	Freq Freq
	// FreqKey names a key whose value is added to Freq.
	FreqKey string
	// Passes names an input whose data this output passes on unchanged, if the output has type `_any`. A variable in angle
	// brackets stands for the same text as in the output's own name.
	Passes string
	// Turns is set if the ports of a group take turns, so that each of n ports passes one datum in n steps.
	Turns bool
	// Span is the place of the port's name in the source that declares it; zero if no source was read.
	Span source.Span
	// Least is the minimum number of connected ports per group, for a pattern.
	Least int
	// Only is set if only one program's version of the type has the port. It is the name of this program, such as `VIAME`.
	Only string
	// OpenIn is the name of the only program in whose version of the type the port may stay unconnected.
	OpenIn string
}

// Port types with a special meaning.
const (
	AnyType          = "_any"
	NoneType         = "_none"
	IntegerType      = "integer" // whole numbers, also as the value of a static port
	DataDependent    = "_data_dependent"
	FlowDependent    = "_flow_dependent/" // prefix; a tag follows, which may be empty
	HeartbeatPort    = "_heartbeat"
	StaticPrefix     = "static/" // prefix of the key with the value of a static port: static/<port>
	NonBlockingKey   = "_non_blocking"
	InstrumentKey    = "_instrumentation:type"
	InstrumentPrefix = "_instrumentation:"
	DefaultCapacity  = 40
)

// Flags restrict how a port may be connected.
type Flags uint8

const (
	Required Flags = 1 << iota // must be connected
	Static                     // input: if unconnected, its value may come from the configuration
	Mutable                    // input: the process changes the data it takes
	NoDep                      // input: the order of processes does not depend on this edge, so it may close a loop
	Const                      // output: consumers may not change the data
	Shared                     // output: one consumer may change the data, or any number may read them
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

// ParseFlags is the inverse of Flags.String. A flag may begin with `_`.
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

// A Key is a configuration key that a type understands. It is separate from schema.Key because it can be declared as data in a
// catalogue, and because the engine needs further information about the value: for example whether it may change during a run, is
// a file, or names an algorithm.
type Key struct {
	Name     string
	Kind     Kind
	Default  string
	Doc      string
	Tunable  bool               // may change while the pipeline runs
	Required bool               // must be set, because it has no usable default
	Reads    bool               // the value is a file or folder that the process reads at setup
	Writes   bool               // the value is a file that the process writes from the beginning
	Runs     bool               // the value is a program or a program's argument
	Choices  []string           // the possible values; for a key of kind Algo, the possible values of `NAME:type`
	Only     string             // the only program whose version of the type has the key; empty: all have it
	Known    func() []Algorithm // for kind Algo: returns this program's algorithms; nil: none are known
	Role     string             // for kind Algo: what the algorithms implement, such as `image_filter`; empty: not known
	Instead  string             // name of an input that replaces the value if it is connected
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
	// Algo is the kind of a key NAME under which an algorithm is chosen: `NAME:type` is the name of the algorithm, and
	// `NAME:ALGORITHM:…` are its keys.
	Algo Kind = "algo"
	// Any is the kind of a key NAME below which every key is allowed: `NAME` and `NAME:…`.
	Any Kind = "any"
)

// KeyFor returns the declaration of a key: one of the type's keys, or one of the keys that every process has.
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
	MainSite = "main" // the site of processes that do not name a site
)

// ReplicasKey sets the number of copies of a process that share its work.
const ReplicasKey = "_replicas"
