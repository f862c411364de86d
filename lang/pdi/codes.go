package pdi

import (
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

var (
	unknownSection = &diag.Code{
		ID: "pdi/unknown-section", Severity: diag.Warning,
		Title: "a section that is almost one of the language",
		Doc:   "The root has types, data, metadata, plugins, logging, plugin_path and include. Other keys are ignored, which is fine for what other programs read; one that is nearly the name of a section is probably misspelt.",
		Bad:   "metdata:\n  n: int\n",
		Good:  "data:\n  n: int\n",
	}
	wrongShape = &diag.Code{
		ID: "pdi/wrong-shape", Severity: diag.Error,
		Title: "a mapping, a list or a single value where another is needed",
		Doc:   "Most places of a tree take one shape: `data` a mapping of names to types, `members` of a struct a list, a size a value or a list of values. `pentode docs pdi` lists every key.",
		Bad:   "data: [x, y]\n",
		Good:  "data: {x: int, y: int}\n",
	}
	duplicate = &diag.Code{
		ID: "pdi/duplicate", Severity: diag.Error,
		Title: "a key or name that is there twice",
		Doc:   "The original program takes the first of two equal keys and drops the second in silence; of two data with one name, types or plugins it refuses the second. Metadata and data share their names.",
		Bad:   "data:\n  x: int\n  y: {type: int, type: double}\n",
		Good:  "data:\n  x: int\n  y: {type: double}\n",
	}
	mergeKey = &diag.Code{
		ID: "pdi/merge-key", Severity: diag.Warning,
		Title: "`<<` does not merge",
		Doc:   "Other readers of YAML take `<<: *anchor` as the keys of another mapping. PDI's does not: the key is called `<<`.",
		Bad:   "base: &b {x: int}\ndata:\n  <<: *b\n",
		Good:  "base: &b {x: int}\ndata: *b\n",
	}
	missingKey = &diag.Code{
		ID: "pdi/missing-key", Severity: diag.Error,
		Title: "a key that must be there",
		Doc:   "An array needs `size` and `subtype`, a record `buffersize` and a `disp` for every member, a pointer `subtype`, a file of a plugin `file`.",
		Bad:   "data:\n  x: {type: array, size: 3}\n",
		Good:  "data:\n  x: {type: array, subtype: int, size: 3}\n",
	}
	unknownType = &diag.Code{
		ID: "pdi/unknown-type", Severity: diag.Error,
		Title: "a type that does not exist",
		Doc:   "A type is one of the language (C's, Fortran's, array, struct, record, tuple, pointer), one of the section `types`, or one of a loaded plugin. Names are case-sensitive.",
		Bad:   "data:\n  x: doubel\n",
		Good:  "data:\n  x: double\n",
	}
	recursiveType = &diag.Code{
		ID: "pdi/recursive-type", Severity: diag.Error,
		Title: "a type that contains itself",
		Doc:   "Its size would be infinite. A pointer to itself is fine; the original program does not end on that either.",
		Bad:   "types:\n  t: {type: struct, members: [{next: t}]}\n",
		Good:  "types:\n  t: {type: struct, members: [{next: {type: pointer, subtype: t}}]}\n",
	}
	unknownTypeKey = &diag.Code{
		ID: "pdi/unknown-type-key", Severity: diag.Warning,
		Title: "a key that the type does not have",
		Doc:   "It is ignored. Keys of your own begin with `+`.",
		Bad:   "data:\n  x: {type: array, subtype: int, size: 3, sise: 4}\n",
		Good:  "data:\n  x: {type: array, subtype: int, size: 3, +unit: m}\n",
	}
	startAlone = &diag.Code{
		ID: "pdi/start-alone", Severity: diag.Warning,
		Title: "`start` without `subsize`",
		Doc:   "A slice is a start and a number of elements. Without the number it is the whole array, and only a start of 0 fits; the original program refuses it.",
		Bad:   "data:\n  x: {type: array, subtype: int, size: 9, start: 0}\n",
		Good:  "data:\n  x: {type: array, subtype: int, size: 9, start: 1, subsize: 7}\n",
	}
	deprecated = &diag.Code{
		ID: "pdi/deprecated", Severity: diag.Info,
		Title: "a key that PDI's document advises against",
		Doc:   "`subsize` and `start` say which part of an array carries data. They work, here and in the original program, but a later version of the language may be without them. `decl_hdf5` selects a part with `memory_selection`.",
		Bad:   "data:\n  x: {type: array, subtype: int, size: 9, start: 1, subsize: 7}\n",
		Good:  "data:\n  x: {type: array, subtype: int, size: 9}\nplugins:\n  decl_hdf5: {file: a.h5, write: {x: {memory_selection: {size: 7, start: 1}}}}\n",
	}
	layout = &diag.Code{
		ID: "pdi/layout", Severity: diag.Error,
		Title: "a type that cannot be laid out in memory",
		Doc:   "Members overlap or lie outside `buffersize`, a slice lies outside its array, a size is negative or larger than any memory, a kind is no power of two.",
		Bad:   "data:\n  x:\n    type: record\n    buffersize: 6\n    members:\n      a: {disp: 0, type: int32}\n      b: {disp: 4, type: int32}\n",
		Good:  "data:\n  x:\n    type: record\n    buffersize: 8\n    members:\n      a: {disp: 0, type: int32}\n      b: {disp: 4, type: int32}\n",
	}
	badInclude = &diag.Code{
		ID: "pdi/bad-include", Severity: diag.Error,
		Title: "an include that names no file",
		Doc:   "`include` is a file, a mapping with `file` and `subtree`, or a list of these.",
		Bad:   "include: {file: other.yml}\n",
		Good:  "data: {x: int}\n",
	}
	badSubtree = &diag.Code{
		ID: "pdi/no-subtree", Severity: diag.Error,
		Title: "a part of a document that is not there",
		Doc:   "`--subtree` and the `subtree` of an include lead to a part of a document: `.key`, `[2]` for an item, `<2>` for the value of an entry by its number.",
		Bad:   "include: {file: x.yml, subtree: .nope}\n",
		Good:  "data: {x: int}\n",
	}
	badOverride = &diag.Code{
		ID: "pdi/bad-override", Severity: diag.Error,
		Title: "a setting of the command line that the tree does not have",
		Doc:   "`-s KEY=VALUE` changes a single value, or adds a key to a mapping that is there. Keys are written like `data.d.size[0]`; names with dots or blanks in quotes.",
		Bad:   "-s data.nosuch.size[0]=3",
		Good:  "data: {x: int}\n",
	}
	includeMissing = &diag.Code{
		ID: "pdi/include-missing", Severity: diag.Error,
		Title: "an included file that is not there",
		Doc:   "A path is relative to the file that includes it, then to the working directory, then to the folders given with `-I`. The original program looks in the working directory only.",
		Bad:   "include: nosuch.yml\n",
		Good:  "data: {x: int}\n",
	}
	includeUnreadable = &diag.Code{
		ID: "pdi/include-unreadable", Severity: diag.Error,
		Title: "an included file that cannot be read",
		Doc:   "It is there, but it is a folder, no text, too large, or not yours to read. Includes may be 1000 deep, 4096 altogether, and 64 MB in all.",
		Bad:   "include: picture.png\n",
		Good:  "data: {x: int}\n",
	}
	includeCycle = &diag.Code{
		ID: "pdi/include-cycle", Severity: diag.Error,
		Title: "a file that includes itself",
		Doc:   "Directly or through others. Another part of the same file, by `subtree`, is no cycle.",
		Bad:   "include: x.yml\n",
		Good:  "data: {x: int}\n",
	}
)

var includeCodes = load.Codes{Missing: includeMissing, Unreadable: includeUnreadable, Cycle: includeCycle, Limit: includeUnreadable}

// codes are all codes of the language.
var codes = slices.Concat([]*diag.Code{
	unknownSection, wrongShape, duplicate, mergeKey, missingKey, unknownType, recursiveType, unknownTypeKey, startAlone, deprecated, layout,
	badInclude, badSubtree, badOverride, includeMissing, includeUnreadable, includeCycle,
}, meaningCodes, programCodes, syntax.Codes)
