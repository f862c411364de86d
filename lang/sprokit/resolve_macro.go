package sprokit

import (
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
)

// unclosed warns about a macro without its closing brace, which is plain text.
func (r *resolver) unclosed(n *Setting) {
	closed := strings.LastIndexByte(n.Raw, '}') + 1
	for _, p := range []provider{fromLocal, fromEnv, fromConfig, fromSysenv} {
		open := "$" + string(p) + "{"
		i := strings.Index(n.Raw[closed:], open)
		if span := n.ValueSpan(); i >= 0 && span.Text() == n.Raw {
			span.Start += closed + i
			span.End = span.Start + len(open)
			r.report(unclosedMacro, n.unit, span, "`%s` has no `}` after it, so it is plain text and not a macro", open).
				Helped("write `}` after the name")
			return
		}
	}
}

// nested warns about a macro in the name of another macro. The outer one is not replaced.
func (r *resolver) nested(n *Setting) {
	for _, p := range []provider{fromLocal, fromEnv, fromConfig, fromSysenv} {
		open := "$" + string(p) + "{"
		i := strings.Index(n.Raw, open)
		if i < 0 || n.ValueSpan().Text() != n.Raw {
			continue
		}
		inner, _, _ := strings.Cut(n.Raw[i+len(open):], "}")
		if at := strings.IndexByte(inner, '$'); at >= 0 && strings.Contains(inner[at:], "{") {
			span := n.ValueSpan()
			span.Start += i
			span.End = span.Start + len(open)
			r.report(nestedMacro, n.unit, span, "`%s` has a macro in its name, so it is plain text and not a macro", open).
				Helped("macros are not replaced within macros: write the name")
			return
		}
	}
}

// tooMuch reports that replacing the macros of a setting would produce too much text. If all settings together reach the limit,
// that is reported only once.
func (r *resolver) tooMuch(n *Setting, size int) {
	switch {
	case r.spent:
	case size > maxValue:
		r.report(macroLimit, n.unit, n.ValueSpan(), "this value is longer than %d MB after its macros are replaced", maxValue>>20).
			Helped("look for macros that read each other repeatedly; the macros here are left as they are")
	default:
		r.spent = true
		r.report(macroLimit, n.unit, n.ValueSpan(), "all values together are longer than %d MB after macros are replaced", maxExpanded>>20).
			Helped("look for macros that read each other repeatedly; from here on macros are left as they are")
	}
}

// expand replaces the macros of a setting's text and records what they read.
func (r *resolver) expand(n *Setting) string {
	n.first = int32(len(r.m.reads))
	if strings.IndexByte(n.Raw, '$') < 0 {
		return n.Raw
	}
	var b strings.Builder
	rest := 0
	for m := range macros(n.Raw, r.upstream()) {
		rd := read{by: int32(len(r.m.settings)), of: -1, at: int32(m.start), len: int32(m.end - m.start), provider: m.provider, name: m.name}
		r.provide(n, m, &rd)
		r.m.reads = append(r.m.reads, rd)
		n.count++
		b.WriteString(n.Raw[rest:m.start])
		size := b.Len() + len(rd.value)
		if r.spent || size > maxValue || r.expanded+size > maxExpanded {
			r.tooMuch(n, size)
			r.m.reads = r.m.reads[:n.first]
			n.count = 0
			return n.Raw
		}
		b.WriteString(rd.value)
		rest = m.end
	}
	b.WriteString(n.Raw[rest:])
	r.unclosed(n)
	r.nested(n)
	r.expanded += b.Len()
	value := b.String()
	if r.upstream() {
		value = trim(value)
	}
	return value
}

// provide finds the value of one macro.
func (r *resolver) provide(n *Setting, m macro, rd *read) {
	known, found := true, false
	switch m.provider {
	case fromEnv:
		rd.value, found = r.env.Getenv(m.name)
	case fromSysenv:
		rd.value, found = r.sysenv(m.name)
	case fromLocal:
		var i int32
		if i, found = r.names[m.name]; found {
			rd.of = i
			rd.value = r.read(i)
		}
	case fromConfig:
		found = r.config(m.name, rd)
	default:
		known = false
	}
	if found {
		if rd.of >= 0 {
			of := &r.m.settings[rd.of]
			of.flags |= wasRead
			n.flags |= of.flags & lacking
		}
		return
	}
	rd.missing = true
	n.flags |= lacking
	if !known {
		r.markRead(m.name, m.name)
	}
	if r.m.partial && (m.provider == fromConfig || m.provider == fromLocal) {
		return // the missing file may define it
	}
	r.undefined(n, m, known)
}

// config finds the value of $CONFIG: an override, or the last assignment above the macro.
func (r *resolver) config(name string, rd *read) bool {
	if i, ok := r.m.last[name]; ok {
		rd.of = i
	}
	fixed := rd.of >= 0 && r.m.settings[rd.of].is(readOnly) // a read-only key cannot be overridden
	if o, ok := r.forced[name]; ok && !fixed {
		rd.value, rd.override, rd.given = r.overrides[o].value, true, r.overrides[o].from
		r.overrides[o].read = true
		return true
	}
	if rd.of < 0 {
		return false
	}
	rd.value = r.read(rd.of)
	return true
}

