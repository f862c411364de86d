package pdi

import (
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/expr"
)

func (c *checker) compile(text string) *reading {
	if r, ok := c.read[text]; ok {
		return r
	}
	r := &reading{}
	c.read[text] = r
	p, err := expr.Compile(text, c.dialect)
	if err != nil {
		r.err = err.(*expr.Error) // Compile returns no other type of error
		return r
	}
	r.program = p
	for ref := range p.Refs() {
		r.refs = append(r.refs, ref)
	}
	r.kind, r.static = p.Static(c.shape)
	r.lints = p.Lints()
	return r
}

// expression checks a scalar that is an expression.
func (c *checker) expression(v value, u config.Use) {
	if decimal(v.Text) {
		return
	}
	if c.full() {
		return
	}
	r := c.compile(v.Text)
	if r.err != nil {
		c.reportAt(badExpression, v.part(r.err.Offset, r.err.End), "%s", r.err.Msg)
		c.blind = true
		return
	}
	for i := range r.refs {
		c.reference(v, &r.refs[i], u)
	}
	for _, e := range r.static {
		c.reportAt(badReference, v.part(e.Offset, e.End), "%s", e.Msg)
	}
	explained := c.lints(v, r, u)
	if u.Numeric() && !explained && len(r.static) == 0 {
		c.number(v, r)
	}
}

// lints reports probable mistakes in an expression. It returns whether one of them explains why the expression is not a number.
func (c *checker) lints(v value, r *reading, u config.Use) bool {
	explained := slices.ContainsFunc(r.lints, func(l expr.Lint) bool { return l.Code == expr.NotAnOperator })
	for _, l := range r.lints {
		if l.Code == expr.DialectsDiffer && (explained || u.Numeric() && notNumber(r.program)) {
			continue // skip it: neither dialect reads it as intended
		}
		code := map[problem.Kind]*diag.Code{expr.NotAnOperator: notAnOperator, expr.BadFormat: badFormat, expr.DialectsDiffer: dialectsDiffer}[l.Code]
		d := c.reportAt(code, v.part(l.Offset, l.End), "%s", l.Msg)
		if l.Use != "" && !strings.Contains(l.Msg, l.Use) {
			d.Helped("write `%s`", l.Use)
		}
		if l.Code == expr.NotAnOperator && u.Numeric() {
			d.As(diag.Error)
		}
	}
	return explained
}

// notNumber reports whether an expression is a text and not a boolean word either.
func notNumber(p *expr.Program) bool {
	word, _ := p.Literal()
	return p.Form() == expr.Text && !boolean(word)
}

// number reports an expression that cannot be a number. Boolean words count as numbers.
func (c *checker) number(v value, r *reading) {
	switch {
	case r.program.Form() == expr.Text:
		if word, ok := r.program.Literal(); ok {
			_, declared := c.names[word]
			switch {
			case boolean(word) && !declared:
			case boolean(word):
				c.used[word] = true // the author probably meant to read it
				c.report(notANumber, v, "%s means yes or no here, not the datum of that name", v.name()).As(diag.Warning).
					Helped("write `$%s` to read it", word).Fix(false, "write `$"+word+"`", source.Edit{Span: v.part(0, len(word)), Text: "$" + word})
			case declared:
				c.used[word] = true
				c.report(notANumber, v, "expected a number, found the text %s", v.name()).
					Helped("write `$%s` to read the datum of that name", word).Fix(false, "write `$"+word+"`", source.Edit{Span: v.part(0, len(word)), Text: "$" + word})
			case strings.Trim(word, "0123456789") == "" && word[0] == '0' && strings.ContainsAny(word, "89"):
				c.report(notANumber, v, "a number that begins with 0 is octal, and %s has a digit that is not octal", v.name()).
					Helped("write `%s`", strings.TrimLeft(word, "0"))
			case strings.Trim(word, "0123456789") == "":
				c.report(notANumber, v, "the number %s is too large: it must fit into 64 bits", v.name())
			default:
				c.report(notANumber, v, "expected a number, found the text %s", v.name()).
					Helped("a reference is written with `$`; the words yes, no, true, false, on and off count as numbers")
			}
			return
		}
		c.report(notANumber, v, "expected a number, found a text with references, %s", v.name()).
			Helped("an operation has no text around it: `$a + 1`, not `a${a}`")
	case r.kind == expr.Array || r.kind == expr.Record || r.kind == expr.Tuple || r.kind == expr.Pointer || r.kind == expr.Opaque:
		c.report(notANumber, v, "expected a number, found %s, which is of kind %s", v.name(), r.kind)
	}
}

