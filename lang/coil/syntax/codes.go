package syntax

import "github.com/pentode-dev/pentode/core/diag"

// MissingBracket is the code for a header without its closing bracket.
var MissingBracket = &diag.Code{
	ID: "coil/missing-bracket", Severity: diag.Error,
	Title: "a section header has no `]`",
	Doc:   "A section is its name in square brackets. The keys below are read as if the bracket were there.",
	Bad:   "[Target\nPU = CPU\n",
	Good:  "[Target]\nPU = CPU\n",
}

// TextAfterHeader is the code for text after a header.
var TextAfterHeader = &diag.Code{
	ID: "coil/text-after-header", Severity: diag.Error,
	Title: "text after a section header means nothing",
	Doc:   "After the `]` only a comment may follow.",
	Bad:   "[Target] PU = CPU\n",
	Good:  "[Target]\nPU = CPU\n",
}

// MissingEquals is the code for a line that is neither a header nor a key.
var MissingEquals = &diag.Code{
	ID: "coil/missing-equals", Severity: diag.Error,
	Title: "a line has none of the language's forms",
	Doc:   "Every line is a section header in brackets, `key = value`, `@include \"file\"`, a comment after `#` or `;`, or empty.",
	Bad:   "[Target]\nPU CPU\n",
	Good:  "[Target]\nPU = CPU\n",
}

// MissingName is the code for a line that begins with `=`.
var MissingName = &diag.Code{
	ID: "coil/missing-name", Severity: diag.Error,
	Title: "a value without a key",
	Doc:   "The name of the key goes before the `=`.",
	Bad:   "[Target]\n= CPU\n",
	Good:  "[Target]\nPU = CPU\n",
}

// ValueMissing is the code for a key without a value.
var ValueMissing = &diag.Code{
	ID: "coil/value-missing", Severity: diag.Error,
	Title: "a key has no value",
	Doc:   "A value has at least one character; a `#` or `;` right after the `=` begins a comment. An inherited list is emptied with `\"\"`.",
	Bad:   "[Target]\nPU = # the kind of processor\n",
	Good:  "[Target]\nPU = CPU # the kind of processor\n",
}

// UnclosedQuote is the code for a quoted text without a closing quote.
var UnclosedQuote = &diag.Code{
	ID: "coil/unclosed-quote", Severity: diag.Error,
	Title: "a quote is not closed",
	Doc:   "A quoted text ends on its own line. There are no escapes: a backslash is a backslash, as in Windows paths.",
	Bad:   "[Linker]\nDefaultLibraryPath = \"C:\\lib\n",
	Good:  "[Linker]\nDefaultLibraryPath = \"C:\\lib\"\n",
}

// TextAfterQuote is the code for text after a closing quote.
var TextAfterQuote = &diag.Code{
	ID: "coil/text-after-quote", Severity: diag.Error,
	Title: "text after a closing quote",
	Doc:   "After a closing quote comes a comma, a comment or the end of the line.",
	Bad:   "[Linker]\nEntryPoint = \"main\" loop\n",
	Good:  "[Linker]\nEntryPoint = \"main\"\n",
}

// UnknownDirective is the code for a word after `@` other than include.
var UnknownDirective = &diag.Code{
	ID: "coil/unknown-directive", Severity: diag.Error,
	Title: "a directive that the language does not have",
	Doc:   "The only directive is `@include`.",
	Bad:   "@import \"base.coilcfg\"\n",
	Good:  "# no directive at all\n",
}

// OlderFormat is the code for a file in an earlier format of the same name.
var OlderFormat = &diag.Code{
	ID: "coil/older-format", Severity: diag.Error,
	Title: "the file is in an older format of the same name",
	Doc:   "COIL has had several configuration formats. Those with braces, `[device]` sections or `DEVICE … ENDDEV` are other languages; the file is not read further.",
	Bad:   "target {\n  \"server\" { architecture = \"x86\" }\n}\n",
	Good:  "[Target]\nArchitecture = x86\n",
}

// NotUTF8 is the code for a byte that is not UTF-8.
var NotUTF8 = &diag.Code{
	ID: "coil/not-utf8", Severity: diag.Warning,
	Title: "the text is not UTF-8",
	Doc:   "Configurations are UTF-8. Other bytes are kept, but their meaning depends on the program that reads them.",
	Bad:   "# caf\xe9\n",
	Good:  "# café\n",
}

// Codes are all codes of the syntax.
var Codes = []*diag.Code{
	MissingBracket, TextAfterHeader, MissingEquals, MissingName, ValueMissing, UnclosedQuote, TextAfterQuote,
	UnknownDirective, OlderFormat, NotUTF8,
}
