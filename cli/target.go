package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

const thisHost = suite.ThisHost

// machines returns the known machines, including tables from the command line, else from the
// project.
func (a *app) machines() (target.Machines, error) {
	p, err := a.here()
	if err != nil {
		return target.Machines{}, err
	}
	o, err := coilOptions(p)
	if err == nil {
		err = a.usable(p)
	}
	return target.Machines{Tables: o.Tables}, err
}

// targets returns the targets of several names.
func (a *app) targets(w *workspace.Workspace, names []string) ([]target.Target, error) {
	list := make([]target.Target, len(names))
	for i, n := range names {
		var err error
		if list[i], err = a.target(w, n); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// target returns the target that a file, a preset or `host` describes. It shows errors of the file,
// and then ends the verb.
func (a *app) target(w *workspace.Workspace, name string) (target.Target, error) {
	find, err := a.finding(w)
	if err != nil {
		return target.Target{}, err
	}
	t, found, err := find.Target(name)
	if err == nil {
		err = a.refuse(found)
	}
	return t, err
}

// finding returns a function that looks up targets by their names on the command line.
func (a *app) finding(w *workspace.Workspace) (suite.Targets, error) {
	machines, err := a.machines()
	return suite.Targets{
		Workspace: w,
		Host:      func() (target.Target, error) { return machines.Detect(target.ThisHost()) },
		Open: func(path string) (*lang.Document, error) {
			if _, err := os.Stat(path); err != nil && path != "-" {
				return nil, nil
			}
			return a.open(w, path)
		},
	}, err
}

func (a *app) detectVerb() *cobra.Command {
	var format string
	var gpu int
	cmd := &cobra.Command{
		Use:     "detect",
		Short:   "Print a COIL configuration that describes this machine",
		Example: examples("pentode target detect > here.coilcfg", "pentode target detect --format json"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			machines, err := a.machines()
			if err != nil {
				return err
			}
			t, err := a.detect(machines, gpu)
			if err != nil {
				return err
			}
			comments := []string{"This machine, as detected by pentode target detect."}
			if gpu == 0 {
				comments = append(comments, machines.Identify(target.ThisHost()).Lines()...)
			}
			return a.writeTarget(t, format, comments...)
		},
	}
	cmd.Flags().StringVar(&format, "format", "coil", "`coil|json`")
	cmd.Flags().IntVar(&gpu, "gpu", 0, "describe GPU number `N` of this machine, counted from 1, instead of the processor")
	return a.projectFlags(cmd)
}

// detect detects the processor of this machine, or one of its GPUs.
func (a *app) detect(machines target.Machines, gpu int) (target.Target, error) {
	a.work.Begin("querying this machine and its compilers", "")
	gpus, notes := machines.DetectGPUs(target.ThisHost())
	a.notes(notes)
	if gpu == 0 {
		for i, g := range gpus {
			fmt.Fprintf(a.err, "pentode: this machine also has a GPU, %s %s: `--gpu %d` describes it\n", g.Architecture, strings.Join(g.Features, " "), i+1)
		}
		t, err := machines.Detect(target.ThisHost())
		if err != nil {
			return t, a.no(err)
		}
		return machines.Current(t), nil
	}
	if gpu < 0 || gpu > len(gpus) {
		return target.Target{}, fmt.Errorf("there is no GPU %d; this machine has %d", gpu, len(gpus))
	}
	return gpus[gpu-1], nil
}

// writeTarget prints a target as a COIL configuration or as JSON.
func (a *app) writeTarget(t target.Target, format string, comments ...string) error {
	text := coil.Write(t, comments...)
	switch format {
	case "coil":
		_, err := fmt.Fprint(a.out, text)
		return err
	case "json":
		o, err := coilOptions(&project.Project{})
		if err != nil {
			return err
		}
		_, err = coil.New(o).Parse(source.NewFile("target.coilcfg", text)).Resolve(&load.Env{}).Convert("json", a.out)
		return err
	}
	return fmt.Errorf("--format takes coil or json, not `%s`", format)
}

func (a *app) compatVerb() *cobra.Command {
	var link, meet bool
	var format string
	cmd := &cobra.Command{
		Use:   "compat A B",
		Short: "Check whether code for A runs on B, or can be linked with code for B",
		Long: "Checks whether code for A runs on B, or can be linked with code for B; if not, it prints why. A and B are files, presets, or\n" +
			"`host`. With --meet it prints the best target whose code runs on all given machines.",
		Example: examples("pentode target compat x86-64-v3 host", "pentode target compat --meet examples/heat/heat.coilcfg x86-64-v3 host"),
		RunE: func(_ *cobra.Command, names []string) error {
			if link && meet {
				return errors.New("--link and --meet ask different questions: give one of them")
			}
			if len(names) < 2 || len(names) > 2 && !meet {
				return errors.New("give two targets: files, presets, or `host`")
			}
			return a.compat(names, link, meet, format)
		},
	}
	cmd.Flags().BoolVar(&link, "link", false, "check whether objects of A and B can be linked")
	cmd.Flags().BoolVar(&meet, "meet", false, "print the best common target of all machines")
	cmd.Flags().StringVar(&format, "format", "", "`text|json|coil`, with --meet coil or json, else text or json")
	return a.wideFlag(a.reads(cmd, "coil"))
}

func (a *app) compat(names []string, link, meet bool, format string) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	machines, err := a.machines()
	if err != nil {
		return err
	}
	targets, err := a.targets(w, names)
	if err != nil {
		return err
	}
	if meet {
		if format == "" {
			format = "coil"
		}
		t, err := machines.Meet(targets...)
		if err != nil {
			return a.no(err)
		}
		return a.writeTarget(t, format, "The best target whose code runs on "+strings.Join(names, ", ")+".")
	}
	relation, yes, no := target.Run, "runs on", "does not run on"
	if link {
		relation, yes, no = target.Link, "can be linked with", "cannot be linked with"
	}
	sentence := func(verb string) string { return fmt.Sprintf("code of %s %s %s", names[0], verb, names[1]) }
	return a.verdict(machines.Compat(targets[0], targets[1], relation), format, sentence(yes), sentence(no))
}

// jsonVerdict is the output of `target compat --format json` and `check --host --format json`.
type jsonVerdict struct {
	Version    int          `json:"version"`
	Compatible bool         `json:"compatible"`
	Reasons    []jsonReason `json:"reasons"`
}

type jsonReason struct {
	What target.Key `json:"what"`
	A    string     `json:"a"`
	B    string     `json:"b,omitempty"`
}

// verdict prints a yes or a no with its reasons, and returns the exit code.
func (a *app) verdict(v target.Verdict, format, yes, no string) error {
	switch format {
	case "", "text":
		if v.OK() {
			a.line("%s", yes)
			break
		}
		a.line("%s: %s", no, v)
	case "json":
		out := jsonVerdict{Version: 1, Compatible: v.OK(), Reasons: []jsonReason{}}
		for _, r := range v {
			out.Reasons = append(out.Reasons, jsonReason{r.Key, r.A, r.B})
		}
		if err := a.json(out); err != nil {
			return err
		}
	default:
		return fmt.Errorf("--format takes text or json, not `%s`", format)
	}
	if !v.OK() {
		return exitCode(exitNo)
	}
	return nil
}

// topics are the lists of `target list`.
var topics = []string{"pu", "arch", "features", "abi", "presets"}

// topicWords is the maximum number of arguments after each topic.
var topicWords = map[string]int{"pu": 0, "arch": 1, "features": 2, "abi": 2, "presets": 0}

func (a *app) targetListVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list pu|arch|features|abi|presets [ARCHITECTURE [MODE]]",
		Short: "List known processors, architectures, features, ABIs or presets",
		Long: "Lists known processors, architectures, features, ABIs or presets.\n  list arch [PU]                      architectures with their modes\n" +
			"  list features ARCHITECTURE [MODE]   features, and the features that each implies\n  list abi [ARCHITECTURE [MODE]]      ABIs with their registers",
		Example:   examples("pentode target list features x86", "pentode target list abi RISC-V 64"),
		ValidArgs: topics,
		Args:      cobra.RangeArgs(0, 3),
		RunE: func(_ *cobra.Command, args []string) error {
			machines, err := a.machines()
			if err != nil {
				return err
			}
			tb := cmp.Or(machines.Tables, builtin.Tables())
			if len(args) == 0 {
				args = []string{"arch"}
			}
			if limit, known := topicWords[args[0]]; known && len(args)-1 > limit {
				return fmt.Errorf("`list %s` takes %s after it, but found %s", args[0], atMostWords(limit), arguments(len(args)-1))
			}
			switch args[0] {
			case "pu":
				for _, pu := range tb.PUs() {
					a.line("%s", pu)
				}
				return nil
			case "arch":
				return a.listArchs(tb, args[1:])
			case "features":
				return a.listFeatures(tb, args[1:])
			case "abi":
				return a.listABIs(tb, args[1:])
			case "presets":
				return a.listPresets()
			}
			return fmt.Errorf("there is no list of `%s`; %s", args[0], problem.Advise(args[0], topics, "there are "+strings.Join(topics, ", ")))
		},
	}
	return a.wideFlag(a.projectFlags(cmd))
}

