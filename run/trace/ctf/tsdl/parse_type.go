package tsdl

import (
	"math"
	"slices"
	"strings"
)

// alias reads a declaration that names a type, if one is next: `typealias TYPE := NAME` or `typedef TYPE NAME`.
func (p *parser) alias() bool {
	switch {
	case p.accept("typealias"):
		t := p.typ()
		at := p.ahead.at
		p.expect(":=", "after the type of a `typealias`")
		names := p.words()
		if len(names) == 0 {
			p.fail(p.ahead.at, "expected the name of the type, found %s", p.ahead.shown())
		}
		p.name(at, spaced(names), t)
	case p.accept("typedef"):
		at := p.ahead.at
		for _, f := range p.fields() {
			p.name(at, f.Name, f.Type)
		}
	default:
		return false
	}
	return true
}

// typ reads a type that is not followed by a name.
func (p *parser) typ() Type {
	if t := p.specifier(); t != nil {
		return t
	}
	at := p.ahead
	words := p.words()
	if len(words) == 0 {
		p.fail(at.at, "expected a type, found %s", at.shown())
	}
	return p.known(at.at, words)
}

// known returns the type with a name.
func (p *parser) known(at int, words []string) Type {
	name := spaced(words)
	t := p.lookup(name)
	if t == nil {
		p.fail(at, "the type `%.80s` is not declared", name)
	}
	return t
}

