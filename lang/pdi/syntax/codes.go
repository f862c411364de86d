package syntax

import "github.com/pentode-dev/pentode/core/diag"

// Indentation and keys.
var (
	TabIndent = &diag.Code{
		ID: "pdi/yaml-tab", Severity: diag.Error,
		Title: "a tab is used for indentation",
		Doc:   "YAML indents by blanks only, because the width of a tab is not defined. PDI refuses the whole file. After a key or inside a value a tab is fine.",
		Bad:   "data:\n\tx: int\n",
		Good:  "data:\n  x: int\n",
	}
	WrongIndent = &diag.Code{
		ID: "pdi/yaml-indentation", Severity: diag.Error,
		Title: "a line is indented like no line it could belong to",
		Doc:   "Lines of one collection are indented equally, and deeper than the key they belong to. A line that is deeper than a finished value continues that value, so it cannot be a key.",
		Bad:   "data:\n    x: int\n  y: int\n",
		Good:  "data:\n  x: int\n  y: int\n",
	}
	MissingColon = &diag.Code{
		ID: "pdi/yaml-missing-colon", Severity: diag.Error,
		Title: "a key has no colon",
		Doc:   "In a mapping every line is `key: value`, or `key:` with the value on further lines. The colon is followed by a blank or the end of the line.",
		Bad:   "metadata:\n  n: int\n  m int\n",
		Good:  "metadata:\n  n: int\n  m: int\n",
	}
	MissingKey = &diag.Code{
		ID: "pdi/yaml-missing-key", Severity: diag.Error,
		Title: "a colon has no key",
		Doc:   "The key comes before `: `, on the same line, or after `? ` on a line above.",
		Bad:   "data:\n  : int\n",
		Good:  "data:\n  x: int\n",
	}
	SecondColon = &diag.Code{
		ID: "pdi/yaml-second-colon", Severity: diag.Error,
		Title: "a value on the line of its key is a key itself",
		Doc:   "A mapping inside a mapping begins on its own line, or in braces. Text that contains `: ` must be quoted.",
		Bad:   "data: x: int\n",
		Good:  "data: {x: int}\n",
	}
	KeyTooLong = &diag.Code{
		ID: "pdi/yaml-long-key", Severity: diag.Error,
		Title: "a key is longer than 1024 characters",
		Doc:   "The colon must be within 1024 characters of the start of its key. Longer keys are written after `? `.",
		Bad:   "{ … a key of two thousand characters …: 1}\n",
		Good:  "? a key of any length\n: 1\n",
	}
	WrongPlace = &diag.Code{
		ID: "pdi/yaml-wrong-place", Severity: diag.Error,
		Title: "an item where a key is expected, or a key where an item is expected",
		Doc:   "A collection holds either items, each after `- `, or keys, each before `:`. An indented collection begins on its own line.",
		Bad:   "data:\n  x: int\n  - y\n",
		Good:  "data:\n  - x\n  - y\n",
	}
	TextAfterValue = &diag.Code{
		ID: "pdi/yaml-text-after-value", Severity: diag.Error,
		Title: "text follows a value that is complete",
		Doc:   "After a closing quote or bracket the line ends. A comment needs a blank before its `#`.",
		Bad:   "data:\n  x: \"a\" b\n",
		Good:  "data:\n  x: \"a b\"\n",
	}
)