func atMostWords(n int) string {
	if n == 0 {
		return "nothing"
	}
	return "at most " + arguments(n)
}

func (a *app) listArchs(tb *table.Tables, args []string) error {
	if len(args) > 0 && !slices.ContainsFunc(tb.PUs(), func(pu string) bool { return strings.EqualFold(pu, args[0]) }) {
		return fmt.Errorf("`%s` is not a PU; there are %s", args[0], strings.Join(tb.PUs(), ", "))
	}
	var rows [][]string
	for _, arch := range tb.Archs {
		if len(args) > 0 && !strings.EqualFold(arch.PU, args[0]) {
			continue
		}
		var modes, aliases []string
		for _, b := range arch.Bits() {
			modes = append(modes, strconv.Itoa(b))
		}
		for _, al := range arch.Aliases {
			aliases = append(aliases, al.Name)
		}
		rows = append(rows, []string{arch.PU, arch.Name, strings.Join(modes, ","), strings.Join(aliases, ", ")})
	}
	a.columns(rows, columns.Text, columns.Name, columns.Text, columns.Prose)
	return nil
}

// archs returns the architectures of a name, of any PU, and the mode if one is given.
func archs(tb *table.Tables, args []string) ([]*table.Arch, int, error) {
	mode := 0
	if len(args) > 1 {
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return nil, 0, fmt.Errorf("`%s` is not a mode; expected 32 or 64", args[1])
		}
		mode = n
	}
	var list []*table.Arch
	var names []string
	for _, pu := range tb.PUs() {
		if arch, hint := tb.Arch(pu, args[0]); arch != nil {
			list = append(list, arch)
			mode = cmp.Or(mode, hint)
		}
		for _, arch := range tb.Of(pu) {
			names = append(names, arch.Name)
		}
	}
	if list == nil {
		return nil, 0, fmt.Errorf("there is no architecture `%s`; %s", args[0], problem.Advise(args[0], names, "`pentode target list arch` lists them"))
	}
	var bits []string
	for _, arch := range list {
		for _, b := range arch.Bits() {
			if b == mode || mode == 0 {
				return list, mode, nil
			}
			if !slices.Contains(bits, strconv.Itoa(b)) {
				bits = append(bits, strconv.Itoa(b))
			}
		}
	}
	return nil, 0, fmt.Errorf("%s has no mode %d; it has %s", list[0].Name, mode, strings.Join(bits, ", "))
}

