package paradyn

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
)

// The codes of definitions. A definition with one of these errors is dropped.
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
		Title: "braces are missing or misplaced",
		Doc:   "The values of `args` are in braces; every other field has one value without braces.",
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
		Doc:   "The braces must contain at least one name with its value.",
		Bad:   "tunable_constant { }\n",
		Good:  "tunable_constant { \"maxEval\" 3; }\n",
	}
	notNumber = &diag.Code{
		ID: "paradyn/not-a-number", Severity: diag.Error,
		Title: "the value of a tunable constant is not a number",
		Doc:   "The value is digits, or digits, a dot and digits, without quotes.",
		Bad:   "tunable_constant \"maxEval\" \"3\";\n",
		Good:  "tunable_constant \"maxEval\" 3;\n",
	}
	laterVersion = &diag.Code{
		ID: "paradyn/pcl", Severity: diag.Error,
		Title: "the file is of a later version of Paradyn",
		Doc: "From August 1994 on the language was called PCL: blocks have names, tunable constants can be true or false, and there are " +
			"further fields and definitions. `paradyn.dialect = pcl` in pentode.toml reads such files. Definitions in the form of July 1994 are read even without it.",
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

// The codes of definitions that are understood, but perhaps not intended.
var (
	redeclared = &diag.Code{
		ID: "paradyn/redeclared", Severity: diag.Warning,
		Title: "a field is declared again",
		Doc:   "If two fields have the same name, the last one counts.",
		Bad:   "daemon { command \"paradynd\"; host \"poona\"; host \"cham\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"cham\"; }\n",
	}
	grouped = &diag.Code{
		ID: "paradyn/grouped", Severity: diag.Info,
		Title: "several blocks in one definition",
		Doc:   "The original program took several blocks in the braces of one keyword; its description has no such form.",
		Bad:   "visi { { command \"a\"; name \"A\"; } { command \"b\"; name \"B\"; } }\n",
		Good:  "visi { command \"a\"; name \"A\"; }\nvisi { command \"b\"; name \"B\"; }\n",
	}
	oldFlavor = &diag.Code{
		ID: "paradyn/old-flavor", Severity: diag.Info,
		Title: "a flavor without effect",
		Doc:   "`cm5` stood for the Connection Machine 5. It is kept, and selects a launcher only if one was given for it.",
		Bad:   "daemon { command \"paradynd\"; host \"poona\"; flavor cm5; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	unknownTunable = &diag.Code{
		ID: "paradyn/unknown-tunable", Severity: diag.Info,
		Title: "a tunable constant that Paradyn never had",
		Doc:   "Your own programs may read any name. Paradyn does not read this one. A name that is similar to one of Paradyn's is a warning.",
		Bad:   "tunable_constant \"maxEvla\" 3;\n",
		Good:  "tunable_constant \"maxEval\" 3;\n",
	}
	tunableRange = &diag.Code{
		ID: "paradyn/tunable-range", Severity: diag.Warning,
		Title: "a tunable constant is out of its range",
		Doc:   "The original program ignored such a value without a message.",
		Bad:   "tunable_constant \"maxEval\" 1000;\n",
		Good:  "tunable_constant \"maxEval\" 100;\n",
	}
	tunableAgain = &diag.Code{
		ID: "paradyn/tunable-again", Severity: diag.Info,
		Title: "a tunable constant is set again in the same file",
		Doc:   "The last setting decides. A setting in a later layer is not reported, since that is the purpose of layers.",
		Bad:   "tunable_constant { \"maxEval\" 3; \"maxEval\" 4; }\n",
		Good:  "tunable_constant { \"maxEval\" 4; }\n",
	}
	tunableClash = &diag.Code{
		ID: "paradyn/tunable-clash", Severity: diag.Warning,
		Title: "two tunable constants share a variable",
		Doc:   "Characters that an environment variable cannot have become `_`. The file PARADYN_TUNABLES has the exact names.",
		Bad:   "tunable_constant { \"my.rate\" 1; \"my-rate\" 2; }\n",
		Good:  "tunable_constant { \"my.rate\" 1; \"other.rate\" 2; }\n",
	}
	sameDaemon = &diag.Code{
		ID: "paradyn/same-daemon", Severity: diag.Info,
		Title: "a daemon is declared twice",
		Doc:   "Host and command identify a daemon. Two daemons with the same host and command are one, which is started once.",
		Bad:   "daemon { command \"d\"; host \"poona\"; }\ndaemon { command \"d\"; host \"poona\"; }\n",
		Good:  "daemon { command \"d\"; host \"poona\"; }\ndaemon { command \"d\"; host \"cham\"; }\n",
	}
	sameName = &diag.Code{
		ID: "paradyn/same-name", Severity: diag.Warning,
		Title: "two processes have one name",
		Doc:   "Processes never replace each other: both start, and the second is called NAME#2.",
		Bad:   "process { command \"a\"; host \"h\"; daemon \"d\"; name \"x\"; }\nprocess { command \"b\"; host \"h\"; daemon \"d\"; name \"x\"; }\n",
		Good:  "process { command \"a\"; host \"h\"; daemon \"d\"; name \"x\"; }\nprocess { command \"b\"; host \"h\"; daemon \"d\"; name \"y\"; }\n",
	}
	sameVisi = &diag.Code{
		ID: "paradyn/same-visi", Severity: diag.Warning,
		Title: "two visualisations have one name",
		Doc:   "A visualisation is identified by its name. The last one counts.",
		Bad:   "visi { command \"a\"; name \"x\"; }\nvisi { command \"b\"; name \"x\"; }\n",
		Good:  "visi { command \"a\"; name \"x\"; }\nvisi { command \"b\"; name \"y\"; }\n",
	}
	sameList = &diag.Code{
		ID: "paradyn/same-list", Severity: diag.Info,
		Title: "two lists have one name",
		Doc:   "The last one counts.",
		Bad:   "list \"x\" { \"a\" }\nlist \"x\" { \"b\" }\n",
		Good:  "list \"x\" { \"a\" }\nlist \"y\" { \"b\" }\n",
	}
	implicitDaemon = &diag.Code{
		ID: "paradyn/implicit-daemon", Severity: diag.Info,
		Title: "a daemon is started that is not declared",
		Doc:   "A process names its daemon by command (or name) on its own host. If no such daemon is declared there, the name is started as a command.",
		Bad:   "process { command \"potato\"; host \"poona\"; daemon \"paradynd\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\nprocess { command \"potato\"; host \"poona\"; daemon \"paradynd\"; }\n",
	}
	daemonElsewhere = &diag.Code{
		ID: "paradyn/daemon-elsewhere", Severity: diag.Error,
		Title: "a process names a daemon of another host",
		Doc:   "A process runs under a daemon on its own host. If the name belongs to a daemon on another host, it is not started as a command.",
		Bad:   "daemon { command \"paradynd\"; host \"poona\"; name \"dd\"; }\nprocess { command \"potato\"; host \"cham\"; daemon \"dd\"; }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; name \"dd\"; }\nprocess { command \"potato\"; host \"poona\"; daemon \"dd\"; }\n",
	}
	commandBlanks = &diag.Code{
		ID: "paradyn/command-blanks", Severity: diag.Warning,
		Title: "the command of a process has blanks",
		Doc:   "It is the name of one program and is not split. Arguments go into `args`. Only a daemon's command is split into words.",
		Bad:   "visi { command \"hist -w\"; name \"Histogram\"; }\n",
		Good:  "visi { command \"hist\"; name \"Histogram\"; args { \"-w\" }; }\n",
	}
	daemonCommand = &diag.Code{
		ID: "paradyn/daemon-command", Severity: diag.Warning,
		Title: "the command of a daemon cannot be split into words",
		Doc:   "It is split with the quoting of a shell. A command with an open quote, or with nothing but blanks, cannot be started.",
		Bad:   "daemon { command \"paradynd 'x\"; host \"poona\"; }\n",
		Good:  "daemon { command \"paradynd 'x'\"; host \"poona\"; }\n",
	}
	cannotStart = &diag.Code{
		ID: "paradyn/cannot-start", Severity: diag.Error, AtRun: true,
		Title: "a definition whose program cannot be started",
		Doc: "Making a plan reports this: a host that begins with a dash, a NUL byte in a command, a visualisation that is requested but " +
			"not declared, or more variables than a plan may have.",
		Bad:  "daemon { command \"paradynd\"; host \"-v\"; }\n",
		Good: "daemon { command \"paradynd\"; host \"localhost\"; }\n",
	}
	programSetting = &diag.Code{
		ID: "paradyn/program-setting", Severity: diag.Error, AtRun: true,
		Title: "a setting of the project that the plan cannot use",
		Doc: "`[launch.NAME]` of the project file names a program that is not in the plan of its file, or makes programs wait for each other. " +
			"The place is in the project file.",
		Bad:  "# pentode.toml\n[launch.\"run.psdl:solvr\"]\nrestart = \"always\"\n",
		Good: "# pentode.toml\n[launch.\"run.psdl:solver\"]\nrestart = \"always\"\n",
	}
	pclOpaque = &diag.Code{
		ID: "paradyn/pcl-kept", Severity: diag.Info,
		Title: "a definition that is kept, but not interpreted",
		Doc:   "Metrics, constraints and exclusions of PCL are kept as they are written. This is reported only with `paradyn.dialect = pcl` in pentode.toml.",
		Bad:   "metric active_processes { }\n",
		Good:  "daemon { command \"paradynd\"; host \"poona\"; }\n",
	}
	searchUnreadable = &diag.Code{
		ID: "paradyn/unreadable", Severity: diag.Warning,
		Title: "a file of the search cannot be read",
		Doc:   "The file counts as empty. A missing file is not reported.",
		Bad:   "$HOME/sample.psdl belongs to another user\n",
		Good:  "$HOME/sample.psdl can be read, or does not exist\n",
	}
	searchOnce = &diag.Code{
		ID: "paradyn/read-once", Severity: diag.Info,
		Title: "the same file was found twice",
		Doc:   "If the working directory is the home directory, the user's file is also the application's. It is read once.",
		Bad:   "cd; pentode show --lang paradyn\n",
		Good:  "cd project; pentode show --lang paradyn\n",
	}
	searchNothing = &diag.Code{
		ID: "paradyn/nothing-found", Severity: diag.Info,
		Title: "the search has found no file",
		Doc:   "No file is required: without files, nothing is configured.",
		Bad:   "pentode show --lang paradyn\n",
		Good:  "pentode show sample.psdl\n",
	}
	lossCode = &diag.Code{
		ID: "paradyn/loss", Severity: diag.Warning,
		Title: "the other format cannot express everything",
		Doc:   "Converting a plan leaves out everything that the other format cannot express.",
		Bad:   "tunable_constant \"maxEval\" 3;\n",
		Good:  "daemon { command \"paradynd\"; host \"localhost\"; }\n",
	}
)

var adviceCodes = []*diag.Code{
	redeclared, grouped, oldFlavor, unknownTunable, tunableRange, tunableAgain, tunableClash, sameDaemon, sameName, sameVisi, sameList,
	implicitDaemon, daemonElsewhere, commandBlanks, daemonCommand, cannotStart, programSetting, pclOpaque, searchUnreadable, searchOnce, searchNothing, lossCode,
}