// Brackets and scalars.
var (
	Unclosed = &diag.Code{
		ID: "pdi/yaml-unclosed-bracket", Severity: diag.Error,
		Title: "a bracket is not closed",
		Doc:   "Every `[` needs its `]`, every `{` its `}`. The message points at the open bracket.",
		Bad:   "data:\n  x: {type: int\n  y: int\n",
		Good:  "data:\n  x: {type: int}\n  y: int\n",
	}
	StrayBracket = &diag.Code{
		ID: "pdi/yaml-stray-bracket", Severity: diag.Error,
		Title: "a bracket closes nothing",
		Doc:   "A `]` closes a `[`, a `}` closes a `{`; brackets are closed in the opposite order of opening.",
		Bad:   "data:\n  x: [1, 2}\n",
		Good:  "data:\n  x: [1, 2]\n",
	}
	MissingComma = &diag.Code{
		ID: "pdi/yaml-missing-comma", Severity: diag.Error,
		Title: "two items in brackets are not separated",
		Doc:   "Items in `[ ]` and `{ }` are separated by commas, and a key is on the line of its colon.",
		Bad:   "data:\n  x: {type: \"int\" kind: 4}\n",
		Good:  "data:\n  x: {type: \"int\", kind: 4}\n",
	}
	MissingItem = &diag.Code{
		ID: "pdi/yaml-missing-item", Severity: diag.Error,
		Title: "an item is missing between commas or brackets",
		Doc:   "There is an item between two commas, and a key before a colon. One comma after the last item is fine.",
		Bad:   "data:\n  x: [1, , 2]\n",
		Good:  "data:\n  x: [1, 2]\n",
	}
	TightColon = &diag.Code{
		ID: "pdi/yaml-tight-colon", Severity: diag.Error,
		Title: "a colon in brackets is followed by a bracket or a comma",
		Doc:   "Inside brackets it is not clear whether such a colon ends a key or belongs to the text; PDI's reader refuses it.",
		Bad:   "data: {x:, y: int}\n",
		Good:  "data: {x: , y: int}\n",
	}
	UnclosedQuote = &diag.Code{
		ID: "pdi/yaml-unclosed-quote", Severity: diag.Error,
		Title: "a quote is not closed",
		Doc:   "Quoted text ends with the quote it began with, on the same line or a later one.",
		Bad:   "data:\n  x: 'int\n",
		Good:  "data:\n  x: 'int'\n",
	}
	BadEscape = &diag.Code{
		ID: "pdi/yaml-escape", Severity: diag.Error,
		Title: "an escape does not exist",
		Doc:   "In double quotes a backslash begins one of the escapes \\0 \\a \\b \\t \\n \\v \\f \\r \\e \\\" \\/ \\\\ \\N \\_ \\L \\P \\x41 \\u0041 \\U00000041. A `$` that is to be escaped for PDI is written `\"\\\\$\"`, or `'\\$'`.",
		Bad:   "data:\n  x: \"\\$a\"\n",
		Good:  "data:\n  x: '\\$a'\n",
	}
	BadHeader = &diag.Code{
		ID: "pdi/yaml-block-header", Severity: diag.Error,
		Title: "the first line of a block scalar has other text on it",
		Doc:   "After `|` or `>` come at most a digit from 1 to 9, `+` or `-`, and a comment. The text is on the lines below.",
		Bad:   "x: | text\n",
		Good:  "x: |\n  text\n",
	}
	CannotStart = &diag.Code{
		ID: "pdi/yaml-start", Severity: diag.Error,
		Title: "a value begins with a sign that YAML keeps for itself",
		Doc:   "Text without quotes cannot begin with one of % @ ` | > , [ ] { } & * ! #. In quotes it can.",
		Bad:   "x: @a\n",
		Good:  "x: '@a'\n",
	}
)

// Anchors, aliases and tags.
var (
	BadName = &diag.Code{
		ID: "pdi/yaml-name", Severity: diag.Error,
		Title: "an anchor or alias has no proper name",
		Doc:   "After `&` and `*` comes a name of letters, digits, `_` and `-`. Text that begins with one of these signs must be quoted.",
		Bad:   "x: *\n",
		Good:  "x: '*'\n",
	}
	BadTag = &diag.Code{
		ID: "pdi/yaml-tag", Severity: diag.Error,
		Title: "a tag has a form that YAML does not know",
		Doc:   "PDI ignores tags, but its reader refuses a malformed tag, and a tag whose handle no `%TAG` line declares.",
		Bad:   "x: !a!b 1\n",
		Good:  "x: !b 1\n",
	}
	TwoProperties = &diag.Code{
		ID: "pdi/yaml-two-anchors", Severity: diag.Error,
		Title: "a node has more than one anchor or tag",
		Doc:   "A node has at most one anchor and one tag; an alias has neither.",
		Bad:   "x: &a &b 1\n",
		Good:  "x: &a 1\n",
	}
	UndefinedAlias = &diag.Code{
		ID: "pdi/yaml-undefined-alias", Severity: diag.Error,
		Title: "an alias has no anchor before it",
		Doc:   "`*name` stands for the node that `&name` marks, earlier in the same file. Text that begins with `*` must be quoted.",
		Bad:   "x: &size 1\ny: *sise\n",
		Good:  "x: &size 1\ny: *size\n",
	}
	DuplicateAnchor = &diag.Code{
		ID: "pdi/yaml-duplicate-anchor", Severity: diag.Error,
		Title: "an anchor is defined twice",
		Doc:   "YAML lets the later one win; PDI's reader refuses the file.",
		Bad:   "x: &a 1\ny: &a 2\n",
		Good:  "x: &a 1\ny: &b 2\n",
	}
	RecursiveAlias = &diag.Code{
		ID: "pdi/yaml-recursive-alias", Severity: diag.Error,
		Title: "an alias is inside the node that it stands for",
		Doc:   "Such a tree would be infinite.",
		Bad:   "x: &a\n  y: *a\n",
		Good:  "x: &a\n  y: 1\nz: *a\n",
	}
	AliasBomb = &diag.Code{
		ID: "pdi/yaml-alias-bomb", Severity: diag.Error,
		Title: "aliases stand for too many nodes",
		Doc:   "Aliases of nodes that contain aliases multiply. Together they may stand for at most 100,000 nodes plus ten for each byte before them, and never for more than a million.",
		Bad:   "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
		Good:  "a: &a [x, x, x]\nb: [*a, *a, *a]\n",
	}
	TooDeep = &diag.Code{
		ID: "pdi/yaml-too-deep", Severity: diag.Error,
		Title: "collections are nested too deep",
		Doc:   "At most 1000 levels are read.",
		Bad:   "[[[[ … a thousand and one brackets … ]]]]\n",
		Good:  "[[1, 2], [3, 4]]\n",
	}
)

