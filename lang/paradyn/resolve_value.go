package paradyn

import (
	"slices"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
)

// value reads the value of a field.
func (r *resolver) value(block *Block, key *schema.Key, f *syntax.Field) (Value, bool) {
	if f.Broken || r.dialect == PSDL && !r.form(key, f) {
		return Value{}, false
	}
	v := Value{Place: Place{Span: r.tree.TokenSpan(f.Key), Layer: r.number}}
	if n := len(f.Values); n > 0 {
		v.Place.Span = r.tree.TokenSpan(f.Values[0]).To(r.tree.TokenSpan(f.Values[n-1]))
	}
	if key.Type == schema.List {
		ok := r.arguments(&v, f)
		return v, ok
	}
	if len(f.Values) > 0 {
		v.Text = r.tree.Text(f.Values[0])
	}
	switch {
	case v.Text == "":
		r.problems.Report(emptyValue, v.Place.Span, "the `%s` of this %s is empty", key.Name, block.Kind)
		return v, false
	case key.Type == schema.Enum:
		return v, r.flavor(f)
	case r.dialect == PSDL && r.tree.Kind(f.Values[0]) != syntax.String:
		r.notQuoted(f.Values[0], "the value of `"+key.Name+"`")
		return v, false
	}
	return v, true
}

// form checks that arguments are in braces, and that other fields have one value without.
func (r *resolver) form(key *schema.Key, f *syntax.Field) bool {
	list := key.Type == schema.List
	switch {
	case list && !f.List:
		d := r.problems.Report(braces, r.tree.TokenSpan(f.Key), "the values of `%s` are in braces", key.Name).Helped("write `%s { \"…\" };`", key.Name)
		if n := len(f.Values); n > 0 {
			whole := r.tree.TokenSpan(f.Values[0]).To(r.tree.TokenSpan(f.Values[n-1]))
			d.Fix(true, "write braces", source.Edit{Span: whole, Text: "{ " + whole.Text() + " }"})
		}
	case !list && f.List:
		r.problems.Report(braces, r.tree.TokenSpan(f.Key), "the value of `%s` is not in braces", key.Name).Helped("write `%s \"…\";`", key.Name)
	case !list && len(f.Values) > 1:
		r.problems.Report(oneValue, r.tree.TokenSpan(f.Values[1]), "`%s` has one value", key.Name).Labelled("this is the second").
			Helped("end the field with `;` after the first")
	default:
		return true
	}
	return false
}

func (r *resolver) arguments(v *Value, f *syntax.Field) bool {
	for _, it := range f.Values {
		if r.tree.Kind(it) != syntax.String && r.dialect == PSDL {
			r.notQuoted(it, "an argument")
			return false
		}
		v.Items = append(v.Items, Item{r.tree.Text(it), r.place(it)})
	}
	return true
}

// flavor checks the only field whose value is a keyword.
func (r *resolver) flavor(f *syntax.Field) bool {
	t := r.tree
	span, text := t.TokenSpan(f.Values[0]), t.Text(f.Values[0])
	switch {
	case r.dialect == PCL:
		return true
	case t.Kind(f.Values[0]) == syntax.String && slices.Contains(flavors, text):
		r.problems.Report(unknownFlavor, span, "a flavor is a word without quotes").Helped("write `%s`", text).Replace(true, text)
		return false
	case slices.Contains(flavors, text):
		return true
	case r.later && slices.Contains(laterFlavors, text):
		return false
	}
	p := r.problems.Report(unknownFlavor, span, "`%s` is not a flavor; there are pvm and cm5", text).Suggest(true, flavors...)
	if slices.Contains(laterFlavors, text) {
		p.Note("`%s` is a flavor of later versions of Paradyn", text)
	}
	return false
}
