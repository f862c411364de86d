package calls

import "github.com/pentode-dev/pentode/internal/leaf/lexer"

// A token is a word, a string literal or a sign of a source file, or the end
// of a statement.
type token struct {
	kind       lexer.Kind
	value      string // for a string: its content; for a directive: its line
	start, end int32  // positions in the file; for a string, inside its quotes
	indent     int32  // the indentation of its line, in Python
	block      int32  // the enclosing block; it and the function are found later, from the structure of the file
	function   int32
}

const (
	word      = lexer.Word
	text      = lexer.Text
	formatted = lexer.Formatted
	sign      = lexer.Sign
	directive = lexer.Directive
	stop      = lexer.Stop

	c       = lexer.C
	fortran = lexer.Fortran
	python  = lexer.Python
)

func (t token) is(s string) bool { return (t.kind == word || t.kind == sign) && t.value == s }

// languages maps the extensions of sources to their languages.
var languages = map[string]lexer.Language{
	".c": c, ".h": c, ".cc": c, ".cpp": c, ".cxx": c, ".hh": c, ".hpp": c, ".hxx": c, ".cu": c, ".cuh": c, ".inl": c, ".ipp": c, ".tpp": c, ".hip": c,
	".f": fortran, ".for": fortran, ".f77": fortran, ".f90": fortran, ".f95": fortran, ".f03": fortran, ".f08": fortran, ".inc": fortran,
	".py": python,
}

func lex(src string, l lexer.Language, fixed bool) []token {
	list := make([]token, 0, len(src)/6+8)
	for t := range lexer.Tokens(src, l, fixed) {
		list = append(list, token{kind: t.Kind, value: t.Value, start: t.From, end: t.To, indent: t.Indent})
	}
	return list
}

func isNumber(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }
