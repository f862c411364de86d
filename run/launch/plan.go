package launch

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// Kind is the role of a node in the run.
type Kind string

const (
	KindDaemon  Kind = "daemon"
	KindProcess Kind = "process"
	KindVisi    Kind = "visi"
)

// JSONValues returns all kinds, for the JSON Schema of answers.
func (Kind) JSONValues() []string {
	return []string{string(KindDaemon), string(KindProcess), string(KindVisi)}
}

// Self names this program in a plan: as a command, and as the daemon of processes that need no other daemon. It supervises them anyway.
const Self = "pentode"

// Node is one program of a plan, complete to the last argument.
type Node struct {
	ID        string
	Kind      Kind
	Name      string // as declared; may be empty
	Host      string // as declared, `localhost` replaced by this machine's name
	Address   string // the host on which it is started: Host after the host map
	Argv      []string
	Env       []Var
	Secret    []Var  // like Env, but never shown, saved or put on a command line
	Dir       string // empty: the default folder of its host
	Around    Around
	After     []Edge
	Ready     Ready
	Restart   Restart
	Stop      Stop
	Alive     Alive
	Grace     time.Duration // between asking to end and killing; 0: the grace of the run
	OnRequest bool          // only declared: it was not requested
	StandIn   View          // the view that the page shows instead, because its program is not installed; empty: none
	Starter   Starter
	Settings  []Setting   // from the project; their effect is in the fields above
	Span      source.Span // of its declaration
	Base      string      // of a copy: the id that all copies share

	flavor   string
	declared []string // its arguments
	common   int      // how many of its variables all kinds have
	share    int      // of a copy: its index among those on its host
}

// Plan is a run before it starts: nodes in the order they may start.
type Plan struct {
	Run          string
	Tunables     []Tunable // every setting in order; the last of a name decides
	TunablesFile string    // where Start writes the tunables for local nodes; empty: nowhere
	Nodes        []*Node
}

// Options are the options of a plan that are not in its declarations.
type Options struct {
	Run       string            // the run's id; empty: `RUN`, for a plan that is only shown
	StateDir  string            // the folder of the run's state; empty: `RUN` has none
	Dir       string            // where local nodes start; empty: the current directory
	RemoteDir string            // where nodes of other machines start; empty: the login directory
	Map       map[string]string // declared host -> the host to use
	Nodes     []string          // of a Slurm allocation: other hosts are mapped to these in turn
	Visis     []string          // visualisations to start, by name; `all`: every one
	Ready     Ready             // of daemons
	Restart   Restart           // of daemons and processes
	Local     Starter           // for this machine; nil: Local{}
	Remote    Starter           // for other machines; nil: SSH{}
	Flavors   map[string]Starter
	NoSplit   bool   // a daemon's command is one word
	Self      string // the path of this program, for the command Self
	Host      Host
}

// maxVariables limits the variables of a plan: each node gets every tunable.
const maxVariables = 4 << 20

// NewPlan makes a plan. Declarations that cannot be started are left out and
// reported as errors; a plan with errors should not be started.
func NewPlan(d Decls, o Options) (*Plan, problem.List) {
	b := newPlanner(o)
	b.plan.Tunables = d.Tunables
	b.tunableEnv(d.Tunables)
	if nodes := len(d.Daemons) + 2*len(d.Processes) + len(d.Visis); len(b.tunables) > 0 && nodes > maxVariables/len(b.tunables) {
		b.report(problem.Error, TooManyVariables, source.Span{}, "",
			"%d tunables for each of %d nodes exceed the limit of %d variables for a plan", len(b.tunables), nodes, maxVariables)
		return b.plan, b.list
	}
	for _, x := range d.Daemons {
		b.daemon(x)
	}
	type placed struct {
		Process
		daemon *Node
	}
	var processes []placed
	for _, x := range d.Processes {
		if n, ok := b.daemonOf(x); ok {
			processes = append(processes, placed{x, n})
		}
	}
	for _, x := range processes {
		b.process(x.Process, x.daemon)
	}
	b.visis(d.Visis)
	b.copyAll(d.Settings)
	b.rank()
	b.configure(d.Settings)
	b.standIns()
	return b.plan, b.list
}

