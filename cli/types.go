package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/catalog/scan"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// library returns the process types, including catalogues from the command line, else from the
// project.
func (a *app) library() (*pipe.Registry, error) {
	p, err := a.here()
	if err != nil {
		return nil, err
	}
	own, err := a.options.own().Options()
	if err != nil {
		return nil, err
	}
	o := own.Sprokit
	if err := a.sprokit(p, &o); err != nil {
		return nil, err
	}
	if err := a.usable(p); err != nil {
		return nil, err
	}
	env := load.NewEnv()
	env.Lookup = func(name string) (string, bool) {
		if value, ok := a.lookup(name); ok {
			return value, true
		}
		return p.Getenv(name)
	}
	return sprokit.Library(env, o), nil
}

func (a *app) typesListVerb() *cobra.Command {
	var as format
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List process types and clusters",
		Example: examples("pentode types list", "pentode types list | grep number"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			library, err := a.library()
			if err != nil {
				return err
			}
			if as == asText {
				var rows [][]string
				for t := range library.All() {
					rows = append(rows, []string{t.Name, kindOf(t), firstSentence(t.Doc)})
				}
				return a.buffered(func() error { a.columns(rows, columns.Name, columns.Text, columns.Line); return nil })
			}
			var types []*pipe.Type
			for t := range library.All() {
				if t.Cluster != nil {
					marked := *t
					marked.Properties = append(slices.Clip(t.Properties), "_cluster")
					t = &marked
				}
				types = append(types, t)
			}
			return catalog.Declarations{Types: types}.Write(a.out)
		},
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|json`; json has ports and keys, in the format that --types reads")
	return a.wideFlag(a.flowFlags(cmd))
}

func (a *app) typesShowVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show TYPE|ALGORITHM",
		Short:   "Show the ports, keys and documentation of a process type, cluster or algorithm",
		Example: examples("pentode types show numbers", "pentode types show vxl_threshold"),
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			library, err := a.library()
			if err != nil {
				return err
			}
			if known, err := a.showType(library, args[0]); known {
				return err
			}
			return fmt.Errorf("there is no process type, cluster or algorithm `%s`%s", args[0], near(args[0], typeNames(library)))
		},
	}
	return a.wideFlag(a.flowFlags(cmd))
}

// showType describes a process type, a cluster or an algorithm. It reports whether one of that name exists.
func (a *app) showType(library *pipe.Registry, name string) (bool, error) {
	if t, ok := library.Lookup(name); ok {
		return true, a.buffered(func() error { a.describe(t); return nil })
	}
	var found []pipe.Use
	for _, u := range library.AllAlgorithms() {
		if u.Name == name {
			found = append(found, u)
		}
	}
	if len(found) == 0 {
		return false, nil
	}
	return true, a.buffered(func() error { a.describeAlgorithms(found); return nil })
}

// typeNames returns the names of all process types, clusters and algorithms.
func typeNames(library *pipe.Registry) (names []string) {
	for t := range library.All() {
		names = append(names, t.Name)
	}
	for _, u := range library.AllAlgorithms() {
		names = append(names, u.Name)
	}
	return names
}

func (a *app) flowFlags(cmd *cobra.Command) *cobra.Command {
	f, o := cmd.Flags(), &a.files.options
	f.StringArrayVar(&o.types, "types", nil, "a `FILE` that declares process types (repeatable)")
	return a.projectFlags(cmd)
}

// kindOf describes how a type can be used.
func kindOf(t *pipe.Type) string {
	switch own := t.Runs(); {
	case own == nil:
		return "declared"
	case own.Cluster != nil:
		return "cluster"
	}
	return "runs"
}

// originOf returns the file of a declaration, as text to append to its version.
func originOf(t *pipe.Type) string {
	if t.Origin == "" || t.Origin == t.Version {
		return ""
	}
	return ", from " + t.Origin
}

func firstSentence(doc string) string {
	doc, _, _ = strings.Cut(doc, "\n")
	if i := strings.Index(doc, ". "); i >= 0 {
		doc = doc[:i+1]
	}
	return doc
}

func (a *app) describe(t *pipe.Type) {
	a.line("%s (%s)", t.Name, kindOf(t))
	if t.Doc != "" {
		a.prose("\n" + t.Doc)
	}
	if t.Version != "" {
		a.prose("\nThe declaration comes from " + t.Version + originOf(t) + ".")
	}
	if t.Needs != "" && t.Runs() == nil {
		a.prose("\nIt needs " + t.Needs + ".")
	}
	a.ports("inputs", t.In)
	a.ports("outputs", t.Out)
	var rows [][]string
	for _, k := range t.Keys {
		rows = append(rows, []string{"  " + keyName(&k), string(k.Kind), defaultOf(&k), keyNotes(&k), k.Doc})
	}
	a.part("keys", rows, columns.Name, columns.Text, columns.Name, columns.Name, columns.Prose)
	if t.Cluster == nil {
		return
	}
	rows = rows[:0]
	for _, p := range t.Cluster.Processes {
		rows = append(rows, []string{"  " + p.Name, ":: " + p.Type})
	}
	a.part("processes inside", rows, columns.Name, columns.Name)
}

// describeAlgorithms shows the algorithms of one name.
func (a *app) describeAlgorithms(list []pipe.Use) {
	for i, u := range list {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		a.line("%s (algorithm for %s)", u.Name, u.Role)
		if u.Doc != "" {
			a.prose("\n" + u.Doc)
		}
		var rows [][]string
		for _, at := range u.At {
			rows = append(rows, []string{"  " + at[0], at[1]})
		}
		a.part("chosen by", rows, columns.Name, columns.Name)
		rows = nil
		for _, k := range u.Keys {
			rows = append(rows, []string{"  " + keyName(&k), string(k.Kind), defaultOf(&k), keyNotes(&k), k.Doc})
		}
		a.part("keys", rows, columns.Name, columns.Text, columns.Name, columns.Name, columns.Prose)
	}
}

func (a *app) ports(title string, ports []pipe.Port) {
	var rows [][]string
	for _, p := range ports {
		rows = append(rows, []string{"  " + p.Name, p.Type, p.Flags.String(), p.Doc})
	}
	a.part(title, rows, columns.Name, columns.Name, columns.Name, columns.Prose)
}

// part prints a titled table, or nothing if it has no rows.
func (a *app) part(title string, rows [][]string, kinds ...columns.Kind) {
	if len(rows) == 0 {
		return
	}
	for _, row := range rows {
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "\n", " ")
		}
	}
	fmt.Fprintf(a.out, "\n%s\n", title)
	a.columns(rows, kinds...)
}

func keyName(k *pipe.Key) string {
	switch {
	case k.Kind == pipe.Algo:
		return k.Name + ":type"
	case k.Name == "":
		return "(any)"
	}
	return k.Name
}

func defaultOf(k *pipe.Key) string {
	if k.Default == "" {
		return ""
	}
	return "= " + k.Default
}

func keyNotes(k *pipe.Key) string {
	var notes []string
	if k.Required {
		notes = append(notes, "required")
	}
	if k.Tunable {
		notes = append(notes, "tunable")
	}
	if len(k.Choices) > 0 {
		notes = append(notes, strings.Join(k.Choices, "|"))
	}
	return strings.Join(notes, ", ")
}

func (a *app) typesImportVerb() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "import [-o FILE] SOURCE...",
		Short: "Create a catalogue of the process types and algorithms of an installation",
		Long: "Reads process types and algorithms with their keys from folders of C++ and Python sources, from single source files,\n" +
			"and from the output of `plugin_explorer --proc all --fmt json` and `plugin_explorer --algo all -d`, and writes a file\n" +
			"for --types. It runs no program of the installation. If two sources declare the same name, the later SOURCE wins.",
		Example: examples("pentode types import -o kwiver.json kwiver/", "pentode types import -o types.json kwiver/ VIAME/plugins explorer.json"),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, sources []string) error {
			s := &scan.Scanner{}
			a.work.Begin("reading", "sources")
			s.Read = func(files int64) { a.work.Set(files, 0) }
			for _, path := range sources {
				if err := a.scanSource(s, path); err != nil {
					return err
				}
			}
			all := catalog.Declarations{Types: s.Types(), Algorithms: s.Algorithms(), Placeholders: s.Placeholders(), Unread: s.Unread()}
			if len(all.Types)+len(all.Algorithms) == 0 {
				return a.no(errors.New("there is no process type and no algorithm in these sources"))
			}
			var text bytes.Buffer
			if err := all.Write(&text); err != nil {
				return err
			}
			if err := a.deliver(output, text.Bytes()); err != nil || output == "" || output == stdio {
				return err
			}
			found := quantity.Count(len(all.Types), "process type", "process types")
			if len(all.Algorithms) > 0 {
				found += " and " + quantity.Count(len(all.Algorithms), "algorithm", "algorithms")
			}
			fmt.Fprintf(a.err, "%s in `%s`\n", found, output)
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`; - is standard output")
	return cmd
}

// scanSource reads one folder or file, or the output of plugin_explorer on standard input.
func (a *app) scanSource(s *scan.Scanner, path string) error {
	name := filepath.ToSlash(filepath.Clean(path))
	if isFolder(path) && path != stdio {
		return s.Folder(name, os.DirFS(path))
	}
	f, err := source.OpenNamed(a.opener(source.Disk{}), path)
	if err != nil {
		return errors.New(source.Explain(path, err))
	}
	if scan.IsSource(path) {
		s.File(name, f.Text())
		return nil
	}
	if err := s.Explorer(filepath.Base(path), f.Text()); err != nil {
		return fmt.Errorf("`%s` cannot be used: %w", path, err)
	}
	return nil
}
