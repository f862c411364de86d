package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help of flags: its width, and where descriptions begin.
const (
	helpWidth  = 100
	helpColumn = 30
)

// groupTitles are the groups of flags in the order of the help. A flag belongs
// to the one whose name stands before its description.
var groupTitles = []struct{ name, title string }{
	{"", "Flags"}, {"pipelines and folders", "Pipelines and folders"}, {"pipelines", "Pipelines"}, {"launch", "Launch"},
	{fileGroup, "Files"}, {"COIL", "COIL"}, {"Paradyn", "Paradyn"}, {"sprokit", "sprokit"}, {"PDI", "PDI"}, {"PInsight", "PInsight"},
}

// usage is how a verb is called. It ends with the examples: they are what
// people look for.
func usage(cmd *cobra.Command) error {
	parts := []string{"Usage:\n  " + cmd.UseLine()}
	if cmd.HasAvailableSubCommands() {
		parts[0] = "Usage:\n  " + cmd.CommandPath() + " VERB"
		verbs := "Verbs:"
		for _, verb := range cmd.Commands() {
			if verb.IsAvailableCommand() {
				verbs += fmt.Sprintf("\n  %-*s %s", verb.NamePadding(), verb.Name(), verb.Short)
			}
		}
		parts = append(parts, verbs)
	}
	if cmd.HasAvailableLocalFlags() {
		parts = append(parts, flagGroups(cmd.LocalFlags()))
	}
	if cmd.HasExample() {
		parts = append(parts, "Examples:\n"+cmd.Example)
	}
	_, err := fmt.Fprintln(cmd.OutOrStderr(), strings.Join(parts, "\n\n"))
	return err
}

// flagGroups is the help of flags, group by group, wrapped at words.
func flagGroups(flags *pflag.FlagSet) string {
	groups := map[string][]string{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		group, usage := groupOf(f)
		groups[group] = append(groups[group], flagHelp(f, usage))
	})
	var parts []string
	for _, g := range groupTitles {
		if lines := groups[g.name]; len(lines) > 0 {
			parts = append(parts, g.title+":\n"+strings.Join(lines, "\n"))
		}
	}
	return strings.Join(parts, "\n\n")
}

// groupOf is the group of a flag, and its description without that.
func groupOf(f *pflag.Flag) (group, usage string) {
	if _, general := f.Annotations[fileGroup]; general {
		return fileGroup, f.Usage
	}
	for _, g := range groupTitles {
		if rest, ok := strings.CutPrefix(f.Usage, g.name+": "); ok && g.name != "" {
			return g.name, rest
		}
	}
	return "", f.Usage
}

// flagHelp is the help of one flag.
func flagHelp(f *pflag.Flag, usage string) string {
	plain := *f
	plain.Usage = usage
	value, text := pflag.UnquoteUsage(&plain)
	left := "      --" + f.Name
	if f.Shorthand != "" {
		left = "  -" + f.Shorthand + ", --" + f.Name
	}
	if f.NoOptDefVal != "" && f.Value.Type() != "bool" {
		left += "[=" + value + "]"
	} else if value != "" {
		left += " " + value
	}
	switch f.DefValue {
	case "", "false", "0", "0s", "[]":
	default:
		text += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	var b strings.Builder
	b.WriteString(left)
	column := len(left)
	if column >= helpColumn {
		b.WriteByte('\n')
		column = 0
	}
	for _, word := range strings.Fields(text) {
		switch {
		case column < helpColumn:
			b.WriteString(strings.Repeat(" ", helpColumn-column))
			column = helpColumn
		case column+1+len(word) > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", helpColumn))
			column = helpColumn
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
