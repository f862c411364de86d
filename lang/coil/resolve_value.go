package coil

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
)

// read parses the value of a setting by the type of its key. If the value is not OK,
// the checker reports what is wrong with it.
func (s *Setting) read() {
	raw, v := s.Text.Text(), &s.Value
	v.Type = schema.String
	if s.key != nil {
		v.Type = s.key.Type
	}
	v.Text, v.quoted = unquote(raw)
	switch {
	case s.broken || isAuto(v.Text):
	case s.key == nil:
		v.untyped(s.Text, raw)
	case v.Type == schema.Int:
		n, fits, ok := parseInt(v.Text)
		v.Int, v.OK = n, ok && fits && !v.quoted && inRange(s.key, n)
	case v.Type == schema.Bool:
		b, ok := parseBool(v.Text)
		v.Bool, v.OK = b, ok && !v.quoted
	case v.Type == schema.List:
		v.list(s.key, s.Text, raw)
	case v.Type == schema.Enum:
		v.OK = isWhole(raw) && slices.Contains(s.key.Enum, v.Text)
	default:
		v.OK = isWhole(raw) && isText(s.key, v.Text)
	}
}

// isAuto reports whether a text is one of the placeholders in the language's
// document for a value that the implementation determines.
func isAuto(text string) bool { return text == "(auto-detected)" || text == "(architecture-specific)" }

// unquote removes the quotes around a text if they enclose all of it.
func unquote(raw string) (string, bool) {
	if len(raw) >= 2 && raw[0] == '"' && strings.IndexByte(raw[1:], '"') == len(raw)-2 {
		return raw[1 : len(raw)-1], true
	}
	return raw, false
}

// isWhole reports whether a text has no quotes, or one pair of quotes around all of
// it.
func isWhole(raw string) bool {
	_, quoted := unquote(raw)
	return quoted || !strings.Contains(raw, `"`)
}

// inRange reports whether a key takes a number: one that it lists, or one between
// its bounds.
func inRange(k *schema.Key, n uint64) bool {
	if len(k.Enum) > 0 {
		return slices.Contains(k.Enum, strconv.FormatUint(n, 10))
	}
	return !(k.Min.Set && float64(n) < k.Min.Value || k.Max.Set && float64(n) > k.Max.Value)
}

// isText reports whether a key takes a text.
func isText(k *schema.Key, text string) bool {
	switch k.Format {
	case symbolForm:
		return isSymbol(text)
	case abiForm:
		return isABIName(text)
	case versionForm:
		return isVersion(text)
	}
	return text != ""
}

// parseInt reads a number in the language's notation; fits is false if it needs more
// than 64 bits.
func parseInt(text string) (n uint64, fits, ok bool) {
	base, digits := 10, text
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		base, digits = 16, text[2:]
	}
	if digits == "" {
		return 0, false, false
	}
	for i := 0; i < len(digits); i++ {
		c := digits[i]
		if !isDigit(c) && (base == 10 || !('a' <= c|0x20 && c|0x20 <= 'f')) {
			return 0, false, false
		}
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return math.MaxUint64, false, true
	}
	return n, true, true
}

func parseBool(text string) (value, ok bool) {
	switch {
	case text == "1" || strings.EqualFold(text, "true") || strings.EqualFold(text, "yes"):
		return true, true
	case text == "0" || strings.EqualFold(text, "false") || strings.EqualFold(text, "no"):
		return false, true
	}
	return false, false
}

// list cuts a value into its elements. Only `""` is an empty list. A list that is
// too long has no elements at all.
func (v *Value) list(k *schema.Key, span source.Span, raw string) {
	switch {
	case raw == `""`:
		v.Items, v.OK = []Item{}, true
	case !isTooLong(raw):
		v.Items = cut(span)
		v.OK = !slices.ContainsFunc(v.Items, func(it Item) bool { return !it.fits(k) })
	}
}

// maxItems is the largest number of elements in a list.
const maxItems = 100_000

func isTooLong(raw string) bool { return len(raw) > maxItems && strings.Count(raw, ",") >= maxItems }

// maxName is the length of the longest name that is looked up: no table has a longer
// one.
const maxName = 200

// blankBytes are the blanks within a line.
const blankBytes = " \t\v\f"

// cut cuts a comma-separated text into items.
func cut(span source.Span) []Item {
	text := span.File.Text()
	parts := syntax.Items(text, syntax.Text{Start: int32(span.Start), End: int32(span.End)})
	items := make([]Item, len(parts))
	for i, x := range parts {
		raw := text[x.Start:x.End]
		plain, _ := unquote(raw)
		items[i] = Item{Text: plain, Key: plain[:min(len(plain), maxName)], Raw: raw, Span: span.File.Span(int(x.Start), int(x.End))}
	}
	return items
}

// isEmpty reports whether there is nothing between two commas.
func (it Item) isEmpty() bool { return it.Raw == "" || it.Raw == `""` }

// fits reports whether the item can be an element of a key's list. Names from the
// tables are checked later, when the machine is known.
func (it Item) fits(k *schema.Key) bool {
	switch {
	case it.isEmpty():
		return false
	case k.Format == defineForm:
		name, value, assigned := cutDefine(it)
		return isIdentifier(name) && (value != "" || !assigned) && isWhole(value)
	case k.Format == libraryForm:
		return isWhole(it.Raw) && isLibrary(it.Text)
	}
	return isWhole(it.Raw)
}

// untyped guesses the type of a value without a schema: a quoted text, a list, a
// number, a boolean, or else a text.
func (v *Value) untyped(span source.Span, raw string) {
	v.OK = true
	if v.quoted || isTooLong(raw) {
		return
	}
	if strings.Contains(raw, ",") {
		if items := cut(span); len(items) > 1 {
			v.Type, v.Items = schema.List, items
			return
		}
	}
	if n, fits, ok := parseInt(raw); ok && fits {
		v.Type, v.Int = schema.Int, n
		return
	}
	if b, ok := parseBool(raw); ok {
		v.Type, v.Bool = schema.Bool, b
	}
}

// cutDefine cuts an element at its `=` and drops the blanks around it. Quotes around
// the whole element are dropped too.
func cutDefine(it Item) (name, value string, assigned bool) {
	name, value, assigned = strings.Cut(it.Text, "=")
	return strings.TrimRight(name, blankBytes), strings.TrimLeft(value, blankBytes), assigned
}
