package coil

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/target"
)

// form checks a value on its own. A setting that another file overrides is not
// checked here, but when the file that contains it is checked.
func (c *checker) form(s *Setting) {
	v := &s.Value
	switch {
	case s.broken:
	case isAuto(v.Text):
		c.report(autoDetected, s.Text, "`%s` is a placeholder for a value that is detected on the host; a file must give the value", v.Text).
			Helped("`pentode target detect` writes the configuration of this machine")
	case s.key == nil:
	case v.Type == schema.Int:
		c.integer(s)
	case v.Type == schema.Bool:
		c.boolean(s)
	case v.Type == schema.List:
		c.list(s)
	case !isWhole(s.Text.Text()):
		c.quoteInside(s.Text)
	case v.Type == schema.Enum:
		c.word(s)
	default:
		c.text(s)
	}
}

func (c *checker) quoteInside(span source.Span) {
	c.report(quoteInside, span, "a quote in the middle of a text").
		Helped("put all of it in quotes, or leave the quotes out")
}

func (c *checker) integer(s *Setting) {
	v := &s.Value
	what := "a whole number, decimal or hexadecimal after `0x`"
	_, fits, ok := parseInt(v.Text)
	switch {
	case v.OK:
	case ok && v.quoted:
		c.report(wrongType, s.Text, "`%s` takes %s; in quotes it is a text", s.Key, what).Helped("write `%s`", v.Text).Replace(true, v.Text)
	case ok && !fits:
		c.report(outOfRange, s.Text, "`%s` is more than 64 bits hold", v.Text)
	case !ok:
		d := c.report(wrongType, s.Text, "`%s` takes %s, not `%s`", s.Key, what, v.Text)
		if strings.HasPrefix(v.Text, "-") || strings.HasPrefix(v.Text, "+") {
			d.Helped("numbers have no sign")
		}
	case len(s.key.Enum) > 0 && s.key.Enum[0] != "1":
		c.report(notInSet, s.Text, "`%s` is not a value of `%s`; it is one of %s", v.Text, s.Key, and(s.key.Enum))
	case len(s.key.Enum) > 0:
		c.power(s)
	default:
		c.report(outOfRange, s.Text, "`%s` is %s, not `%s`", s.Key, s.key.Range(), v.Text)
	}
}

// power reports a number that is not a power of two or is too large.
func (c *checker) power(s *Setting) {
	n := s.Value.Int
	if n > target.MaxAlignment {
		c.report(outOfRange, s.Text, "`%s` is at most %d, not `%s`", s.Key, target.MaxAlignment, s.Value.Text)
		return
	}
	d := c.report(notPower, s.Text, "`%s` is a power of two, not `%s`", s.Key, s.Value.Text)
	if n == 0 {
		d.Helped("the least is 1: no alignment")
		return
	}
	above := uint64(1) << bits.Len64(n)
	d.Helped("the nearest are %d and %d", above/2, above)
}

func (c *checker) boolean(s *Setting) {
	v := &s.Value
	if v.OK {
		return
	}
	if _, ok := parseBool(v.Text); ok {
		c.report(wrongType, s.Text, "`%s` takes true or false; in quotes it is a text", s.Key).Helped("write `%s`", v.Text).Replace(true, v.Text)
		return
	}
	d := c.report(wrongType, s.Text, "`%s` takes true, false, yes, no, 1 or 0, not `%s`", s.Key, v.Text)
	switch strings.ToLower(v.Text) {
	case "on", "enabled", "t", "y":
		d.Helped("write `true`").Replace(false, "true")
	case "off", "disabled", "f", "n":
		d.Helped("write `false`").Replace(false, "false")
	default:
		d.Suggest(false, "true", "false", "yes", "no")
	}
}

// list checks first the form of each element, then its meaning.
func (c *checker) list(s *Setting) {
	items := s.Value.Items
	if items == nil {
		c.report(outOfRange, s.Name, "`%s` has more than %d elements", s.Key, maxItems)
		return
	}
	whole := true
	for i, it := range items {
		if !whole && c.crowded() {
			return
		}
		switch {
		case it.isEmpty():
			whole = false
			c.emptyElement(s, i)
		case s.key.Format != defineForm && !isWhole(it.Raw):
			whole = false
			c.quoteInside(it.Span)
		}
	}
	for _, it := range items {
		switch {
		case !whole:
			return
		case s.key.Format == defineForm:
			c.define(it)
		case s.key.Format == libraryForm:
			c.library(it)
		case s.Section.Name == preprocSection:
			c.blanks(it.Span, it.Text, it.Raw)
		}
	}
}

func (c *checker) emptyElement(s *Setting, i int) {
	items := s.Value.Items
	at := items[i].Span
	d := c.report(emptyElement, s.Text, "an element of the list is empty")
	switch {
	case items[i].Raw != "":
		d.Span = at
	case i == len(items)-1 && i > 0:
		// The range covers the comma and the blanks after the last element but
		// one.
		d.Span = at.File.Span(items[i-1].Span.End, at.End)
		d.Labelled("nothing follows this comma").Helped("leave it out").Replace(true, "")
	case at.Start < len(at.File.Text()) && at.File.Text()[at.Start] == ',':
		d.Span = at.File.Span(at.Start, at.Start+1)
		d.Labelled("nothing precedes this comma").Helped("leave it out").Replace(true, "")
	}
	if d.Span.Len() > 200 {
		d.Span = d.Span.File.Span(d.Span.Start, d.Span.Start+200)
		d.Fixes = nil
	}
}

