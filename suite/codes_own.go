package suite

import "github.com/pentode-dev/pentode/core/diag"

// Of programs of the user.
var (
	untraceable = &diag.Code{
		ID: "suite/untraceable", Severity: diag.Error,
		Title: "a program that no tracer can be loaded into",
		Doc:   "`trace run` loads a library into the program. A program that is linked statically loads none, and into one that runs as another user the system lets none.",
		Bad:   "cc -static wave.c\nwave.psdl: args { \"trace\" \"run\" \"--\" \"./wave\" };",
		Good:  "cc wave.c\nwave.psdl: args { \"trace\" \"run\" \"--\" \"./wave\" };",
	}
	noSuchFunction = &diag.Code{
		ID: "suite/no-such-function", Severity: diag.Error,
		Title: "the tree calls a function that the program does not show",
		Doc:   "The plugin `user_code` finds functions by name among those that the program exports. A compiler exports those of a program with `-rdynamic` only, and never one that is `static`.",
		Bad:   "cc wave.c -lpdi\nwave.yml: user_code: { on_event: { step: { measure: {} } } }",
		Good:  "cc -rdynamic wave.c -lpdi\nwave.yml: user_code: { on_event: { step: { measure: {} } } }",
	}
	otherMachine = &diag.Code{
		ID: "suite/other-machine", Severity: diag.Error,
		Title: "a program was built for another machine than the target",
		Doc:   "The target says what the programs of the run are built for; a compiled program says for which processor it was built.",
		Bad:   "wave.coilcfg: Architecture = ARM\n./wave: built for x86",
		Good:  "wave.coilcfg: Architecture = x86\n./wave: built for x86",
	}
	notHanded = &diag.Code{
		ID: "suite/not-handed", Severity: diag.Error,
		Title: "what a program hands to a pipeline does not get there",
		Doc:   "The plugin `flow` of a tree hands data to the process of the type `program` of a pipeline on the same machine. What no output of that process is called like is not used, which is a warning.",
		Bad:   "wave.yml: flow: { pipeline: wave.pipe, on_event: { step: [ field ] } }\nwave.pipe: no process of the type program",
		Good:  "wave.yml: flow: { pipeline: wave.pipe, on_event: { step: [ field ] } }\nwave.pipe: process sim :: program, connect from sim.field to paint.field",
	}
)