// NewState makes the folder of the run below base, with its socket in the folder sockets if that is not empty. Options.StateDir of the plan must name
// the same folder: base and the run's id.
func (p *Plan) NewState(base, sockets string, now time.Time) (*state.Dir, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the current directory: %w", err)
	}
	r := state.Run{ID: p.Run, Started: now, Directory: dir, Sockets: sockets}
	for _, n := range p.Nodes {
		r.Nodes = append(r.Nodes, state.Node{ID: n.ID, Kind: string(n.Kind), Host: n.Host, View: string(n.StandIn)})
	}
	return state.Create(base, r)
}

// planner holds a plan while it is built.
type planner struct {
	Options
	problems
	plan     *Plan
	tunables []Var
	here     string // this machine's name
	ids      map[string]bool
	repeats  map[string]int
	daemons  map[[2]string]*Node   // by host and command
	commands map[string]bool       // of daemons, on any host
	first    map[string]*Node      // by name: the first daemon with that name
	named    map[[2]string][]*Node // by host and name
	local    map[string]bool
	turn     int               // of processes on the nodes of an allocation
	placed   map[string]string // host to node
}

func newPlanner(o Options) *planner {
	o.Host = o.Host.orSystem()
	if o.Run == "" {
		o.Run = "RUN"
	}
	if o.Local == nil {
		o.Local = Local{}
	}
	if o.Remote == nil {
		o.Remote = SSH{}
	}
	b := &planner{
		Options: o,
		plan:    &Plan{Run: o.Run, Nodes: []*Node{}},
		here:    o.Host.Name(),
		ids:     map[string]bool{},
		repeats: map[string]int{},
		daemons: map[[2]string]*Node{}, commands: map[string]bool{}, first: map[string]*Node{},
		named: map[[2]string][]*Node{},
		local: map[string]bool{}, placed: map[string]string{},
	}
	if o.StateDir != "" {
		b.plan.TunablesFile = path.Join(o.StateDir, "tunables.json")
	}
	return b
}

// daemon adds a declared daemon, or returns an equal daemon that was added before.
func (b *planner) daemon(x Daemon) *Node {
	host := b.hostName(x.Host)
	if n := b.daemons[[2]string{host, x.Command}]; n != nil {
		b.call(n, host, x.Name)
		return n
	}
	argv := []string{x.Command}
	if !b.NoSplit {
		words, err := splitCommand(x.Command)
		if err != nil {
			p := b.report(problem.Error, DaemonCommand, x.Span, cmp.Or(x.Name, x.Command), "%s", err)
			if p.Expected = "name the program to start"; errors.As(err, new(WordError)) {
				p.Expected = "close the quote"
			}
			return nil
		}
		argv = words
	}
	if !b.startable("daemon", cmp.Or(x.Name, x.Command), x.Span, host, argv) {
		return nil
	}
	id := x.Name
	if id == "" {
		id = path.Base(argv[0]) + "@" + host
	}
	n := b.node(KindDaemon, id, x.Name, host, x.Flavor, argv, x.Span)
	n.Ready, n.Restart = b.Ready, b.Restart
	n.Env = append(n.Env, Var{"PARADYN_DAEMON", x.Command})
	b.daemons[[2]string{host, x.Command}], b.commands[x.Command] = n, true
	b.call(n, host, x.Name)
	return n
}

// call lets processes find a daemon by a name. A daemon that is declared twice may have two names.
func (b *planner) call(n *Node, host, name string) {
	id := [2]string{host, name}
	if name != "" && !slices.Contains(b.named[id], n) {
		b.named[id] = append(b.named[id], n)
		b.first[name] = cmp.Or(b.first[name], n)
	}
}

