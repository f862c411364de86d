package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// topics are what `target list` can list.
var topics = []string{"pu", "arch", "features", "abi", "presets"}

// topicWords is the greatest number of words after each of them.
var topicWords = map[string]int{"pu": 0, "arch": 1, "features": 2, "abi": 2, "presets": 0}

func (a *app) targetListVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list pu|arch|features|abi|presets [ARCHITECTURE [MODE]]",
		Short: "List what is known: processors, architectures, features, ABIs, presets",
		Long: "List what is known.\n  list arch [PU]                      architectures with their modes\n" +
			"  list features ARCHITECTURE [MODE]   features with what each implies\n  list abi [ARCHITECTURE [MODE]]      ABIs with their registers",
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
				return a.lines(tb.PUs())
			case "arch":
				return a.listArchs(tb, args[1:])
			case "features":
				return a.listFeatures(tb, args[1:])
			case "abi":
				return a.listABIs(tb, args[1:])
			case "presets":
				return a.listPresets()
			}
			return fmt.Errorf("there is no list of `%s`; %s", args[0], problem.Advise(args[0], topics, "known are "+strings.Join(topics, ", ")))
		},
	}
	targetFiles(cmd, &a.files.options)
	return a.projectFlags(cmd)
}

func atMostWords(n int) string {
	if n == 0 {
		return "nothing"
	}
	return "at most " + arguments(n)
}

func (a *app) lines(list []string) error {
	for _, s := range list {
		if _, err := fmt.Fprintln(a.out, strings.TrimRight(s, " ")); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) listArchs(tb *table.Tables, args []string) error {
	if len(args) > 0 && !slices.ContainsFunc(tb.PUs(), func(pu string) bool { return strings.EqualFold(pu, args[0]) }) {
		return fmt.Errorf("`%s` is not a PU; there are %s", args[0], strings.Join(tb.PUs(), ", "))
	}
	var out []string
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
		out = append(out, fmt.Sprintf("%-4s %-12s %-14s %s", arch.PU, arch.Name, strings.Join(modes, ","), strings.Join(aliases, ", ")))
	}
	return a.lines(out)
}

// archs are the architectures of a name, of any PU, in a mode where one is given.
func archs(tb *table.Tables, args []string) ([]*table.Arch, int, error) {
	mode := 0
	if len(args) > 1 {
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return nil, 0, fmt.Errorf("`%s` is not a mode; one is 32 or 64", args[1])
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
	var out []string
	for _, arch := range list {
		for i := range arch.ISAs {
			isa := &arch.ISAs[i]
			if mode != 0 && !slices.ContainsFunc(isa.Modes, func(m table.Mode) bool { return m.Bits == mode }) {
				continue
			}
			if len(list) > 1 || len(arch.ISAs) > 1 && mode == 0 {
				out = append(out, fmt.Sprintf("# %s %s %d", arch.PU, arch.Name, isa.Modes[0].Bits))
			}
			for _, name := range isa.FeatureNames() {
				f := isa.Feature(name)
				implied := ""
				if f.Feature != nil {
					implied = strings.Join(f.Implies.Names(isa), " ")
				}
				out = append(out, fmt.Sprintf("%-20s %s", name, implied))
			}
		}
	}
	if len(out) == 0 {
		fmt.Fprintf(a.err, "pentode: the tables have no features of %s; a file may name any\n", args[0])
	}
	return a.lines(out)
}

func (a *app) listABIs(tb *table.Tables, args []string) error {
	var list []*table.Arch
	var mode int
	if len(args) > 0 {
		var err error
		if list, mode, err = archs(tb, args); err != nil {
			return err
		}
	}
	var out []string
	for i := range tb.ABIs {
		abi := &tb.ABIs[i]
		fits := func(arch *table.Arch) bool {
			return abi.Any || abi.PU == arch.PU && abi.Arch == arch.Name && (mode == 0 || slices.Contains(abi.Modes, mode))
		}
		if list != nil && !slices.ContainsFunc(list, fits) {
			continue
		}
		out = append(out, fmt.Sprintf("%-16s %-16s %-34s %s", abi.Name, abi.Home(), strings.Join(abi.Parameters, ","), strings.Join(abi.Returns, ",")))
	}
	return a.lines(out)
}

func (a *app) listPresets() error {
	var out []string
	for _, name := range preset.Names() {
		f, _ := preset.File(name)
		out = append(out, fmt.Sprintf("%-20s %s", name, preset.Title(f)))
	}
	return a.lines(out)
}