func boolean(word string) bool {
	switch word {
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON",
		"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return true
	}
	return false
}

// reference checks that a name is declared, and that its value exists when it is read.
func (c *checker) reference(v value, ref *expr.Ref, u config.Use) {
	c.used[ref.Name] = true
	at := func() source.Span { return v.part(ref.NameOffset, ref.NameOffset+len(ref.Name)) }
	d, declared := c.names[ref.Name]
	if !declared {
		if !c.provided[ref.Name] && !c.lost(ref.Name, false) {
			c.suggestName(c.reportAt(undeclared, at(), "`%s` is not declared", ref.Name).
				Labelled("no metadata and no data of that name"), ref.Name)
		}
		return
	}
	if d.Section == dataSection && u.NeedsMetadata() {
		together, apart := c.sharedTogether(ref.Name)
		if together && u == config.Number {
			return
		}
		x := c.reportAt(dataReference, at(), "`%s` is data: it can be read only while it is shared", ref.Name).
			At(d.key.span(), "declared here").
			Helped("move it to `metadata`, which is copied")
		if apart != nil {
			x.At(apart.Span, "`%s` is shared here, and `%s` is not", apart.Name, ref.Name)
		}
	}
}

// suggestName adds the declared name that was probably intended: a similar name, or a name that contains it.
func (c *checker) suggestName(d *diag.Diagnostic, name string) {
	const maxSuggested = 200 // finding suggestions takes most of the time of a finding
	if c.suggested++; c.suggested > maxSuggested {
		return
	}
	names := c.declaredNames()
	if _, ok := problem.Nearest(name, names); ok {
		d.Suggest(false, names...)
		return
	}
	for _, have := range names {
		if len(name) > 2 && strings.Contains(strings.ToLower(have), strings.ToLower(name)) {
			d.Helped("did you mean `%s`?", have).Replace(false, have)
			return
		}
	}
}

// declaredNames returns the names that a reference may have, for suggestions.
func (c *checker) declaredNames() []string {
	if c.suggest == nil {
		const maxNames = 1000
		for _, list := range [][]*Declaration{c.Metadata, c.Data} {
			for _, d := range list[:min(len(list), maxNames)] {
				c.suggest = append(c.suggest, d.Name)
			}
		}
		c.suggest = append(c.suggest, slices.Sorted(maps.Keys(c.provided))...)
	}
	return c.suggest
}

// expressions checks a value of any shape: every scalar in it is an expression.
func (c *checker) expressions(v value, u config.Use) {
	if c.again(v) {
		return
	}
	switch {
	case v.is(data.ScalarNode):
		if !v.empty() {
			c.expression(v, u)
		}
	case v.is(data.SequenceNode):
		for _, item := range v.items() {
			c.expressions(item, u)
		}
	case v.is(data.MappingNode):
		c.duplicates(v)
		for _, val := range v.pairs() {
			c.expressions(val, u)
		}
	}
}

// again reports whether an anchored value was already checked, at its anchor or at another alias.
func (c *checker) again(v value) bool {
	if v.syn == nil || v.syn.Resolved().Anchor().Empty() {
		return false
	}
	if c.seen[v.Node] {
		return true
	}
	c.seen[v.Node] = true
	return false
}

// number64 returns the value of a literal number.
func (c *checker) number64(v value) (int64, bool) {
	if !v.is(data.ScalarNode) || !v.constant() {
		return 0, false
	}
	val, err := c.environment(nil).ParseValue(v.Node)
	if err != nil {
		return 0, false
	}
	n, err := val.Long()
	return n, err == nil
}
