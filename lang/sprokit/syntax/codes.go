package syntax

import "github.com/pentode-dev/pentode/core/diag"

// The codes of the syntax.
var (
	UnexpectedToken = &diag.Code{
		ID: "sprokit/unexpected-token", Severity: diag.Error,
		Title: "text that does not begin a statement",
		Doc:   "A file is made of entries (`key = value`, `:key value`), sections (`config`, `process`), `block` … `endblock`, `connect`, `include`, and in clusters `imap`, `omap` and `--` descriptions.",
		Bad:   "process a :: orphan\n@ b\n",
		Good:  "process a :: orphan\n",
	}
	MissingAssign = &diag.Code{
		ID: "sprokit/missing-assignment", Severity: diag.Error,
		Title: "a key without `=`",
		Doc:   "An entry is `key = value`, `key := value`, or in the older style `:key value`.",
		Bad:   "config a\n  mode red\n",
		Good:  "config a\n  mode = red\n",
	}
	MissingValue = &diag.Code{
		ID: "sprokit/missing-value", Severity: diag.Error,
		Title: "an entry of the older style without a value",
		Doc:   "In `:key value` a blank ends the key and the rest of the line is the value. An empty value can only be written `key =`.",
		Bad:   "config a\n  :mode\n  other = 1\n",
		Good:  "config a\n  mode =\n  other = 1\n",
	}
	OldEntryBlank = &diag.Code{
		ID: "sprokit/blank-in-key", Severity: diag.Error,
		Title: "a blank in the key of an entry of the older style",
		Doc:   "In `:key value` the first blank ends the key, so neither the key nor its attributes may contain one.",
		Bad:   "config a\n  : mode red\n",
		Good:  "config a\n  :mode red\n",
	}
	AttributeForm = &diag.Code{
		ID: "sprokit/attribute-form", Severity: diag.Error,
		Title: "attributes that are not a list of words in brackets",
		Doc:   "Attributes come right after the key: `key[ro] = value`, `key[ro, tunable] = value`.",
		Bad:   "config a\n  mode[ro = red\n",
		Good:  "config a\n  mode[ro] = red\n",
	}
	ExpectedName = &diag.Code{
		ID: "sprokit/expected-name", Severity: diag.Error,
		Title: "a name is missing",
		Doc:   "Names are made of letters, digits, `_` and `-`, and do not begin with `-`. Names of ports may have parts between slashes.",
		Bad:   "process a :: *\n",
		Good:  "process a :: orphan\n",
	}
	ReservedWord = &diag.Code{
		ID: "sprokit/reserved-word", Severity: diag.Error,
		Title: "a reserved word where a name is needed",
		Doc:   "block, endblock, process, connect, from, to, cluster, imap, omap, relativepath and config are reserved: they cannot name a process, a type, a port, a section, nor begin a key.",
		Bad:   "process process :: orphan\n",
		Good:  "process worker :: orphan\n",
	}
	ExpectedWord = &diag.Code{
		ID: "sprokit/expected-word", Severity: diag.Error,
		Title: "a word of a statement is missing",
		Doc:   "`process NAME :: TYPE`, `connect from PROCESS.PORT to PROCESS.PORT`, `imap from PORT to PROCESS.PORT`, `omap from PROCESS.PORT to PORT`.",
		Bad:   "process a\n  key = 1\n",
		Good:  "process a :: orphan\n",
	}
	ConfigHeader = &diag.Code{
		ID: "sprokit/text-after-header", Severity: diag.Error,
		Title: "text after the header of a section",
		Doc:   "`config PATH` is alone on its line; entries begin on the next line.",
		Bad:   "config a mode = red\n",
		Good:  "config a\n  mode = red\n",
	}
	SplitStatement = &diag.Code{
		ID: "sprokit/split-statement", Severity: diag.Error,
		Title: "an include in the middle of a statement",
		Doc: "Sections and blocks may continue across an include, single statements may not. " +
			"The original program accepts split statements, so under `--as upstream` they are read, and this is an info.",
		Bad:  "process a\ninclude type.pipe\n",
		Good: "process a :: orphan\n",
	}
)

// Codes lists all codes of the syntax.
var Codes = []*diag.Code{UnexpectedToken, MissingAssign, MissingValue, OldEntryBlank, AttributeForm, ExpectedName, ReservedWord, ExpectedWord, ConfigHeader, SplitStatement}
