package paradyn

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
)

// The codes of definitions: what is wrong drops the definition.
var (
	unknownKeyword = &diag.Code{
		ID: "paradyn/unknown-keyword", Severity: diag.Error,
		Title: "a word that begins no definition",
		Doc:   "Definitions begin with daemon, process, visi, tunable_constant or list, in small letters.",
		Bad:   "Daemon { command \"paradynd\"; host \"poona\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	unknownField = &diag.Code{
		ID: "paradyn/unknown-field", Severity: diag.Error,
		Title: "a field that the definition does not have",
		Doc:   "Each kind of definition has its own fields: a daemon takes no `args`, a visualisation no `flavor`.",
		Bad:   "daemon { command \"paradynd\"; host \"poona\"; args { \"x\" }; }\n",
		Good:  "daemon { command \"paradynd x\"; host \"poona\"; }\n",
	}
	missingField = &diag.Code{
		ID: "paradyn/missing-field", Severity: diag.Error,
		Title: "a field that the definition needs is missing",
		Doc:   "A daemon needs command and host; a process command, host and daemon; a visualisation command and name.",
		Bad:   "daemon { command \"paradynd\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"localhost\"; }\n",
	}
	emptyValue = &diag.Code{
		ID: "paradyn/empty-value", Severity: diag.Error,
		Title: "a value is empty",
		Doc:   "Commands, hosts, daemons and names have at least one character. Only arguments and items of lists may be empty.",
		Bad:   "daemon { command \"\"; host \"poona\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	unknownFlavor = &diag.Code{
		ID: "paradyn/unknown-flavor", Severity: diag.Error,
		Title: "a flavor that is neither pvm nor cm5",
		Doc:   "The flavor is one of two words, written without quotes. Later versions of Paradyn had others.",
		Bad:   "daemon { command \"paradynd\"; host \"poona\"; flavor unix; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; flavor pvm; }\n",
	}
	braces = &diag.Code{
		ID: "paradyn/braces", Severity: diag.Error,
		Title: "braces are missing, or do not belong there",
		Doc:   "The values of `args` stand in braces; every other field has one value without braces.",
		Bad:   "visi { command \"hist\"; name \"Histogram\"; args \"-w\"; }\n",
		Good:  "visi { command \"hist\"; name \"Histogram\"; args { \"-w\" }; }\n",
	}
	oneValue = &diag.Code{
		ID: "paradyn/one-value", Severity: diag.Error,
		Title: "a field has several values",
		Doc:   "A field has one value; several arguments go into `args`.",
		Bad:   "daemon { command \"paradynd\" \"-v\"; host \"poona\"; }\n",
		Good:  "daemon { command \"paradynd -v\"; host \"poona\"; }\n",
	}
	namedBlock = &diag.Code{
		ID: "paradyn/named-block", Severity: diag.Error,
		Title: "a name stands before the brace",
		Doc:   "A definition gets its name from the field `name`.",
		Bad:   "visi \"Histogram\" { command \"hist\"; }\n",
		Good:  "visi { command \"hist\"; name \"Histogram\"; }\n",
	}
	noTunable = &diag.Code{
		ID: "paradyn/no-tunable", Severity: diag.Error,
		Title: "a group of tunable constants is empty",
		Doc:   "In braces stands at least one name with its value.",
		Bad:   "tunable_constant { }\n",
		Good:  "tunable_constant { \"maxEval\" 3; }\n",
	}
	notNumber = &diag.Code{
		ID: "paradyn/not-a-number", Severity: diag.Error,
		Title: "the value of a tunable constant is not a number",
		Doc:   "It is digits, or digits, a dot and digits, without quotes.",
		Bad:   "tunable_constant \"maxEval\" \"3\";\n",
		Good:  "tunable_constant \"maxEval\" 3;\n",
	}
	laterVersion = &diag.Code{
		ID: "paradyn/pcl", Severity: diag.Error,
		Title: "the file is of a later version of Paradyn",
		Doc: "From August 1994 on the language was called PCL: blocks have names, tunable constants can be true or false, and there are " +
			"further fields and definitions. `--dialect pcl` reads such files. Definitions in the form of July 1994 are read without it too.",
		Bad:  "daemon pvmd { command \"paradynd\"; }\n",
		Good: "daemon { command \"paradynd\"; host \"localhost\"; name \"pvmd\"; }\n",
	}
	badOverride = &diag.Code{
		ID: "paradyn/override", Severity: diag.Error,
		Title: "a setting on the command line that does not exist",
		Doc:   "`-s` takes the keys that `show` prints, for instance `tunable_constant.maxEval` or `daemon[0].host`.",
		Bad:   "pentode show -s daemon[7].host=poona sample.psdl\n",
		Good:  "tunable_constant \"maxEval\" 3;\n",
	}
)

// codes are all codes.
var codes = append(append([]*diag.Code{
	unknownKeyword, unknownField, missingField, emptyValue, unknownFlavor, braces, oneValue, namedBlock, noTunable, notNumber,
	laterVersion, badOverride,
}, adviceCodes...), syntax.Codes...)
