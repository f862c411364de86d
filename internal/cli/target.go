package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/workspace"
)

// thisHost is how a target is called that is found out on this machine.
const thisHost = "host"

func (a *app) targetVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "target",
		Short:   "Ask about machines: this one, what runs where, what a compiler must be told",
		Example: examples("pentode target detect > here.coilcfg", "pentode target flags --for gcc x86-64-v3"),
		Args:    isVerb,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.detectVerb(), a.flagsVerb(), a.compatVerb(), a.targetListVerb())
	return cmd
}

// targetFiles gives a verb the flags for what users add to COIL.
func targetFiles(cmd *cobra.Command, o *all.Options) {
	cmd.Flags().StringArrayVar(&o.Targets, "targets", nil, "COIL: a `FILE.json` with further machines (repeatable)")
	cmd.Flags().StringArrayVar(&o.VendorSchemas, "vendor-schema", nil, "COIL: a JSON Schema `FILE` of vendor sections (repeatable)")
}

// tables are the machines that are known, with those of the command line.
func (a *app) tables() (*table.Tables, error) {
	o, err := a.files.options.Coil()
	return o.Tables, err
}

// target is what a file, a preset or `host` describes. One with errors is said
// and ends the verb.
func (a *app) target(w *workspace.Workspace, name string) (target.Target, error) {
	if name == thisHost {
		tb, err := a.tables()
		if err != nil {
			return target.Target{}, err
		}
		return target.Detect(tb, target.ThisHost())
	}
	doc, err := a.targetDocument(w, name)
	if err != nil {
		return target.Target{}, err
	}
	config := doc.Resolve(w.Env)
	m, ok := lang.Model[*coil.Model](config)
	if !ok {
		return target.Target{}, fmt.Errorf("`%s` is a %s; a target is a COIL configuration", name, doc.Language.Title)
	}
	if found := config.Diagnostics(); found.HasErrors() {
		a.say(found)
		return target.Target{}, exitCode(exitNo)
	}
	return m.Target(), nil
}

// targetDocument opens a file, else a preset of that name.
func (a *app) targetDocument(w *workspace.Workspace, name string) (*lang.Document, error) {
	if _, err := os.Stat(name); err == nil || name == "-" {
		return a.open(w, name)
	}
	f, ok := preset.File(name)
	if !ok {
		help := "`pentode target list presets` lists them"
		if near, ok := diag.Nearest(name, preset.Names()); ok {
			help = fmt.Sprintf("did you mean the preset `%s`?", near)
		}
		return nil, fmt.Errorf("`%s` is neither a file nor a preset; %s", name, help)
	}
	l, err := lang.ByName(w.Languages, "coil")
	if err != nil {
		return nil, err
	}
	return l.Parse(f), nil
}

func (a *app) detectVerb() *cobra.Command {
	var format string
	var gpu int
	cmd := &cobra.Command{
		Use:     "detect",
		Short:   "Write this machine as a COIL configuration",
		Example: examples("pentode target detect > here.coilcfg", "pentode target detect --gpu 1 --format json"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			tb, err := a.tables()
			if err != nil {
				return err
			}
			t, err := a.detect(tb, gpu)
			if err != nil {
				return err
			}
			return a.writeTarget(t, format, "What this machine is, found out by pentode target detect.")
		},
	}
	cmd.Flags().StringVar(&format, "format", "coil", "`coil|json`")
	cmd.Flags().IntVar(&gpu, "gpu", 0, "write the machine's `N`th GPU, counted from 1, instead of its processor")
	targetFiles(cmd, &a.files.options)
	return cmd
}

// detect asks the machine for its processor, or for one of its GPUs.
func (a *app) detect(tb *table.Tables, gpu int) (target.Target, error) {
	gpus, notes := target.DetectGPUs(tb, target.ThisHost())
	for _, n := range notes {
		fmt.Fprintf(a.err, "pentode: %s\n", n)
	}
	if gpu == 0 {
		for i, g := range gpus {
			fmt.Fprintf(a.err, "pentode: this machine also has a GPU, %s %s: `--gpu %d` writes it\n", g.Architecture, strings.Join(g.Features, " "), i+1)
		}
		return target.Detect(tb, target.ThisHost())
	}
	if gpu < 0 || gpu > len(gpus) {
		return target.Target{}, fmt.Errorf("there is no GPU %d; %d were found on this machine", gpu, len(gpus))
	}
	return gpus[gpu-1], nil
}

// writeTarget prints a target as configuration or as JSON.
func (a *app) writeTarget(t target.Target, format, comment string) error {
	text := coil.Write(t, comment)
	switch format {
	case "coil":
		_, err := fmt.Fprint(a.out, text)
		return err
	case "json":
		o, err := a.files.options.Coil()
		if err != nil {
			return err
		}
		_, err = coil.New(o).Parse(newCoilFile(text)).Resolve(emptyEnv()).Convert("json", a.out)
		return err
	}
	return fmt.Errorf("--format takes coil or json, not `%s`", format)
}

