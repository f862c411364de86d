package paradyn

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
)

// sign is something that exists only in later versions of the language.
type sign struct {
	span source.Span
	what string
}

// isLater reports whether a field exists only in PCL.
func isLater(field string) bool {
	later := false
	for i := range blocks {
		if k := blocks[i].Key(field); k != nil {
			if !k.Extension {
				return false
			}
			later = true
		}
	}
	return later
}

// isBoolean reports whether a value is one of PCL's truth words.
func isBoolean(t *syntax.Tree, token int) bool {
	return t.Kind(token) == syntax.Word && (strings.EqualFold(t.Text(token), "true") || strings.EqualFold(t.Text(token), "false"))
}

// pclSigns returns the places of a file that are valid only in PCL. A flavor of
// PCL alone is no sign, since it is more likely a mistake.
func pclSigns(t *syntax.Tree) []sign {
	var signs, flavors []sign
	add := func(list *[]sign, token int, what string) { *list = append(*list, sign{t.TokenSpan(token), what}) }
	for i := range t.Defs {
		d := &t.Defs[i]
		keyword := t.Text(d.Keyword)
		switch {
		case d.Opaque && slices.Contains(laterKeywords, keyword):
			add(&signs, d.Keyword, "`"+keyword+"` begins a definition of PCL")
		case d.Name >= 0 && t.Kind(d.Name) == syntax.Word && !d.Broken:
			add(&signs, d.Name, "a name before the brace")
			continue
		}
		for j := range d.Blocks {
			for _, f := range d.Blocks[j].Fields {
				name := t.Text(f.Key)
				if own := section(keyword).Key(name); (own == nil || own.Extension) && isLater(name) {
					add(&signs, f.Key, "a field of PCL")
				}
				if name == "flavor" && len(f.Values) > 0 && slices.Contains(laterFlavors, t.Text(f.Values[0])) {
					add(&flavors, f.Values[0], "a flavor of PCL")
				}
			}
		}
		for _, p := range d.Pairs {
			if p.Value >= 0 && isBoolean(t, p.Value) {
				add(&signs, p.Value, "a truth value")
			}
		}
	}
	if len(signs) == 0 {
		return nil
	}
	return append(signs, flavors...)
}

// reportPCL reports once that a file is in a later version of the language.
func (m *Model) reportPCL(signs []sign) {
	const maxLabels = 8
	d := m.problems.Report(laterVersion, signs[0].span, "this is Paradyn PCL, the language of August 1994 and later").
		Labelled("%s", signs[0].what)
	for i, s := range signs[1:] {
		if i == maxLabels {
			d.Note("and at %d more places", len(signs)-1-maxLabels)
			break
		}
		d.At(s.span, "%s", s.what)
	}
	d.Helped("`paradyn.dialect = pcl` of pentode.toml reads it, `convert --config paradyn.dialect=pcl --to psdl` translates it; definitions in the language of July 1994 were read anyway")
}
