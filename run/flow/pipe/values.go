package pipe

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Values are the settings of one process. A key that is not set has the default of its type.
type Values struct {
	config Config
	typ    *Type
}

// Set reports whether the configuration sets a key.
func (v Values) Set(key string) bool { _, ok := v.config[key]; return ok }

// Value returns the value of a key, or its default.
func (v Values) Value(key string) string {
	if s, ok := v.config[key]; ok {
		return s.Value
	}
	if v.typ != nil {
		if k, ok := v.typ.KeyFor(key); ok {
			return k.Default
		}
	}
	return ""
}

// Under returns the settings below a key of kind Any. For the key `knobs`, the result maps NAME to the value of
// `knobs:NAME`.
func (v Values) Under(key string) map[string]string {
	under := map[string]string{}
	for k, s := range v.config {
		if name, ok := strings.CutPrefix(k, key+":"); ok {
			under[name] = s.Value
		}
	}
	return under
}

// Int returns the value of a key of kind Int or Unsigned, which the engine has already checked.
func (v Values) Int(key string) int64 {
	i, _ := strconv.ParseInt(strings.TrimSpace(v.Value(key)), 10, 64)
	return i
}

// Float returns the value of a key of kind Double or Float.
func (v Values) Float(key string) float64 {
	f, _ := strconv.ParseFloat(strings.TrimSpace(v.Value(key)), 64)
	return f
}

// Bool returns the value of a key of kind Bool.
func (v Values) Bool(key string) bool {
	b, _ := parseBool(v.Value(key))
	return b
}

// Errorf returns an error about a key's value.
func (v Values) Errorf(key, format string, args ...any) error {
	return &keyError{KeyPlace{Key: key, Span: v.config[key].Span}, fmt.Errorf(format, args...)}
}

// Warnf returns an error about a key's value that does not prevent the pipeline from running.
func (v Values) Warnf(key, format string, args ...any) error {
	return &keyError{KeyPlace{key, v.config[key].Span, problem.Warning}, fmt.Errorf(format, args...)}
}

// A KeyPlace is a key to which an error refers, and the severity of the error.
type KeyPlace struct {
	Key      string
	Span     source.Span
	Severity problem.Severity
}

// keyError is an error about a setting.
type keyError struct {
	at  KeyPlace
	err error
}

func (e *keyError) Error() string { return e.err.Error() }
func (e *keyError) Unwrap() error { return e.err }

// KeyOf returns the key to which an error refers. It returns false if the error was not made by Errorf or Warnf.
func KeyOf(err error) (KeyPlace, bool) {
	var k *keyError
	if errors.As(err, &k) {
		return k.at, true
	}
	return KeyPlace{}, false
}

// ValuesOf returns the settings with the defaults of a type. If typ is nil, there are no defaults.
func ValuesOf(config Config, typ *Type) Values { return Values{config, typ} }

// LeadingNumber returns the decimal number at the start of a text, or "". Upstream reads numbers for algorithms in
// this way: it ignores everything after the number, and `010` is ten because there are no octal numbers.
func LeadingNumber(text string, fraction bool) string {
	start := afterSign(text, 0)
	end := afterDigits(text, start)
	found := end > start
	if fraction && end < len(text) && text[end] == '.' {
		behind := afterDigits(text, end+1)
		found = found || behind > end+1
		end = behind
	}
	if !found {
		return ""
	}
	if fraction && end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		exponent := afterSign(text, end+1)
		if last := afterDigits(text, exponent); last > exponent {
			end = last
		}
	}
	return text[:end]
}

// afterSign returns the index after the sign at i, or i if there is no sign.
func afterSign(text string, i int) int {
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		return i + 1
	}
	return i
}

// afterDigits returns the index after the digits at i.
func afterDigits(text string, i int) int {
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return i
}

func parseBool(text string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "1":
		return true, true
	case "false", "no", "0":
		return false, true
	}
	return false, false
}