func (a *app) listFeatures(tb *table.Tables, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("give the architecture whose features to list, for instance `pentode target list features x86`")
	}
	list, mode, err := archs(tb, args)
	if err != nil {
		return err
	}
	var rows [][]string
	none := true
	for _, arch := range list {
		for i := range arch.ISAs {
			isa := &arch.ISAs[i]
			if mode != 0 && !slices.ContainsFunc(isa.Modes, func(m table.Mode) bool { return m.Bits == mode }) {
				continue
			}
			if len(list) > 1 || len(arch.ISAs) > 1 && mode == 0 {
				a.listed(rows)
				rows = nil
				a.line("# %s %s %d", arch.PU, arch.Name, isa.Modes[0].Bits)
			}
			for _, name := range isa.FeatureNames() {
				f := isa.Feature(name)
				implied := ""
				if f.Feature != nil {
					implied = strings.Join(f.Implies.Names(isa), " ")
				}
				rows = append(rows, []string{name, implied})
				none = false
			}
		}
	}
	a.listed(rows)
	if none {
		fmt.Fprintf(a.err, "pentode: no features of %s are known; a file may name any\n", args[0])
	}
	return nil
}

// listed prints names with their descriptions.
func (a *app) listed(rows [][]string) { a.columns(rows, columns.Name, columns.Prose) }

func (a *app) listABIs(tb *table.Tables, args []string) error {
	var list []*table.Arch
	var mode int
	if len(args) > 0 {
		var err error
		if list, mode, err = archs(tb, args); err != nil {
			return err
		}
	}
	var rows [][]string
	for i := range tb.ABIs {
		abi := &tb.ABIs[i]
		fits := func(arch *table.Arch) bool {
			return abi.Any || abi.PU == arch.PU && abi.Arch == arch.Name && (mode == 0 || slices.Contains(abi.Modes, mode))
		}
		if list != nil && !slices.ContainsFunc(list, fits) {
			continue
		}
		rows = append(rows, []string{abi.Name, abi.Home(), strings.Join(abi.Parameters, ","), strings.Join(abi.Returns, ",")})
	}
	a.columns(rows, columns.Name, columns.Name, columns.Name, columns.Name)
	return nil
}

func (a *app) listPresets() error {
	var rows [][]string
	for _, name := range preset.Names() {
		f, _ := preset.File(name)
		rows = append(rows, []string{name, preset.Title(f)})
	}
	a.listed(rows)
	return nil
}