// daemonOf finds the daemon a process runs under: by command on its host, then by a
// unique name there; otherwise it adds a daemon that is not declared. It never takes
// the name of a daemon on another host for a program. A process that names no daemon,
// or names this program, has none.
func (b *planner) daemonOf(x Process) (*Node, bool) {
	host := b.hostName(x.Host)
	if !b.startable("process", cmp.Or(x.Name, x.Command), x.Span, host, append([]string{x.Command}, x.Args...)) {
		return nil, false
	}
	if x.Daemon == "" {
		return nil, true
	}
	if n := b.daemons[[2]string{host, x.Daemon}]; n != nil {
		return n, true
	}
	if same := b.named[[2]string{host, x.Daemon}]; len(same) == 1 {
		return same[0], true
	}
	if other := b.first[x.Daemon]; other != nil && !b.commands[x.Daemon] && len(b.named[[2]string{host, x.Daemon}]) == 0 {
		p := b.report(problem.Error, DaemonElsewhere, x.Span, cmp.Or(x.Name, x.Command),
			"`%s` is the name of a daemon on host `%s`, and the process is for `%s`", x.Daemon, other.Host, host)
		p.Expected = "declare the daemon on this host too, or name it by its command"
		p.Related = []problem.Related{{Span: other.Span, Message: "the daemon"}}
		return nil, false
	}
	if x.Daemon == Self {
		return nil, true
	}
	n := b.daemon(Daemon{Command: x.Daemon, Host: x.Host, Flavor: x.Flavor, Span: x.Span})
	if n == nil {
		return nil, false
	}
	b.report(problem.Info, ImplicitDaemon, x.Span, cmp.Or(x.Name, x.Command), "daemon `%s` is not declared on host `%s`: it is started for this process", x.Daemon, host)
	return n, true
}

func (b *planner) process(x Process, daemon *Node) {
	id := x.Name
	if id == "" {
		id = path.Base(x.Command)
	}
	b.warnBlanks("process", cmp.Or(x.Name, x.Command), x.Command, x.Span)
	n := b.node(KindProcess, id, x.Name, b.hostName(x.Host), x.Flavor, append([]string{x.Command}, x.Args...), x.Span)
	n.Ready, n.Restart = Ready{Probe: ProbeNone}, b.Restart
	if daemon != nil {
		n.After = []Edge{{ID: daemon.ID}}
	}
	if x.Daemon != "" {
		n.Env = append(n.Env, Var{"PARADYN_DAEMON", x.Daemon})
	}
}

// visis adds the visualisations; of several with the same name, the last one counts. They come after the last of all other nodes. An edge to every
// process would mean the same, but the number of edges would grow with the square of the file.
func (b *planner) visis(all []Visi) {
	after := []Edge{}
	if n := len(b.plan.Nodes); n > 0 {
		after = append(after, Edge{ID: b.plan.Nodes[n-1].ID})
	}
	last := map[string]int{}
	for i, x := range all {
		if before, ok := last[x.Name]; ok {
			p := b.report(problem.Warning, VisiAgain, x.Span, x.Name, "visualisation `%s` is declared again: this declaration replaces the one before", x.Name)
			p.Related = []problem.Related{{Span: all[before].Span, Message: "declared here before"}}
		}
		last[x.Name] = i
	}
	wanted := map[string]bool{}
	for _, name := range b.Visis {
		if _, ok := last[name]; !ok && name != "all" {
			p := b.report(problem.Error, VisiUnknown, source.Span{}, name, "no visualisation is called `%s`", name)
			p.Expected = "`run --dry-run` lists the declared ones"
			p.Suggestion, _ = problem.Nearest(name, slices.Sorted(maps.Keys(last)))
		}
		wanted[name] = true
	}
	for i, x := range all {
		host := b.hostName(x.Host)
		argv := append([]string{x.Command}, x.Args...)
		if last[x.Name] != i || !b.startable("visualisation", x.Name, x.Span, host, argv) {
			continue
		}
		b.warnBlanks("visualisation", x.Name, x.Command, x.Span)
		id := x.Name
		if id == "" {
			id = path.Base(x.Command)
		}
		n := b.node(KindVisi, id, x.Name, host, "", argv, x.Span)
		n.After, n.Ready = slices.Clone(after), Ready{Probe: ProbeNone}
		n.OnRequest = !wanted[x.Name] && !wanted["all"]
	}
}