// Documents and characters.
var (
	BadDirective = &diag.Code{
		ID: "pdi/yaml-directive", Severity: diag.Error,
		Title: "a directive is not known",
		Doc:   "A line that begins with `%` is `%YAML 1.1`, `%YAML 1.2` or `%TAG !name! prefix`, each at most once.",
		Bad:   "%YAML 3.0\n---\nx: 1\n",
		Good:  "%YAML 1.1\n---\nx: 1\n",
	}
	DirectiveWithoutDocument = &diag.Code{
		ID: "pdi/yaml-missing-document-start", Severity: diag.Error,
		Title: "directives are not followed by `---`",
		Doc:   "The line `---` ends the directives and begins the document.",
		Bad:   "%YAML 1.1\nx: 1\n",
		Good:  "%YAML 1.1\n---\nx: 1\n",
	}
	TextAfterDocument = &diag.Code{
		ID: "pdi/yaml-text-after-document", Severity: diag.Error,
		Title: "text follows after the document is complete",
		Doc:   "The first line decides how deep the outermost collection is indented; a line that is indented less ends the document. PDI silently stops there, and everything below is lost.",
		Bad:   "  data:\n    x: int\nmetadata:\n  n: int\n",
		Good:  "data:\n  x: int\nmetadata:\n  n: int\n",
	}
	LaterDocument = &diag.Code{
		ID: "pdi/yaml-later-document", Severity: diag.Warning,
		Title: "only the first document of a file is read",
		Doc:   "PDI reads one document. Text after `...` or a second `---` has no effect.",
		Bad:   "x: 1\n---\ny: 2\n",
		Good:  "x: 1\ny: 2\n",
	}
	NotUTF8 = &diag.Code{
		ID: "pdi/yaml-encoding", Severity: diag.Error,
		Title: "the file is not UTF-8",
		Doc:   "Trees are read as UTF-8, of which ASCII is a part.",
		Bad:   "x: \xff\n",
		Good:  "x: ÿ\n",
	}
	ControlCharacter = &diag.Code{
		ID: "pdi/yaml-character", Severity: diag.Error,
		Title: "a character cannot be written in YAML",
		Doc:   "Control characters besides tab and line breaks are written as escapes in double quotes.",
		Bad:   "x: a\x01b\n",
		Good:  "x: \"a\\x01b\"\n",
	}
)

// Codes lists all codes of the syntax.
var Codes = []*diag.Code{
	TabIndent, WrongIndent, MissingColon, MissingKey, SecondColon, KeyTooLong, WrongPlace, TextAfterValue,
	Unclosed, StrayBracket, MissingComma, MissingItem, TightColon, UnclosedQuote, BadEscape, BadHeader, CannotStart,
	BadName, BadTag, TwoProperties, UndefinedAlias, DuplicateAnchor, RecursiveAlias, AliasBomb, TooDeep,
	BadDirective, DirectiveWithoutDocument, TextAfterDocument, LaterDocument, NotUTF8, ControlCharacter,
}
