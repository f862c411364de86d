package pdi

import "github.com/pentode-dev/pentode/core/diag"

// Of a tree and the sources of its program.
var (
	neverShared = &diag.Code{
		ID: "pdi/never-shared", Severity: diag.Warning,
		Title: "a name that the program never shares",
		Doc: "No source of the program shares data of this name, and no plugin gives it a value. What reads it fails, and what is to be written is not. " +
			"Names that the sources put together in a way that only a run knows are not reported. It is an info where nothing in the tree reads the name.",
		Bad:  "wave.yml: data: {presure: double}\nwave.c: PDI_expose(\"pressure\", &p, PDI_OUT);",
		Good: "wave.yml: data: {pressure: double}\nwave.c: PDI_expose(\"pressure\", &p, PDI_OUT);",
	}
	neverTriggered = &diag.Code{
		ID: "pdi/never-triggered", Severity: diag.Warning,
		Title: "an event that the program never triggers",
		Doc:   "The tree waits for an event, and neither a source of the program nor a plugin triggers one of this name. Nothing would be reported in the run: the work is just not done.",
		Bad:   "wave.yml: decl_hdf5: {file: a.h5, on_event: finalisation, write: [x]}\nwave.c: PDI_event(\"finalization\");",
		Good:  "wave.yml: decl_hdf5: {file: a.h5, on_event: finalization, write: [x]}\nwave.c: PDI_event(\"finalization\");",
	}
	notHeard = &diag.Code{
		ID: "pdi/not-heard", Severity: diag.Info,
		Title: "an event or a name of the program that the tree does not have",
		Doc:   "The program triggers an event that no plugin waits for, or shares data that the tree does not declare. Both are allowed, and nothing happens.",
		Bad:   "wave.yml: data: {x: double}\nwave.c: PDI_expose(\"debug\", &d, PDI_OUT);",
		Good:  "wave.yml: data: {x: double, debug: double}\nwave.c: PDI_expose(\"debug\", &d, PDI_OUT);",
	}
	wrongDirection = &diag.Code{
		ID: "pdi/wrong-direction", Severity: diag.Warning,
		Title: "the program shares in one direction, and the tree needs the other",
		Doc:   "`PDI_OUT` lets PDI read the memory of the program, `PDI_IN` lets it write there. A plugin that writes what was shared with `PDI_OUT` alone is refused, and so is one that reads the other; metadata is always read.",
		Bad:   "wave.yml: decl_hdf5: {file: a.h5, on_event: restart, read: [x]}\nwave.c: PDI_share(\"x\", x, PDI_OUT); PDI_event(\"restart\");",
		Good:  "wave.yml: decl_hdf5: {file: a.h5, on_event: restart, read: [x]}\nwave.c: PDI_share(\"x\", x, PDI_IN); PDI_event(\"restart\");",
	}
	sizeLater = &diag.Code{
		ID: "pdi/size-later", Severity: diag.Warning,
		Title: "a size that the program gives too late",
		Doc:   "The type of a datum is computed when it is shared. The sizes that it reads must have been shared before.",
		Bad:   "wave.yml: metadata: {n: int}, data: {x: {type: array, subtype: int, size: $n}}\nwave.c: PDI_share(\"x\", x, PDI_OUT); PDI_expose(\"n\", &n, PDI_OUT);",
		Good:  "wave.yml: metadata: {n: int}, data: {x: {type: array, subtype: int, size: $n}}\nwave.c: PDI_expose(\"n\", &n, PDI_OUT); PDI_share(\"x\", x, PDI_OUT);",
	}
	otherElement = &diag.Code{
		ID: "pdi/other-element", Severity: diag.Warning,
		Title: "memory of another type than the tree declares",
		Doc:   "PDI reads the memory of the program as the tree declares it, and never asks what it is. A declaration of the variable is in reach of the call, and its elements have another size, or are integers where the tree has floating point numbers.",
		Bad:   "wave.yml: data: {x: {type: array, subtype: float, size: 8}}\nwave.c: double x[8]; PDI_expose(\"x\", x, PDI_OUT);",
		Good:  "wave.yml: data: {x: {type: array, subtype: double, size: 8}}\nwave.c: double x[8]; PDI_expose(\"x\", x, PDI_OUT);",
	}
)

var programCodes = []*diag.Code{neverShared, neverTriggered, notHeard, wrongDirection, sizeLater, otherElement}