func (a *app) flagsVerb() *cobra.Command {
	var stage, program, as string
	var all bool
	var c target.Compiler
	cmd := &cobra.Command{
		Use:   "flags COMPILER [FILE|PRESET]",
		Short: "Print the compiler flags for a target",
		Long: "Prints the flags with which a compiler builds for a target, by default this machine.\n" +
			"COMPILER is one of " + strings.Join(target.Compilers(), ", ") + ".\n" +
			"Features without a flag are reported on standard error.",
		Example: examples("echo gcc $(pentode target flags gcc examples/heat/heat.coilcfg) -c main.c", "pentode target flags --format table gcc sapphirerapids"),
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			c.Name = args[0]
			if !slices.Contains(target.Compilers(), c.Name) {
				return fmt.Errorf("there is no compiler `%s`; %s", c.Name, problem.Advise(c.Name, target.Compilers(), "expected "+strings.Join(target.Compilers(), ", ")))
			}
			if c.Major < 0 {
				return fmt.Errorf("--compiler-version takes the compiler's first number, such as 14, not `%d`", c.Major)
			}
			if as == "table" && c.Name != "gcc" && c.Name != "clang" {
				return fmt.Errorf("--format table shows versions of gcc and clang only, not of `%s`", c.Name)
			}
			name := thisHost
			if len(args) == 2 {
				name = args[1]
			}
			if program != "" && c.Major != 0 {
				return errors.New("--program names a compiler that reports its own version; give only one of --program and --compiler-version")
			}
			return a.flags(name, program, c, map[string]target.Stage{"compile": target.Compiling, "link": target.Linking}[stage], as == "table", all)
		},
	}
	cmd.Flags().StringVar(&stage, "stage", "compile", "`compile|link`")
	cmd.Flags().IntVar(&c.Major, "compiler-version", 0, "the compiler's major version `N` (default: the version of the installed one)")
	cmd.Flags().BoolVar(&all, "all", false, "also print flags for which the compiler defines no macro")
	cmd.Flags().StringVar(&c.Tune, "tune", "", "optimise for the `PROCESSOR`, a preset; the code still runs on all machines of the target (-mtune)")
	cmd.Flags().StringVar(&program, "program", "", "the compiler's `PROGRAM`, such as aarch64-linux-gnu-gcc; build system files name it and have only flags that it knows")
	cmd.Flags().StringVar(&as, "format", "text", "`text|table`; table is a flag on each line, with the first version of the compiler that has it")
	return a.wideFlag(a.reads(cmd, "coil"))
}

func (a *app) flags(name, program string, c target.Compiler, stage target.Stage, table, all bool) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	machines, err := a.machines()
	if err != nil {
		return err
	}
	t, err := a.target(w, name)
	if err != nil {
		return err
	}
	p, err := a.here()
	if err != nil {
		return err
	}
	tune := c.Tune
	switch {
	case program != "":
		if c, err = target.ThisHost().Using(c.Name, program); err != nil {
			return err
		}
	case c.Major == 0:
		c = target.ThisHost().Compiler(c.Name)
	}
	c.Unstable, c.Tune = p.Unstable, tune
	if oldest := target.Oldest(c.Name); (c.Name == "gcc" || c.Name == "clang") && c.Major > 0 && c.Major < oldest {
		a.notes(problem.List{{Message: fmt.Sprintf("the flags are known from %s %d on: an older version may lack some of them", c.Name, oldest)}})
	}
	flags, notes, err := machines.Flags(t, c, stage)
	if err != nil {
		return err
	}
	a.notes(slices.DeleteFunc(slices.Clone(notes), func(p *problem.Problem) bool { return p.Kind == target.NoMacro && !all }))
	if slices.ContainsFunc(notes, func(p *problem.Problem) bool { return p.Kind == target.NoTarget }) {
		return exitCode(exitNo)
	}
	if c.WritesFile() {
		_, err = fmt.Fprintln(a.out, strings.Join(flags, "\n"))
		return err
	}
	words := make([]string, len(flags))
	for i, f := range flags {
		words[i] = launch.Quote(f)
	}
	if table {
		since, err := machines.Versions(t, c, stage)
		if err != nil {
			return err
		}
		rows := [][]string{{"FLAG", "SINCE"}}
		for i, f := range flags {
			first := fmt.Sprintf("%s %d", c.Name, since[f])
			if since[f] == 0 {
				first = fmt.Sprintf("%s %d or older", c.Name, target.Oldest(c.Name))
			}
			rows = append(rows, []string{words[i], first})
		}
		a.columns(rows, columns.Name, columns.Text)
		return nil
	}
	_, err = fmt.Fprintln(a.out, strings.Join(words, " "))
	return err
}

// notes prints the remarks of an engine. They are about the whole target, so no file and line
// precedes them.
func (a *app) notes(list problem.List) {
	for _, p := range list {
		text := p.Message
		if p.Expected != "" {
			text += "; " + p.Expected
		}
		fmt.Fprintf(a.err, "pentode: %s\n", text)
	}
}
