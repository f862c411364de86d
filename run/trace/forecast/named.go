package forecast

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// named finds the entry that matches code of a domain by name. As in the traced program, an entry for a place in a
// function ranks before an entry for the function, and the first matching entry counts.
func named(p *trace.Policy, domain string, where *recorded.Region) (name, file string) {
	if where == nil {
		return "", ""
	}
	entries := p.Entries()
	for _, place := range []bool{true, false} {
		for _, m := range entries {
			if m.Address == 0 && m.IsPlace() == place && (m.Domain == "" || m.Domain == domain) && standsFor(m, where) {
				return m.Name, m.File
			}
		}
	}
	return "", ""
}

// standsFor reports whether an entry matches a place by its line of source, its offset in a library, or its function.
func standsFor(m trace.Match, where *recorded.Region) bool {
	base := filepath.Base(where.File)
	if !m.IsPlace() {
		return m.Name == where.Function && strings.HasPrefix(base, m.File)
	}
	if strings.Contains(m.Name, "+") {
		return m.Name == where.Region
	}
	text := m.Name
	if m.File != "" {
		text = m.File + ":" + m.Name
	}
	at := strings.LastIndexByte(text, ':')
	line, err := strconv.Atoi(text[at+1:])
	source := text[:max(at, 0)]
	return err == nil && line == where.Line && (source == base || strings.HasSuffix(where.File, "/"+source) || source == where.File)
}

// Placed returns the region of a domain at an address, with the name of the entry that matches it.
func Placed(p *trace.Policy, d trace.DomainID, address uint64, where *recorded.Region) trace.Region {
	r := trace.Region{Domain: d, Address: address}
	r.Name, r.File = named(p, p.Catalog().Name(d), where)
	return r
}

// Section returns the section of the configuration for a region, or the section that could be added for it. It returns ""
// if there cannot be one.
func Section(p *trace.Policy, r trace.Region, where *recorded.Region) string {
	if r.Address == 0 && r.Name == "" {
		return ""
	}
	domain := p.Catalog().Name(r.Domain)
	for _, m := range p.Entries() {
		if m.Address != 0 && m.Address == r.Address || m.Address == 0 && r.Name != "" && m.Name == r.Name && m.File == r.File && (m.Domain == "" || m.Domain == domain) {
			return m.String()
		}
	}
	switch {
	case where != nil && where.Region != "": // in a library, which other runs load at another address
		return trace.Match{Name: where.Region}.String()
	case r.Address != 0:
		return trace.Match{Address: r.Address}.String()
	}
	return trace.Match{Name: r.Name, File: r.File, Domain: domain}.String()
}

// Function returns the region of a Python function, with the file as the matching entry writes it.
func Function(p *trace.Policy, d trace.DomainID, name, file string) trace.Region {
	r := trace.Region{Domain: d, Name: name, File: filepath.Base(file)}
	if found, in := named(p, p.Catalog().Name(d), &recorded.Region{Function: name, File: file}); found != "" {
		r.File = in
	}
	return r
}

// OtherName reports whether an entry may match a kernel by another name than the recorded one, such as a name without template arguments.
func OtherName(p *trace.Policy, kernel string) bool {
	other := false
	for _, m := range p.Entries() {
		if m.Address == 0 && (m.Domain == "" || m.Domain == cuda) {
			if m.Name == kernel {
				return false
			}
			plain, _, _ := strings.Cut(m.Name, "<")
			other = other || plain != "" && strings.Contains(kernel, plain) || strings.HasPrefix(m.Name, "_Z") // the linker's name
		}
	}
	return other
}
