package agent

import (
	"fmt"
	"slices"
	"strings"
)

// A language is a language from which programs call MPI.
type language struct {
	name      string // the name of the generated function, which calls the MPI library's function with the same name
	spellings []string
	fortran   bool // all parameters are addresses
	described bool // buffer parameters point to descriptors
}

// inFortran returns the variants of an MPI function that Fortran programs call. The names in
// spellings are aliases of one function: the symbol names that different compilers generate for it.
func inFortran(name string) []language {
	lower := strings.ToLower(name)
	return []language{
		{name: lower + "_", spellings: []string{lower, lower + "__", strings.ToUpper(name)}, fortran: true},
		{name: lower + "_f08_", fortran: true},
		{name: lower + "_f08ts_", fortran: true, described: true}, // MPICH's name for functions with a buffer
	}
}

// described reports whether a call has a buffer.
func (c *call) described() bool {
	return slices.ContainsFunc(c.params, func(p param) bool { return p.kind == "from" || p.kind == "into" })
}

// value returns the C expression of a recorded field.
func (c *call) value(name string, l *language) string {
	at := func(name string) string {
		if l.fortran {
			return "*(MPI_Fint *)" + name
		}
		return name
	}
	if inner, ok := strings.CutPrefix(name, "bytes("); ok {
		count, datatype, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
		if l.fortran {
			return fmt.Sprintf("bytes_of(%s, PMPI_Type_f2c(%s))", at(count), at(datatype))
		}
		return fmt.Sprintf("bytes_of(%s, %s)", count, datatype)
	}
	if inner, ok := strings.CutPrefix(name, "total("); ok {
		comm := "comm"
		if l.fortran {
			comm = "PMPI_Comm_f2c(*(MPI_Fint *)comm)"
		}
		return fmt.Sprintf("total(%s, %s)", strings.TrimSuffix(inner, ")"), comm)
	}
	switch c.kind(name) {
	case "":
		return "(uint64_t)(int64_t)" + name
	case "from", "into":
		if l.described {
			return "*(uint64_t *)" + name // the first word of a descriptor is the address
		}
		return "(uint64_t)" + name
	case "out":
		return "(uint64_t)(" + name + " ? *(int *)" + name + " : 0)"
	case "op":
		if l.fortran {
			return at(name)
		}
		return "(uint64_t)" + name
	case "comm":
		if l.fortran {
			return at(name)
		}
		return "PMPI_Comm_c2f(comm)"
	case "request":
		return "request_id(request, " + l.flag() + ")"
	case "status":
		return "(uint64_t)(int64_t)m.source, (uint64_t)(int64_t)m.tag, m.bytes"
	}
	return at(name)
}

// flag returns the language as an argument for the functions of mpi.c.
func (l *language) flag() string {
	if l.fortran {
		return "1"
	}
	return "0"
}

func (c *call) record(kind string, recorded []string, l *language) string {
	values := ""
	for _, name := range recorded {
		values += ", " + c.value(name, l)
	}
	return fmt.Sprintf("NOTE(&c, R_%s_%s%s);", c.name, kind, values)
}

// before returns the code that runs before a traced call.
func (c *call) before(l *language) string {
	switch {
	case c.kind("requests") != "":
		status := "status"
		if c.kind("statuses") != "" {
			status = "statuses"
		}
		return fmt.Sprintf("\tstruct batch b;\n\tif (c.traced)\n\t\t%s = batch_begin(&b, %s, requests, %s, %s);\n", status, c.value("count", l), status, l.flag())
	case c.kind("status") != "":
		return "\tMPI_Status own;\n\tif (c.traced)\n\t\tstatus = blank(status, &own);\n"
	}
	return ""
}

// ends returns the code that records more than a call's end: completed requests, a new communicator.
func (c *call) ends(l *language) string {
	has := func(name string) bool { return c.kind(name) != "" }
	var text string
	switch {
	case has("requests"):
		completed, indices := c.value("count", l), "NULL"
		switch {
		case has("index"):
			completed, indices = "1", "index"
		case has("outcount"):
			completed, indices = c.value("outcount", l), "indices"
		}
		if has("flag") {
			completed = c.value("flag", l) + " ? " + completed + " : 0"
		}
		text = fmt.Sprintf("\t\tbatch_end(&c, &b, %s, %s, %s);\n", completed, indices, l.flag())
	case has("status"):
		arrived := "1"
		if has("flag") {
			arrived = c.value("flag", l)
		}
		text = fmt.Sprintf("\t\tstruct message m = received(status, %s);\n\t\t(void)m;\n", arrived)
	case has("newcomm"):
		text = fmt.Sprintf("\t\tmembers(&c, newcomm, %s);\n", l.flag())
	}
	return text
}