// word reports a word that is not in a key's enumeration. Enumerations are
// case-sensitive.
func (c *checker) word(s *Setting) {
	v, k := &s.Value, s.key
	if v.OK {
		return
	}
	d := c.report(notInSet, s.Text, "`%s` is not a value of `%s`; it is one of %s", v.Text, s.Key, and(k.Enum))
	for _, w := range k.Enum {
		if strings.EqualFold(w, v.Text) {
			d.Helped("did you mean `%s`? case matters here", w).Replace(true, w)
			return
		}
	}
	near := otherWords[strings.ToLower(v.Text)]
	if !slices.Contains(k.Enum, near) {
		if first, _, several := strings.Cut(v.Text, ","); several && slices.Contains(k.Enum, first) {
			d.Helped("it takes one of them; a target is one machine")
			return
		}
		near = c.nearest(v.Text, k.Enum)
	}
	if near != "" {
		d.Helped("%s", problem.DidYouMean(near)).Replace(false, near)
	}
}

// otherWords maps other names that people and documents use to the words of the
// enumerations.
var otherWords = map[string]string{
	"tpu": "NPU", "processor": "CPU", "graphics": "GPU", "le": "Little", "be": "Big", "littleendian": "Little", "little-endian": "Little",
	"bigendian": "Big", "big-endian": "Big", "coff": "PE", "exe": "PE", "macho": "Mach-O", "bin": "Raw", "binary": "Raw", "downwards": "Down", "upwards": "Up",
}

// text checks a value that is a text and not a list.
func (c *checker) text(s *Setting) {
	v := &s.Value
	switch {
	case v.Text == "":
		c.report(emptyText, s.Text, "`%s` is empty", s.Key).Helped("leave the line out, or write a value")
	case s.key.Format == symbolForm && !v.OK:
		apostrophes(v.Text, c.report(badSymbol, s.Text, "`%s` is not the name of a symbol: letters, digits and `_ . $ @ ?`, not beginning with a digit", v.Text))
	case s.key.Format == versionForm && !v.OK:
		c.report(wrongType, s.Text, "`%s` takes numbers with points between them, such as %s, not `%s`", s.Key, s.key.Example, v.Text)
	case s.key.Format == abiForm && !v.OK:
		d := c.report(badABIName, s.Text, "`%s` is not a name for an ABI: letters, digits and `_ . - +`, beginning with a letter", v.Text)
		apostrophes(v.Text, d)
		var known []string
		for i := range c.tables.ABIs {
			known = append(known, c.tables.ABIs[i].Name)
		}
		if near := c.nearest(v.Text, known); near != "" && len(d.Help) == 0 {
			d.Helped("%s", problem.DidYouMean(near))
		}
	case s.key.Format == someText:
		c.blanks(s.Text, v.Text, s.Text.Text())
	}
}

// apostrophes adds a fix for a text in single quotes, as in a shell.
func apostrophes(text string, d *diag.Diagnostic) {
	if len(text) > 2 && text[0] == '\'' && text[len(text)-1] == '\'' {
		d.Helped("a quote is `\"`, and a name needs none").Replace(false, text[1:len(text)-1])
	}
}

// blanks warns about blanks inside an unquoted text.
func (c *checker) blanks(span source.Span, text, raw string) {
	if raw == text && strings.ContainsAny(text, " \t\v\f") {
		c.report(blankInside, span, "there are blanks inside this text").
			Helped("put it in quotes, to show that they belong to it").
			Replace(true, `"`+text+`"`)
	}
}

// define checks `NAME` or `NAME=VALUE`.
func (c *checker) define(it Item) {
	name, value, assigned := cutDefine(it)
	switch {
	case !isIdentifier(name):
		c.report(badDefine, it.Span, "`%s` is not a name for a constant: letters, digits and `_`, not beginning with a digit", name).
			Helped("write `NAME` or `NAME=VALUE`")
	case assigned && value == "":
		c.report(badDefine, it.Span, "`%s` has no value after its `=`", name).
			Helped("write `%s` alone, or `%s=VALUE`", name, name)
	case !isWhole(value):
		c.report(quoteInside, it.Span, "a quote in the middle of a text").Helped("put all of the value into quotes: `NAME=\"VALUE\"`")
	case it.Raw == it.Text:
		text, _ := unquote(value)
		c.blanks(it.Span.File.Span(it.Span.End-len(value), it.Span.End), text, value)
	}
}

// library checks the name of a library.
func (c *checker) library(it Item) {
	switch {
	case len(it.Text) > 2 && strings.HasPrefix(it.Text, "-l"):
		c.report(badLibrary, it.Span, "`%s` is the flag of a compiler; a library has a name", it.Text).
			Helped("write `%s`", it.Text[2:]).Replace(true, it.Text[2:])
	case !isLibrary(it.Text):
		d := c.report(badLibrary, it.Span, "`%s` is not the name of a library: letters, digits and `_ + . -`", it.Text)
		apostrophes(it.Text, d)
		separated(it, d)
	case strings.ContainsAny(it.Text, `/\`):
		c.report(libraryPath, it.Span, "`%s` is a path; a library has a name", it.Text).
			Helped("the folder belongs in `DefaultLibraryPath`")
	}
}
