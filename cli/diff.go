package cli

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/lang"
)

func (a *app) diffVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "diff A B",
		Short:   "Compare the meaning of two files",
		Example: examples("pentode diff examples/heat/base.coilcfg examples/heat/heat.coilcfg", "pentode diff --as upstream examples/heat/heat.pinsight examples/trace/trace_config.txt"),
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, paths []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			var sides [2]*lang.Config
			for i, path := range paths {
				if sides[i], _, err = a.config(w, []string{path}); err != nil {
					return err
				}
			}
			if l, r := sides[0].Document.Language, sides[1].Document.Language; l != r {
				return fmt.Errorf("`%s` is a %s file and `%s` is a %s file; they cannot be compared", paths[0], l.Title, paths[1], r.Title)
			}
			n := 0
			err = a.buffered(func() error {
				n = a.differentParts(sides[0], sides[1]) + a.differences(sides[0], sides[1])
				return nil
			})
			if err != nil {
				return err
			}
			if a.incomplete(sides[:]) || a.differentMeaning(sides, n) || n > 0 {
				return exitCode(exitNo)
			}
			return nil
		},
	}
	return a.wideFlag(a.reads(cmd))
}

// incomplete warns about sides that could not be compared completely.
func (a *app) incomplete(sides []*lang.Config) bool {
	broken := false
	for _, c := range sides {
		if n := c.Diagnostics().Count(diag.Error); n > 0 {
			broken = true
			path := c.Document.File.Path()
			fmt.Fprintf(a.err, "`%s` has errors, so only what could be resolved was compared; `pentode check` shows them\n", path)
		}
	}
	return broken
}

// differentMeaning reports whether two sides with the same settings still mean different
// things. If n settings differ but the meaning does not, it prints that.
func (a *app) differentMeaning(sides [2]*lang.Config, n int) bool {
	left, noLeft := sides[0].Fingerprint()
	right, noRight := sides[1].Fingerprint()
	switch {
	case noLeft != nil || noRight != nil: // for example if a file has only a cluster, and so no meaning by itself
		return false
	case n > 0 && left == right:
		fmt.Fprintf(a.err, "this makes no difference to a run: both have the fingerprint %s\n", left.Short())
	case n == 0 && left != right:
		fmt.Fprintln(a.err, "no setting differs, but the order of the declarations does, and it matters: `pentode show --fingerprint` differs")
		return true
	}
	return false
}

// differentParts prints the parts of a document, besides its settings, that differ between the
// sides, and returns their number. The inside of a part is compared only if both sides have
// that part.
func (a *app) differentParts(left, right *lang.Config) int {
	was, is := keyed(left.Parts()), keyed(right.Parts())
	texts := func(list []numbered) map[string]string {
		m := make(map[string]string, len(list))
		for i := range list {
			m[list[i].key] = list[i].Text
		}
		return m
	}
	old, new := texts(was), texts(is)
	common := func(p *numbered) bool { return p.Inside == "" || old[p.Inside] == new[p.Inside] }
	n := 0
	for i := range was {
		p := &was[i]
		if now, ok := new[p.key]; now != p.Text && common(p) {
			a.line("- %s", p.Text)
			if ok {
				a.line("+ %s", now)
			}
			n++
		}
	}
	for i := range is {
		p := &is[i]
		if _, ok := old[p.key]; !ok && common(p) {
			a.line("+ %s", p.Text)
			n++
		}
	}
	return n
}

// numbered is a part with a unique key: a document with errors may declare a part twice.
type numbered struct {
	lang.Part
	key string
}

func keyed(parts iter.Seq[lang.Part]) []numbered {
	var list []numbered
	seen := map[string]int{}
	for p := range parts {
		key := p.Key
		if seen[p.Key]++; seen[p.Key] > 1 {
			key += "\x00" + strconv.Itoa(seen[p.Key])
		}
		list = append(list, numbered{p, key})
	}
	return list
}

// differences prints every setting that differs between the sides, and
// returns the number of differences.
func (a *app) differences(left, right *lang.Config) int {
	lines := differences(left.Values(), right.Values())
	for _, line := range lines {
		for part := range strings.Lines(line) {
			a.line("%s", strings.TrimSuffix(part, "\n"))
		}
	}
	return len(lines)
}

// differences returns the settings that differ between the sides, each with its
// line ends: settings of the right side in its order, then settings of the left
// side alone. It reads both sides in step and keeps only settings without a
// counterpart so far, because a configuration can have millions.
func differences(left, right iter.Seq[origin.Entry]) []string {
	type setting struct {
		line     string
		implicit bool
		at       int // index on its side
	}
	type difference struct {
		text string
		at   int
	}
	var list []difference
	was, is := map[string]setting{}, map[string]setting{} // settings of each side that are not yet found on the other
	meet := func(old, new setting) {
		if old.line != new.line {
			list = append(list, difference{"- " + old.line + "\n+ " + new.line + "\n", new.at})
		}
	}
	nextLeft, stopLeft := iter.Pull(left)
	defer stopLeft()
	nextRight, stopRight := iter.Pull(right)
	defer stopRight()
	for at := 0; ; at++ {
		l, onLeft := nextLeft()
		r, onRight := nextRight()
		if !onLeft && !onRight {
			break
		}
		if onLeft && onRight && l.Key == r.Key && l.Value == r.Value && slices.Equal(l.Flags, r.Flags) {
			continue
		}
		if onLeft {
			old := setting{settingLine(&l), l.Implicit, at}
			if new, ok := is[l.Key]; ok {
				delete(is, l.Key)
				meet(old, new)
			} else {
				was[l.Key] = old
			}
		}
		if onRight {
			new := setting{settingLine(&r), r.Implicit, at}
			if old, ok := was[r.Key]; ok {
				delete(was, r.Key)
				meet(old, new)
			} else {
				is[r.Key] = new
			}
		}
	}
	for _, new := range is {
		if !new.implicit {
			list = append(list, difference{"+ " + new.line + "\n", new.at})
		}
	}
	slices.SortFunc(list, func(a, b difference) int { return cmp.Compare(a.at, b.at) })
	leftOnly := len(list)
	for _, old := range was {
		if !old.implicit {
			list = append(list, difference{"- " + old.line + "\n", old.at})
		}
	}
	slices.SortFunc(list[leftOnly:], func(a, b difference) int { return cmp.Compare(a.at, b.at) })
	lines := make([]string, len(list))
	for i, d := range list {
		lines[i] = d.text
	}
	return lines
}