// node adds a node and sets the fields that all kinds have.
func (b *planner) node(kind Kind, id, name, host, flavor string, argv []string, at source.Span) *Node {
	n := &Node{ID: b.uniqueID(id), Kind: kind, Name: name, Host: host, Address: host, Argv: argv, After: []Edge{}, Span: at, flavor: flavor, declared: argv}
	if to, ok := b.Map[host]; ok {
		n.Address = to
	} else if to, ok := b.Map["localhost"]; ok && host == b.here {
		n.Address = to
	} else if len(b.Nodes) > 0 {
		n.Address = b.allocated(kind, host)
	}
	local := b.isLocal(n.Address)
	switch starter := b.Flavors[flavor]; {
	case starter != nil:
		n.Starter = starter
	case local:
		n.Starter = b.Local
	default:
		n.Starter = b.Remote
	}
	n.Dir = b.RemoteDir
	if local {
		n.Dir = b.Dir
		if argv[0] == Self && b.Self != "" {
			n.Argv = append([]string{b.Self}, argv[1:]...)
		}
	}
	n.Env = b.env(n, flavor, local)
	n.common = len(n.Env)
	b.plan.Nodes = append(b.plan.Nodes, n)
	return n
}

// allocated returns the node of the allocation that replaces a host. Processes for this machine go to the nodes in turn; daemons stay.
func (b *planner) allocated(kind Kind, host string) string {
	switch {
	case slices.Contains(b.Nodes, host):
		return host
	case host == b.here && kind != KindProcess:
		return host
	case host == b.here:
		b.turn++
		return b.Nodes[(b.turn-1)%len(b.Nodes)]
	}
	if b.placed[host] == "" {
		b.placed[host] = b.Nodes[len(b.placed)%len(b.Nodes)]
	}
	return b.placed[host]
}

// uniqueID numbers repeated IDs: `#2`, `#3` and so on.
func (b *planner) uniqueID(id string) string {
	unique := id
	for b.ids[unique] {
		if b.repeats[id] == 0 {
			b.repeats[id] = 1
		}
		b.repeats[id]++
		unique = id + "#" + strconv.Itoa(b.repeats[id])
	}
	b.ids[unique] = true
	return unique
}

func (b *planner) hostName(host string) string {
	if host == "" || host == "localhost" {
		return b.here
	}
	return host
}

// isLocal caches answers, because an answer may need a name look-up.
func (b *planner) isLocal(host string) bool {
	is, ok := b.local[host]
	if !ok {
		is = host == b.here || b.Host.IsLocal(host)
		b.local[host] = is
	}
	return is
}

// startable reports whether the system can start a command, and reports the problem if not.
func (b *planner) startable(what, name string, at source.Span, host string, argv []string) bool {
	switch {
	case argv[0] == "":
		b.report(problem.Error, CommandEmpty, at, name, "%s has an empty command", what).Expected = "name the program to start"
	case strings.HasPrefix(host, "-"):
		b.report(problem.Error, HostDash, at, name, "host `%s` begins with a dash: a remote shell would read it as an option", host)
	case strings.ContainsRune(host+strings.Join(argv, ""), 0):
		b.report(problem.Error, NULByte, at, name, "%s `%s` has a NUL byte in its command, arguments or host: no program can receive it",
			what, strings.ReplaceAll(argv[0], "\x00", "\\0"))
	default:
		return true
	}
	return false
}

func (b *planner) warnBlanks(what, name, command string, at source.Span) {
	if strings.ContainsAny(command, " \t") {
		b.report(problem.Warning, CommandBlanks, at, name, "the command of %s `%s` contains blanks: it is the name of one program, not a command line", what, command).
			Expected = "put what follows the first blank into `args`"
	}
}

const defaultGrace = 10 * time.Second