// callsHeader returns C code that defines all traced MPI functions. twins are the functions that
// the MPI library has.
func callsHeader(events map[string]int, twins []twin) string {
	var b strings.Builder
	b.WriteString("static const char *const call_names[256] = {\n")
	known := map[string]bool{}
	for _, t := range twins {
		known[t.name] = true
	}
	for i := range calls {
		if c := &calls[i]; c.event == c.name {
			fmt.Fprintf(&b, "\t[%d] = \"%s\",\n", events[c.name], c.name)
		}
	}
	b.WriteString("};\n")
	own := map[string]bool{}
	for i := range calls {
		c := &calls[i]
		if own[c.name] = known[c.name]; !known[c.name] {
			continue
		}
		c.writeC(&b, events[c.event])
		for _, l := range inFortran(c.name) {
			if !l.described || c.described() {
				c.writeFortran(&b, events[c.event], &l)
			}
		}
	}
	writeOthers(&b, twins, own)
	return b.String()
}

func (c *call) writeC(b *strings.Builder, event int) {
	l := &language{}
	var declared, names []string
	for _, p := range c.params {
		declared, names = append(declared, fmt.Sprintf(kinds[p.kind], p.name)), append(names, p.name)
	}
	if declared == nil {
		declared = []string{"void"}
	}
	returns := c.returns
	if returns == "" {
		returns = "int"
	}
	fmt.Fprintf(b, "\nEXPORT %s %s(%s)\n{\n", returns, c.name, strings.Join(declared, ", "))
	fmt.Fprintf(b, "\tstruct call c;\n\tif (call_begin(&c, %d, __builtin_return_address(0)))\n\t\t%s\n%s", event, c.record("begin", c.begin, l), c.before(l))
	fmt.Fprintf(b, "\t%s return_value = P%s(%s);\n%s", returns, c.name, strings.Join(names, ", "), c.afterwards())
	fmt.Fprintf(b, "\tif (c.traced) {\n%s\t\t%s\n\t}\n\tcall_end(&c);\n\treturn return_value;\n}\n", c.ends(l), c.record("end", c.end, l))
}

// afterwards returns the code that marks the clocks before the end of the call is recorded.
func (c *call) afterwards() string {
	if c.after == "" {
		return ""
	}
	return "\t" + c.after + "\n"
}

// writeFortran writes the function for Fortran. The MPI library has the real function, under the same name.
func (c *call) writeFortran(b *strings.Builder, event int, l *language) {
	params := c.params
	if c.returns == "" {
		if strings.HasPrefix(c.name, "MPI_Init") {
			params = params[2:] // Fortran has no argc and argv
		}
		params = append(params[:len(params):len(params)], param{"out", "ierror"})
	}
	if c.kind("filename") != "" {
		params = append(params, param{"length", "length"})
	}
	var declared, names, types []string
	for _, p := range params {
		kind := "void *"
		if p.kind == "length" {
			kind = "long "
		}
		declared, names, types = append(declared, kind+p.name), append(names, p.name), append(types, strings.TrimSpace(kind))
	}
	if declared == nil {
		declared, types = []string{"void"}, []string{"void"}
	}
	returns := c.returns
	if returns == "" {
		returns = "void"
	}
	fmt.Fprintf(b, "\nEXPORT %s %s(%s)\n{\n", returns, l.name, strings.Join(declared, ", "))
	fmt.Fprintf(b, "\tstatic %s (*next)(%s);\n\tif (!next)\n\t\t*(void **)&next = next_of(%s);\n", returns, strings.Join(types, ", "), l.names())
	fmt.Fprintf(b, "\tstruct call c;\n\tif (call_begin(&c, %d, __builtin_return_address(0)))\n\t\t%s\n%s", event, c.record("begin", c.begin, l), c.before(l))
	if returns == "double" {
		fmt.Fprintf(b, "\tdouble return_value = next();\n\tif (c.traced)\n\t\t%s\n\tcall_end(&c);\n\treturn return_value;\n}\n", c.record("end", c.end, l))
	} else {
		fmt.Fprintf(b, "\tnext(%s);\n%s", strings.Join(names, ", "), c.afterwards())
		fmt.Fprintf(b, "\tif (c.traced) {\n\t\tint return_value = ierror ? *(int *)ierror : 0;\n%s\t\t%s\n\t}\n\tcall_end(&c);\n}\n", c.ends(l), c.record("end", c.end, l))
	}
	for _, s := range l.spellings {
		fmt.Fprintf(b, "EXPORT %s %s(%s) __attribute__((alias(\"%s\")));\n", returns, s, strings.Join(declared, ", "), l.name)
	}
}

// names returns the function's names as arguments of next_of.
func (l *language) names() string {
	text := fmt.Sprintf("%q", l.name)
	for _, s := range l.spellings {
		text += fmt.Sprintf(", %q", s)
	}
	return text + ", NULL"
}
