package agent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A twin is an MPI function with a second name for tools: PMPI_Send for MPI_Send.
type twin struct {
	name    string
	returns string
	params  []cParam
}

// cParam is a parameter as mpi.h declares it.
type cParam struct {
	text string // such as `int ranges[][3]`
	name string
}

var (
	twinName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bP(MPI_\w+)\s*\(`) })
	attribute  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`__attribute__\s*\(\(.*?\)\)\s*\)?`) })
	lineMarker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^#.*$`) })
	paramName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\w+)\s*(?:\[[^\]]*\]\s*)*$`) })
)

// findTwins finds the functions in an mpi.h after preprocessing.
func findTwins(text string) []twin {
	var list []twin
	for declaration := range strings.SplitSeq(lineMarker().ReplaceAllString(text, ""), ";") {
		declaration = declaration[strings.LastIndexByte(declaration, '}')+1:] // after the body of a function
		at := twinName().FindStringSubmatchIndex(declaration)
		if at == nil || strings.ContainsRune(declaration[:at[0]], '{') {
			continue
		}
		rest := declaration[at[1]:]
		end := closing(rest)
		if end < 0 {
			continue
		}
		before := strings.Fields(attribute().ReplaceAllString(declaration[:at[0]], " "))
		before = slices.DeleteFunc(before, func(word string) bool { return word == "extern" })
		t := twin{name: declaration[at[2]:at[3]], returns: strings.Join(before, " ")}
		if t.parse(rest[:end]) {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b twin) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(list, func(a, b twin) bool { return a.name == b.name })
}

// closing returns the position of the parenthesis that closes one opened before the text, or -1.
func closing(text string) int {
	depth := 1
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// parse reads the list of parameters. Parameters of MPI functions have no parentheses,
// because types of callbacks have names. Parameters may be unnamed.
func (t *twin) parse(list string) bool {
	if strings.ContainsAny(list, "()") {
		return false
	}
	for i, text := range strings.Split(list, ",") {
		text = strings.Join(strings.Fields(text), " ")
		if text == "void" || text == "..." { // the further arguments of MPI_Pcontrol are for tools
			continue
		}
		named := paramName().FindStringSubmatch(text)
		if named == nil || named[1] == "int" || strings.TrimPrefix(text, "const ") == named[1] {
			named = []string{"", fmt.Sprintf("p%d", i)}
			text += " " + named[1]
		}
		t.params = append(t.params, cParam{text, named[1]})
	}
	return t.returns != ""
}

// described reports whether a function has a buffer. MPICH's functions for Fortran 2008 get a descriptor for each buffer.
func (t *twin) described() bool {
	return slices.ContainsFunc(t.params, func(p cParam) bool { return strings.Contains(p.text, "void *") })
}

// at returns the index of the parameter with a type such as `MPI_Request *`, or -1.
func (t *twin) at(kind string) int {
	return slices.IndexFunc(t.params, func(p cParam) bool { return strings.HasPrefix(p.text, kind) })
}

// begins returns the index of the request that a function makes or starts, or -1.
func (t *twin) begins() int {
	if slices.Contains([]string{"MPI_Cancel", "MPI_Request_free", "MPI_Request_get_status"}, t.name) {
		return -1
	}
	return t.at("MPI_Request *")
}

// makes returns the index of the communicator that a function makes, or -1.
func (t *twin) makes() int {
	if strings.HasPrefix(t.name, "MPI_Comm_idup") || slices.Contains([]string{"MPI_Comm_free", "MPI_Comm_disconnect", "MPI_Comm_get_parent"}, t.name) {
		return -1
	}
	return t.at("MPI_Comm *")
}

// forFortran reports whether a function also exists in Fortran.
func (t *twin) forFortran() bool {
	for _, part := range []string{"_c2f", "_f2c", "f08", "MPI_T_"} {
		if strings.Contains(t.name, part) {
			return false
		}
	}
	return !strings.HasSuffix(t.name, "_c")
}

// writeOthers writes the MPI functions that have no records of their own and share one event.
func writeOthers(b *strings.Builder, twins []twin, own map[string]bool) {
	b.WriteString("\nconst char *const other_names[] = {\n")
	for _, t := range twins {
		fmt.Fprintf(b, "\t\"%s\",\n", t.name)
	}
	b.WriteString("};\n")
	for number, t := range twins {
		if own[t.name] {
			continue
		}
		t.writeC(b, number)
		if !t.forFortran() {
			continue
		}
		for _, l := range inFortran(t.name) {
			if !l.described || t.described() {
				t.writeFortran(b, number, &l)
			}
		}
	}
}

func (t *twin) writeC(b *strings.Builder, number int) {
	var declared, names []string
	for _, p := range t.params {
		declared, names = append(declared, p.text), append(names, p.name)
	}
	switch {
	case t.name == "MPI_Pcontrol":
		declared = append(declared, "...")
	case declared == nil:
		declared = []string{"void"}
	}
	result := "0"
	if t.returns == "int" {
		result = "return_value"
	}
	fmt.Fprintf(b, "\nEXPORT %s %s(%s)\n{\n\tstruct call c;\n\tother_begin(&c, %d, __builtin_return_address(0));\n", t.returns, t.name, strings.Join(declared, ", "), number)
	fmt.Fprintf(b, "\t%s return_value = P%s(%s);\n", t.returns, t.name, strings.Join(names, ", "))
	fmt.Fprintf(b, "%s\tother_end(&c, %d, %s);\n\treturn return_value;\n}\n", t.ends(func(i int) string { return names[i] }, "0"), number, result)
}

// ends returns the code that records details at the end of a call, such as a request or
// communicator that it made.
func (t *twin) ends(param func(int) string, fortran string) string {
	var text string
	if i := t.begins(); i >= 0 {
		text += fmt.Sprintf("\tif (c.traced)\n\t\tbegun(&c, 1, %s, %s);\n", param(i), fortran)
	}
	if t.name == "MPI_Startall" {
		count := param(0)
		if fortran == "1" {
			count = "*" + count
		}
		text += fmt.Sprintf("\tif (c.traced)\n\t\tbegun(&c, %s, %s, %s);\n", count, param(1), fortran)
	}
	if i := t.makes(); i >= 0 {
		text += fmt.Sprintf("\tif (c.traced)\n\t\tmembers(&c, %s, %s);\n", param(i), fortran)
	}
	return text
}

// writeFortran writes a function that passes on as many words as Fortran passes: an address
// for each parameter and for ierror, and the length of each text.
func (t *twin) writeFortran(b *strings.Builder, number int, l *language) {
	words := len(t.params) + 1
	for _, p := range t.params {
		if strings.Contains(p.text, "char ") {
			words++
		}
	}
	var declared, names []string
	for i := range words {
		names = append(names, fmt.Sprintf("a%d", i))
		declared = append(declared, fmt.Sprintf("int *a%d", i))
	}
	types := strings.TrimSuffix(strings.Repeat("int *, ", words), ", ")
	fmt.Fprintf(b, "\nEXPORT long %s(%s)\n{\n\tstatic long (*next)(%s);\n\tif (!next)\n\t\t*(void **)&next = next_of(%s);\n", l.name, strings.Join(declared, ", "), types, l.names())
	fmt.Fprintf(b, "\tstruct call c;\n\tother_begin(&c, %d, __builtin_return_address(0));\n\tlong return_value = next(%s);\n", number, strings.Join(names, ", "))
	fmt.Fprintf(b, "%s\tother_end(&c, %d, %s);\n\treturn return_value;\n}\n",
		t.ends(func(i int) string { return names[i] }, "1"), number, t.failed(names[len(t.params)]))
	for _, s := range l.spellings {
		fmt.Fprintf(b, "EXPORT long %s(%s) __attribute__((alias(\"%s\")));\n", s, strings.Join(declared, ", "), l.name)
	}
}

// failed returns the expression for the error code of a function for Fortran. MPI_Pcontrol
// and functions that return something else have none.
func (t *twin) failed(ierror string) string {
	if t.returns != "int" || t.name == "MPI_Pcontrol" {
		return "0"
	}
	return fmt.Sprintf("c.traced && %s ? *%s : 0", ierror, ierror)
}