// read returns the value that a macro gets from a setting.
func (r *resolver) read(i int32) string {
	s := &r.m.settings[i]
	if r.upstream() {
		return s.Value[s.path:] // in the original program, a macro gets the value without the folder that relativepath adds
	}
	return s.Value
}

func (r *resolver) undefined(n *Setting, m macro, known bool) {
	span := n.ValueSpan()
	if n.unit != nil && !n.stmt.Value.Empty() {
		shift := span.End - span.Start - len(n.Raw)
		span.Start += m.start + shift
		span.End = span.Start + m.end - m.start
	}
	if span.IsZero() {
		span = r.m.tree.File().Span(0, 0)
	}
	if !known {
		r.report(unknownProvider, n.unit, span, "there is no macro provider `%s`", string(m.provider)).
			Labelled("providers are LOCAL, ENV, CONFIG, SYSENV").Helped("%s", nearProvider(string(m.provider)))
		return
	}
	d := r.report(undefinedMacro, n.unit, span, "`$%s{%s}` is not defined", m.provider, m.name)
	if r.upstream() {
		d.As(diag.Error)
	} else {
		d.Labelled("stands for nothing")
	}
	r.whyUndefined(d, m)
}

// markRead marks the setting whose name was probably misspelt in a macro, so that the setting is not also reported as unused.
func (r *resolver) markRead(key, local string) {
	if i, ok := r.m.last[key]; ok {
		r.m.settings[i].flags |= wasRead
	}
	if i, ok := r.names[local]; ok {
		r.m.settings[i].flags |= wasRead
	}
}

func nearProvider(name string) string {
	for _, provider := range []string{string(fromLocal), string(fromConfig), string(fromSysenv), string(fromEnv)} {
		_, near := problem.Nearest(name, []string{provider})
		if near || len(name) > 2 && strings.HasPrefix(provider, strings.ToUpper(name)) {
			return problem.DidYouMean("$" + provider + "{…}")
		}
	}
	return "a literal `$` must not be followed by a word and `{`"
}

// maxAdvised is the number of undefined macros for which advice is searched, since each search compares the macro with every
// name.
const maxAdvised = 100

// whyUndefined adds advice, depending on where the macro's value should come from.
func (r *resolver) whyUndefined(d *diag.Diagnostic, m macro) {
	if r.advised++; r.advised > maxAdvised {
		return
	}
	var names []string
	switch m.provider {
	case fromEnv:
		if m.name == "" {
			d.Helped("write a name between the braces")
			return
		}
		d.Helped("set the environment variable `%s`", m.name)
		return
	case fromSysenv:
		names = slices.Clone(sysenvNames)
	case fromLocal:
		for name := range r.names {
			names = append(names, name)
		}
	case fromConfig:
		if len(r.m.last) > 2000 {
			return
		}
		for i := range r.m.settings {
			names = append(names, r.m.settings[i].Key)
		}
	}
	slices.Sort(names)
	if near, ok := problem.Nearest(m.name, names); ok {
		d.Helped("%s", problem.DidYouMean(near))
		switch m.provider {
		case fromLocal:
			r.markRead("", near)
		case fromConfig:
			r.markRead(near, "")
		}
		return
	}
	switch m.provider {
	case fromLocal:
		d.Helped("define it on a line above: `%s := VALUE`", m.name)
	case fromConfig:
		d.Helped("only entries above this line can be read")
	}
}

// sysenv returns the value of a SYSENV symbol.
func (r *resolver) sysenv(name string) (string, bool) {
	if r.env.Confined {
		return "", false
	}
	truth := func(b bool) (string, bool) { return strings.ToUpper(strconv.FormatBool(b)), true }
	switch name {
	case "curdir", "cwd":
		return r.env.Dir, true
	case "homedir":
		home, _ := r.env.Getenv("HOME")
		return home, true
	case "iswindows":
		return truth(runtime.GOOS == "windows")
	case "islinux":
		return truth(runtime.GOOS == "linux")
	case "isapple":
		return truth(runtime.GOOS == "darwin")
	case "is64bits":
		return truth(strconv.IntSize == 64)
	}
	m := r.o.machine()
	memory := func(kb uint64) (string, bool) {
		if r.upstream() {
			kb >>= 10 // convert to megabytes, which the original program returns
		}
		return strconv.FormatUint(kb, 10), true
	}
	switch name {
	case "pid":
		return strconv.Itoa(m.PID), true
	case "numproc":
		return strconv.Itoa(m.Processors), true
	case "totalvirtualmemory":
		return memory(m.TotalVirtual)
	case "availablevirtualmemory":
		return memory(m.FreeVirtual)
	case "totalphysicalmemory":
		return memory(m.TotalMemory)
	case "availablephysicalmemory":
		return memory(m.FreeMemory)
	case "hostname":
		return m.Hostname, true
	case "domainname":
		return m.Domain, true
	case "osname":
		return m.OS, true
	case "osdescription":
		return m.Description, true
	case "osversion":
		return m.Version, true
	case "osplatform":
		if r.upstream() {
			return m.Platform, true
		}
		return strings.ReplaceAll(m.Platform, "_", "-"), true
	}
	return "", false
}
