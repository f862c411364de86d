package lang

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// NULByte is the code for a file with a NUL byte, which is binary.
var NULByte = &diag.Code{
	ID: "file/nul-byte", Severity: diag.Error,
	Title: "the file is not a text file",
	Doc:   "A text file has no NUL bytes. The file is not parsed, so this is the only finding about it.",
	Bad:   "a program, an archive, or text in UTF-16",
	Good:  "the same text saved as UTF-8",
}

// ByteOrderMark is the code for a byte order mark in a language that does not
// allow one.
var ByteOrderMark = &diag.Code{
	ID: "file/byte-order-mark", Severity: diag.Error,
	Title: "the file begins with a byte order mark",
	Doc:   "Some editors write the bytes EF BB BF before a text in UTF-8. The original program takes them for part of the first line, so the file is not parsed until they are gone.",
	Bad:   "a text saved as \"UTF-8 with BOM\"",
	Good:  "the same text saved as UTF-8",
}

// Marked returns a finding if the file begins with a byte order mark, or nil.
func Marked(f *source.File) *diag.Diagnostic {
	const mark = "\ufeff"
	if !strings.HasPrefix(f.Text(), mark) {
		return nil
	}
	return diag.New(ByteOrderMark, f.Span(0, len(mark)), "`%s` begins with a byte order mark, three bytes that editors do not show", f.Path()).
		Helped("save it as UTF-8 without the mark; until then the file is not read").Replace(true, "")
}

// TooLarge is the code for a file over the size limit.
var TooLarge = &diag.Code{
	ID: "file/too-large", Severity: diag.Error,
	Title: "the file is over the size limit",
	Doc:   "Files over 64 MB, or with more than 8 million words and signs, are not read; configuration is written by people. `--max-size 64MB` changes the limit.",
	Bad:   "a data file given by mistake",
	Good:  "the configuration file that belongs to it",
}

// Unreadable is the code for a file that was found in a folder and cannot be
// read.
var Unreadable = &diag.Code{
	ID: "file/unreadable", Severity: diag.Error,
	Title: "the file cannot be read",
	Doc:   "A file in a folder has the name of a configuration file and cannot be read: this user has no permission, or it is a broken link. A folder that cannot be read is a warning.",
	Bad:   "a link whose target was removed",
	Good:  "a file that this user may read",
}

// UnusedIgnore is the code for an ignore comment that does not hide any
// finding.
var UnusedIgnore = &diag.Code{
	ID: "file/unused-ignore", Severity: diag.Warning,
	Title: "a comment that silences nothing",
	Doc:   "`pentode: ignore CODE -- reason` silences findings on its line or, if the comment has a line of its own, on the line below. No finding there has this code any more, and the comment would hide the next one.",
	Bad:   "# pentode: ignore sprokit/unknown-type -- ours\nprocess a :: orphan\n",
	Good:  "process a :: orphan\n",
}

// UnknownIgnore is the code for an ignore comment with an unknown code.
var UnknownIgnore = &diag.Code{
	ID: "file/unknown-ignore", Severity: diag.Warning,
	Title: "a comment that silences an unknown code",
	Doc:   "`pentode: ignore CODE -- reason` names codes as findings show them; `*` matches any text.",
	Bad:   "# pentode: ignore sprokit/unknown-tpye -- ours\nprocess a :: ours\n",
	Good:  "# pentode: ignore sprokit/unknown-type -- ours\nprocess a :: ours\n",
}

// HiddenCharacter is the code for a value with an invisible character.
var HiddenCharacter = &diag.Code{
	ID: "file/hidden-character", Severity: diag.Warning,
	Title: "a value that is run contains a character that is not shown",
	Doc:   "A command, an argument or the name of a machine contains a character that terminals and editors obey instead of showing it: an escape, a carriage return, a mark that reverses the direction of the text. The command that runs differs from the one on the screen. `pentode` shows such characters as `\\u001b`.",
	Bad:   "an argument that ends with a right-to-left override",
	Good:  "the same argument without it",
}

// Hidden returns a finding if a value, such as a command, contains an invisible
// character; otherwise nil.
func Hidden(value string, at source.Span) *diag.Diagnostic {
	c := visible.First(value)
	if c == "" {
		return nil
	}
	return diag.New(HiddenCharacter, at, "this value is run, and contains the character `%s`, which is not shown", c).
		Helped("remove it, unless the program needs it")
}

// SharedCodes returns the codes that do not belong to a single language.
func SharedCodes() []*diag.Code {
	return []*diag.Code{NULByte, ByteOrderMark, TooLarge, Unreadable, diag.TooMany, UnusedIgnore, UnknownIgnore, HiddenCharacter}
}

// UnknownFormat is the error of Convert for a format that the language does not
// have.
type UnknownFormat struct {
	Language *Language
	Format   string
}

func (e *UnknownFormat) Error() string {
	if len(e.Language.formats) == 0 {
		return fmt.Sprintf("%s files cannot be converted", e.Language.Title)
	}
	return fmt.Sprintf("%s files cannot be converted to `%s`; possible are %s",
		e.Language.Title, e.Format, strings.Join(e.Language.formats, ", "))
}

func missing(l *Language, what string) error {
	return fmt.Errorf("%s files %s", l.Title, what)
}
