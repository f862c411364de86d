package syntax

import "github.com/pentode-dev/pentode/core/diag"

// The codes of the syntax.
var (
	OpenStringCode = &diag.Code{
		ID: "paradyn/open-string", Severity: diag.Error,
		Title: "a string does not end on its line",
		Doc:   "A string is written between two quotes on one line. There are no escapes: a backslash is an ordinary character, and a quote always ends the string.",
		Bad:   "daemon { command \"paradynd; host \"poona\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	Backslash = &diag.Code{
		ID: "paradyn/backslash", Severity: diag.Error,
		Title: "a backslash does not keep a quote from ending a string",
		Doc:   "Strings have no escapes: a backslash is an ordinary character, and the next quote ends the string. A string cannot have a quote in it.",
		Bad:   "daemon { command \"say \\\"hello\\\"\"; host \"poona\"; }\n",
		Good:  "daemon { command \"say 'hello'\"; host \"poona\"; }\n",
	}
	OddCharacter = &diag.Code{
		ID: "paradyn/odd-character", Severity: diag.Error,
		Title: "a character that the language does not have",
		Doc:   "Outside of strings there are words, numbers, braces, semicolons and comments after `//`.",
		Bad:   "daemon { command \"paradynd\", host \"poona\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	OddNumberCode = &diag.Code{
		ID: "paradyn/odd-number", Severity: diag.Error,
		Title: "a number in a form that the language does not have",
		Doc:   "A number is digits, or digits, a dot and digits. It has no sign and no exponent.",
		Bad:   "tunable_constant \"maxEval\" -3;\n",
		Good:  "tunable_constant \"maxEval\" 3;\n",
	}
	NotQuoted = &diag.Code{
		ID: "paradyn/not-quoted", Severity: diag.Error,
		Title: "a value is not in quotes",
		Doc:   "All values except flavors and numbers of tunable constants are strings in quotes.",
		Bad:   "daemon { command paradynd; host \"poona\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	MissingSemicolon = &diag.Code{
		ID: "paradyn/missing-semicolon", Severity: diag.Error,
		Title: "a field or a setting does not end in `;`",
		Doc:   "Every field ends in a semicolon, also `args { … };`, and so does a tunable constant.",
		Bad:   "daemon { command \"paradynd\" host \"poona\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	ExtraSemicolon = &diag.Code{
		ID: "paradyn/extra-semicolon", Severity: diag.Error,
		Title: "a misplaced semicolon",
		Doc:   "The brace that closes a definition or a list ends it; no semicolon follows.",
		Bad:   "daemon { command \"paradynd\"; host \"poona\"; };\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	MissingValue = &diag.Code{
		ID: "paradyn/missing-value", Severity: diag.Error,
		Title: "a name without a value",
		Doc:   "A field has a value in quotes; a tunable constant has a name in quotes and a number.",
		Bad:   "daemon { command; host \"poona\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	MissingBrace = &diag.Code{
		ID: "paradyn/missing-brace", Severity: diag.Error,
		Title: "a brace is missing",
		Doc:   "A definition begins with `{` after its keyword and ends with `}`.",
		Bad:   "daemon { command \"paradynd\"; host \"poona\";\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	Stray = &diag.Code{
		ID: "paradyn/stray-text", Severity: diag.Error,
		Title: "text that belongs to no definition",
		Doc:   "A definition begins with a keyword: daemon, process, visi, tunable_constant or list.",
		Bad:   "\"poona\" daemon { command \"paradynd\"; host \"poona\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
)

// Codes are all codes of the syntax.
var Codes = []*diag.Code{
	OpenStringCode, Backslash, OddCharacter, OddNumberCode, NotQuoted, MissingSemicolon, ExtraSemicolon, MissingValue, MissingBrace, Stray,
}