// specifier reads a type that begins with a keyword, or returns nil.
func (p *parser) specifier() Type {
	if p.ahead.kind != word {
		return nil
	}
	if p.depth++; p.depth > maxDepth {
		p.fail(p.ahead.at, "declarations are nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	switch p.ahead.text {
	case "integer":
		return p.integer()
	case "floating_point":
		return p.float()
	case "string":
		p.take()
		if p.accept("{") {
			p.attributes("string", func(attribute) {})
		}
		return &String{}
	case "struct":
		return p.structure()
	case "variant":
		return p.variant()
	case "enum":
		return p.enum()
	}
	return nil
}

// attributes reads the attributes in the braces of a type.
func (p *parser) attributes(of string, set func(attribute)) {
	for !p.accept("}") {
		if p.ahead.kind == end {
			p.fail(p.ahead.at, "the type `%s` does not end: a `}` is missing", of)
		}
		set(p.attribute())
		p.expect(";", "after an attribute of `"+of+"`")
	}
}

func (p *parser) integer() Type {
	at := p.take().at
	t := &Integer{Base: 10}
	p.expect("{", "after `integer`")
	p.attributes("integer", func(a attribute) {
		switch a.name {
		case "size":
			t.Bits = p.number(a)
		case "align":
			t.Align = p.align(a)
		case "signed":
			t.Signed = p.flag(a)
		case "base":
			t.Base = p.base(a)
		case "byte_order":
			t.Order = p.order(a)
		case "encoding":
			t.Text = a.text == "UTF8" || a.text == "ASCII" || a.text == "utf8" || a.text == "ascii"
		case "map":
			t.Clock, _ = strings.CutPrefix(strings.TrimSuffix(a.text, ".value"), "clock.")
		}
	})
	if t.Bits < 1 || t.Bits > 64 {
		p.fail(at, "an integer has a `size` of 1 to 64 bits, not %d", t.Bits)
	}
	if t.Align == 0 {
		t.Align = byteAligned(t.Bits)
	}
	return t
}

// byteAligned is the default alignment of a number.
func byteAligned(bits uint64) uint64 {
	if bits%8 == 0 {
		return 8
	}
	return 1
}

func (p *parser) float() Type {
	at := p.take().at
	t := &Float{}
	exponent, mantissa := uint64(0), uint64(0)
	p.expect("{", "after `floating_point`")
	p.attributes("floating_point", func(a attribute) {
		switch a.name {
		case "exp_dig":
			exponent = p.number(a)
		case "mant_dig":
			mantissa = p.number(a)
		case "align":
			t.Align = p.align(a)
		case "byte_order":
			t.Order = p.order(a)
		}
	})
	switch [2]uint64{exponent, mantissa} {
	case [2]uint64{8, 24}:
		t.Bits = 32
	case [2]uint64{11, 53}:
		t.Bits = 64
	default:
		p.fail(at, "a `floating_point` has `exp_dig = 8; mant_dig = 24;` or `exp_dig = 11; mant_dig = 53;`, not %d and %d", exponent, mantissa)
	}
	if t.Align == 0 {
		t.Align = 8
	}
	return t
}

func (p *parser) align(a attribute) uint64 {
	n := p.number(a)
	if n == 0 || n&(n-1) != 0 || n > 1<<20 {
		p.fail(a.at, "an alignment is a power of two, not %d", n)
	}
	return n
}

func (p *parser) flag(a attribute) bool {
	switch {
	case a.kind == number && a.value <= 1 && !a.minus:
		return a.value == 1
	case slices.Contains([]string{"true", "TRUE", "signed"}, a.text):
		return true
	case slices.Contains([]string{"false", "FALSE", "unsigned"}, a.text):
		return false
	}
	p.fail(a.at, "`%s` is `true` or `false`", a.name)
	return false
}

func (p *parser) base(a attribute) int {
	if a.kind == number {
		return int(min(p.number(a), 16))
	}
	switch a.text {
	case "hexadecimal", "hex", "x", "X", "p":
		return 16
	case "octal", "oct", "o":
		return 8
	case "binary", "b":
		return 2
	}
	return 10
}

// tagged reads the name of a struct, enum or variant, if it has one.
func (p *parser) tagged() string {
	if p.ahead.kind == word {
		return p.take().text
	}
	return ""
}

func (p *parser) structure() Type {
	at := p.take().at
	name := p.tagged()
	if name != "" && !p.is("{") {
		return p.known(at, []string{"struct", name})
	}
	t := &Struct{Fields: p.members("struct"), Align: 1}
	if p.accept("align") {
		p.expect("(", "after `align`")
		a := attribute{at: p.ahead.at, name: "align", kind: p.ahead.kind, value: p.ahead.value}
		t.Align = p.align(a)
		p.take()
		p.expect(")", "after an alignment")
	}
	for _, f := range t.Fields {
		t.Align = max(t.Align, f.Type.Alignment())
	}
	if name != "" {
		p.name(at, "struct "+name, t)
	}
	return t
}

func (p *parser) variant() Type {
	at := p.take().at
	name := p.tagged()
	tag := p.tag()
	var t *Variant
	if name != "" && !p.is("{") {
		known, ok := p.known(at, []string{"variant", name}).(*Variant)
		if !ok {
			p.fail(at, "`variant %.80s` is declared as another type", name)
		}
		t = known
	} else {
		t = &Variant{Options: p.members("variant")}
		if len(t.Options) == 0 {
			p.fail(at, "a variant without options")
		}
		if name != "" {
			p.name(at, "variant "+name, t)
		}
	}
	if tag == nil {
		return t
	}
	return &Variant{Tag: tag, Options: t.Options}
}

// tag reads `<PATH>`.
func (p *parser) tag() []string {
	if !p.accept("<") {
		return nil
	}
	path := splitPath(p.path())
	p.expect(">", "after the tag of a variant")
	return path
}

// members reads the fields between braces.
func (p *parser) members(of string) (list []Field) {
	p.expect("{", "after `"+of+"`")
	p.open()
	defer p.close()
	seen := map[string]bool{}
	for !p.accept("}") {
		if p.ahead.kind == end {
			p.fail(p.ahead.at, "the `%s` does not end: a `}` is missing", of)
		}
		if !p.alias() {
			at := p.ahead.at
			for _, f := range p.fields() {
				if seen[f.Name] {
					p.fail(at, "the %s has two fields `%.80s`", of, f.Name)
				}
				seen[f.Name] = true
				list = append(list, f)
			}
		}
		p.expect(";", "after a field")
	}
	return list
}

// fields reads a type and the names of its fields: `TYPE a, b[4]`.
func (p *parser) fields() (list []Field) {
	at := p.ahead
	t := p.specifier()
	var words []string
	if t == nil {
		if words = p.words(); len(words) < 2 {
			p.fail(at.at, "expected a type and the name of a field, found %s", at.shown())
		}
		t = p.known(at.at, words[:len(words)-1])
		words = words[len(words)-1:]
	} else if words = p.words(); len(words) != 1 {
		p.fail(p.ahead.at, "expected the name of a field after its type, found %s", p.ahead.shown())
	}
	list = append(list, Field{words[0], p.array(t)})
	for p.accept(",") {
		if p.ahead.kind != word {
			p.fail(p.ahead.at, "expected the name of a field, found %s", p.ahead.shown())
		}
		name := p.take().text
		list = append(list, Field{name, p.array(t)})
	}
	return list
}

// array reads the lengths after the name of a field. As in C, the first is the outermost.
func (p *parser) array(t Type) Type {
	var list []Array
	for p.accept("[") {
		if len(list) == maxDepth {
			p.fail(p.ahead.at, "declarations are nested more than %d deep", maxDepth)
		}
		var a Array
		if p.ahead.kind == number {
			a.Count = p.take().value
		} else {
			a.Length = splitPath(p.path())
		}
		p.expect("]", "after a length")
		list = append(list, a)
	}
	for _, a := range slices.Backward(list) {
		t = &Array{t, a.Count, a.Length}
	}
	return t
}

func (p *parser) enum() Type {
	at := p.take().at
	name := p.tagged()
	if name != "" && !p.is("{") && !p.is(":") {
		return p.known(at, []string{"enum", name})
	}
	var under Type
	if p.accept(":") {
		under = p.typ()
	} else if under = p.lookup("int"); under == nil {
		p.fail(at, "an `enum` without a type after `:` is an `int`, which is not declared")
	}
	integer, ok := under.(*Integer)
	if !ok {
		p.fail(at, "the type of an `enum` is an integer")
	}
	t := &Enum{Integer: integer}
	p.expect("{", "after `enum`")
	next := uint64(0)
	for !p.accept("}") {
		if p.ahead.kind != word && p.ahead.kind != text {
			p.fail(p.ahead.at, "expected the name of a value of an `enum`, found %s", p.ahead.shown())
		}
		l := Label{Name: p.take().text, Low: next, High: next}
		if p.accept("=") {
			l.Low = p.constant(integer.Signed)
			l.High = l.Low
			if p.accept("...") {
				l.High = p.constant(integer.Signed)
			}
		}
		next = l.High + 1
		t.Labels = append(t.Labels, l)
		if !p.accept(",") && !p.is("}") {
			p.fail(p.ahead.at, "expected `,` or `}` after a value of an `enum`, found %s", p.ahead.shown())
		}
	}
	if name != "" {
		p.name(at, "enum "+name, t)
	}
	return t
}

// constant reads a number of an enum.
func (p *parser) constant(signed bool) uint64 {
	at := p.ahead.at
	minus := p.accept("-")
	if !minus {
		p.accept("+")
	}
	if p.ahead.kind != number {
		p.fail(p.ahead.at, "expected a number, found %s", p.ahead.shown())
	}
	v := p.take().value
	switch {
	case minus && (!signed || v > 1<<63), !minus && signed && v > math.MaxInt64:
		p.fail(at, "the number does not fit the type of the `enum`")
	case minus:
		return -v
	}
	return v
}

func splitPath(path string) []string { return strings.Split(path, ".") }