func (a *app) flagsVerb() *cobra.Command {
	var compiler, stage string
	var major int
	cmd := &cobra.Command{
		Use:     "flags --for COMPILER [FILE|PRESET]",
		Short:   "Print what a compiler must be told to build for a target",
		Long:    "Print what a compiler must be told to build for a target, this machine where none is given.\nWhat the compiler cannot be told is said on standard error.",
		Example: examples("pentode target flags --for clang server.coilcfg", "gcc $(pentode target flags --for gcc x86-64-v3) -c main.c"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if compiler == "" {
				return fmt.Errorf("give the compiler with --for: %s", strings.Join(target.Compilers(), ", "))
			}
			stages := map[string]target.Stage{"compile": target.Compiling, "link": target.Linking}
			st, ok := stages[stage]
			if !ok {
				return fmt.Errorf("--stage takes compile or link, not `%s`", stage)
			}
			name := thisHost
			if len(args) == 1 {
				name = args[0]
			}
			return a.flags(name, compiler, major, st)
		},
	}
	cmd.Flags().StringVar(&compiler, "for", "", "the `COMPILER`: "+strings.Join(target.Compilers(), ", "))
	cmd.Flags().StringVar(&stage, "stage", "compile", "`compile|link`")
	cmd.Flags().IntVar(&major, "compiler-version", 0, "its major version `N`; unset, the installed one is asked")
	return a.reads(cmd)
}

func (a *app) flags(name, compiler string, major int, stage target.Stage) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	tb, err := a.tables()
	if err != nil {
		return err
	}
	t, err := a.target(w, name)
	if err != nil {
		return err
	}
	c := target.Compiler{Name: compiler, Major: major}
	if major == 0 {
		c = target.ThisHost().Compiler(compiler)
	}
	flags, notes, err := target.Flags(tb, t, c, stage)
	if err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintf(a.err, "pentode: %s\n", n)
	}
	if compiler == "cmake" {
		_, err = fmt.Fprintln(a.out, strings.Join(flags, "\n"))
		return err
	}
	words := make([]string, len(flags))
	for i, f := range flags {
		words[i] = shellWord(f)
	}
	_, err = fmt.Fprintln(a.out, strings.Join(words, " "))
	return err
}

// shellWord quotes what a shell would not take as one word.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=+.,/:@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (a *app) compatVerb() *cobra.Command {
	var run, link, meet bool
	var format string
	cmd := &cobra.Command{
		Use:   "compat A B",
		Short: "Say whether A's code runs on B, or may be linked with it",
		Long: "Say whether A's code runs on B, or may be linked with it; if not, why not. A and B are files, presets, or `host`.\n" +
			"With --meet: write the best target whose code runs on all of the given machines.",
		Example: examples("pentode target compat x86-64-v3 host", "pentode target compat --meet a.coilcfg b.coilcfg c.coilcfg"),
		RunE: func(_ *cobra.Command, names []string) error {
			if link && (run || meet) {
				return errors.New("--link asks another question than --run and --meet; give one of them")
			}
			if len(names) < 2 || len(names) > 2 && !meet {
				return errors.New("give two targets: files, presets, or `host`")
			}
			return a.compat(names, link, meet, format)
		},
	}
	cmd.Flags().BoolVar(&run, "run", false, "does A's code run on B (also where nothing is said)")
	cmd.Flags().BoolVar(&link, "link", false, "may objects of A and B be linked")
	cmd.Flags().BoolVar(&meet, "meet", false, "the best common target of all machines")
	cmd.Flags().StringVar(&format, "format", "", "`text|json`; with --meet `coil|json`")
	return a.reads(cmd)
}

func (a *app) compat(names []string, link, meet bool, format string) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	tb, err := a.tables()
	if err != nil {
		return err
	}
	targets := make([]target.Target, len(names))
	for i, n := range names {
		if targets[i], err = a.target(w, n); err != nil {
			return err
		}
	}
	if meet {
		if format == "" {
			format = "coil"
		}
		t, err := target.Meet(tb, targets...)
		if err != nil {
			fmt.Fprintf(a.err, "pentode: %s\n", err)
			return exitCode(exitNo)
		}
		return a.writeTarget(t, format, "The best target whose code runs on "+strings.Join(names, ", ")+".")
	}
	relation, question := target.Run, "runs on"
	if link {
		relation, question = target.Link, "can be linked with"
	}
	return a.verdict(target.Compat(tb, targets[0], targets[1], relation), format,
		fmt.Sprintf("code of %s %s %s", names[0], question, names[1]),
		fmt.Sprintf("code of %s %s %s", names[0], strings.Replace(strings.Replace(question, "runs on", "does not run on", 1), "can be", "cannot be", 1), names[1]))
}
