package pdi

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// typeCodes maps the kinds of problems that the engine finds in declarations to codes.
var typeCodes = map[problem.Kind]*diag.Code{
	data.WrongShape: wrongShape, data.MissingKey: missingKey, data.UnknownKey: unknownTypeKey, data.DuplicateKey: duplicate,
	data.MergeKey: mergeKey, data.UnknownType: unknownType, data.RecursiveType: recursiveType, data.StartAlone: startAlone,
	data.BadExpression: badExpression, data.DialectsDiffer: dialectsDiffer, data.BadLayout: layout, data.Deprecated: deprecated,
}

// declarations lets the engine read every declaration, and then checks the expressions in them, which may refer to later declarations.
func (c *checker) declarations() {
	c.env = c.environment(nil)
	c.env.Lint = true
	for _, list := range [][]*Declaration{c.Metadata, c.Data, c.Types} {
		for _, d := range list {
			if c.full() {
				return
			}
			c.declaration(d)
		}
	}
	c.evaluated(0)
}

// declaration reads the type of a name.
func (c *checker) declaration(d *Declaration) {
	n := d.value.Node
	if d.Section == typesSection {
		if isBuiltin(d.Name) {
			c.end(c.report(duplicate, d.key, "`%s` is a type of the language and cannot be declared again", d.Name))
		} else {
			n = data.Text(d.Name) // if the type was used earlier, it may already have been read
		}
	}
	if d.Name == mergeWord {
		x := c.mergeKeys(d.file.section(d.Section))
		if _, _, typed := d.value.find("type"); !typed && d.value.is(data.MappingNode) {
			c.end(x.As(diag.Error))
			return
		}
	}
	template, problems := c.env.Read(n)
	d.template = template
	for _, e := range problems {
		c.typeProblem(e, d)
	}
}

// typeOf reads a type inside the configuration of a plugin, which may allow more keys than a declaration.
func (c *checker) typeOf(r *config.Rule, v value) {
	if r.NoType && (v.empty() || v.is(data.MappingNode) && v.get("type").absent()) {
		c.apply(&config.Rule{Keys: r.Keys, Open: r.Open}, v, "it")
		return
	}
	first := len(c.env.Expressions)
	_, problems := c.env.Read(v.Node, r.KeyNames()...)
	for _, e := range problems {
		c.typeProblem(e, nil)
	}
	c.evaluated(first)
	for i := range r.Keys {
		if _, val, ok := v.find(r.Keys[i].Name); ok {
			c.apply(r.Keys[i].Rule, val, "`"+r.Keys[i].Name+"`")
		}
	}
}

// evaluated checks the expressions of types, beginning with the one at index first.
func (c *checker) evaluated(first int) {
	for _, x := range c.env.Expressions[first:] {
		u := config.Anything
		if x.Number {
			u = config.Number
		}
		c.expressions(value{Node: x.Node, file: c.main()}, u)
	}
}

// typeProblem reports a problem that the engine found in the declaration d or, if d is nil, in a type elsewhere. If the engine refuses a type, that
// is an error in both dialects; but in upstream, an unused type is never wrong.
func (c *checker) typeProblem(e *data.Error, d *Declaration) {
	refused := e.Severity == problem.Error && (c.dialect == data.Documented || d == nil || d.Section != typesSection)
	code := typeCodes[e.Kind]
	if code == nil {
		code = layout
	}
	span := c.spanOf(e)
	if span.IsZero() {
		span = c.Top() // the value comes from the command line
	}
	if have := c.reported[place{code, span, e.Subject.Key}]; have != nil {
		if refused {
			c.end(have.As(diag.Error))
		}
		return
	}
	if e.Kind == data.UnknownType && c.unknownType(e, d, refused) {
		return
	}
	x := diag.Of(code, &e.Problem)
	x.Span, x.Severity = span, code.Severity
	if e.Suggestion != "" && strings.Contains(span.Text(), e.Node.Text) {
		x.Replace(false, e.Suggestion)
	}
	if t := c.types[e.Subject.Key]; t != nil && code == recursiveType {
		x.At(t.key.span(), "declared here")
	}
	if d != nil && code == layout && !d.value.span().Contains(span) {
		x.At(d.key.span(), "in the type of `%s`", d.Name)
	}
	if refused {
		c.end(x.As(diag.Error))
	}
	c.reported[place{code, span, e.Subject.Key}] = x
	c.add(x)
}

// unknownType adds details about a type that does not exist, and reports whether the mistake is already reported elsewhere.
func (c *checker) unknownType(e *data.Error, d *Declaration, refused bool) bool {
	name := e.Subject.Key
	if c.lost(name, refused) {
		return true
	}
	c.blind = true
	if p := c.known.typeOwner(name); p != nil {
		e.Message = "`" + name + "` is a type of the plugin `" + p.Name + "`, which is not loaded"
		e.Suggestion, e.Expected = "", "add `"+p.Name+":` to `plugins`"
	}
	if strings.Contains(name, "\n") {
		e.Expected = "a block scalar keeps its line break; write `|-`, or the name on the line of the key"
	}
	if d != nil && e.Node == d.value.Node && name == "" {
		if before, after, ok := strings.Cut(d.Name, ":"); ok {
			e.Expected = "write a blank after the colon: `" + problem.Clip(before, problem.Short) + ": " + problem.Clip(after, problem.Short) + "`"
		}
	}
	return false
}
