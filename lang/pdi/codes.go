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
		Title: "a key that is almost the name of a section",
		Doc:   "The sections are types, data, metadata, plugins, logging, plugin_path and include. Other keys are ignored, because other programs may read them. A key that is almost the name of a section is probably misspelt.",
		Bad:   "metdata:\n  n: int\n",
		Good:  "data:\n  n: int\n",
	}
	wrongShape = &diag.Code{
		ID: "pdi/wrong-shape", Severity: diag.Error,
		Title: "a mapping, a list or a single value where another is needed",
		Doc:   "Most places of a tree take one shape: `data` a mapping of names to types, `members` of a struct a list, a size a value or a list of values. `pentode schema --format markdown pdi` lists every key.",
		Bad:   "data: [x, y]\n",
		Good:  "data: {x: int, y: int}\n",
	}
	duplicate = &diag.Code{
		ID: "pdi/duplicate", Severity: diag.Error,
		Title: "a key or name that occurs twice",
		Doc:   "The original program uses the first of two equal keys and silently drops the second. If two data, types or plugins have the same name, it refuses the second. Metadata and data share one set of names.",
		Bad:   "data:\n  x: int\n  y: {type: int, type: double}\n",
		Good:  "data:\n  x: int\n  y: {type: double}\n",
	}
	mergeKey = &diag.Code{
		ID: "pdi/merge-key", Severity: diag.Warning,
		Title: "`<<` does not merge",
		Doc:   "Other readers of YAML replace `<<: *anchor` with the keys of the other mapping. PDI's reader does not: it sees a key named `<<`.",
		Bad:   "base: &b {x: int}\ndata:\n  <<: *b\n",
		Good:  "base: &b {x: int}\ndata: *b\n",
	}
	missingKey = &diag.Code{
		ID: "pdi/missing-key", Severity: diag.Error,
		Title: "a required key that is missing",
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
		Doc:   "The size of such a type would be infinite. A pointer to the type itself is allowed. The original program hangs, even on such a pointer.",
		Bad:   "types:\n  t: {type: struct, members: [{next: t}]}\n",
		Good:  "types:\n  t: {type: struct, members: [{next: {type: pointer, subtype: t}}]}\n",
	}
	unknownTypeKey = &diag.Code{
		ID: "pdi/unknown-type-key", Severity: diag.Warning,
		Title: "a key that the type does not have",
		Doc:   "The key is ignored. Begin your own keys with `+`.",
		Bad:   "data:\n  x: {type: array, subtype: int, size: 3, sise: 4}\n",
		Good:  "data:\n  x: {type: array, subtype: int, size: 3, +unit: m}\n",
	}
	startAlone = &diag.Code{
		ID: "pdi/start-alone", Severity: diag.Warning,
		Title: "`start` without `subsize`",
		Doc:   "A slice has a start and a number of elements. Without the number it has as many elements as the array, so only a start of 0 fits. The original program refuses such a type.",
		Bad:   "data:\n  x: {type: array, subtype: int, size: 9, start: 0}\n",
		Good:  "data:\n  x: {type: array, subtype: int, size: 9, start: 1, subsize: 7}\n",
	}
	deprecated = &diag.Code{
		ID: "pdi/deprecated", Severity: diag.Info,
		Title: "a key that PDI's documentation advises against",
		Doc:   "`subsize` and `start` select the part of an array that carries data. They work here and in the original program, but a later version of the language may drop them. `decl_hdf5` selects a part with `memory_selection`.",
		Bad:   "data:\n  x: {type: array, subtype: int, size: 9, start: 1, subsize: 7}\n",
		Good:  "data:\n  x: {type: array, subtype: int, size: 9}\nplugins:\n  decl_hdf5: {file: a.h5, write: {x: {memory_selection: {size: 7, start: 1}}}}\n",
	}
	layout = &diag.Code{
		ID: "pdi/layout", Severity: diag.Error,
		Title: "a type that cannot be laid out in memory",
		Doc:   "Members overlap or lie outside `buffersize`, a slice lies outside its array, a size is negative or larger than any memory, a kind is not a power of two.",
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
		Title: "a part of a document that does not exist",
		Doc:   "`--subtree` and the `subtree` of an include lead to a part of a document: `.key`, `[2]` for an item, `<2>` for the value of an entry by its number.",
		Bad:   "include: {file: x.yml, subtree: .nope}\n",
		Good:  "data: {x: int}\n",
	}
	badOverride = &diag.Code{
		ID: "pdi/bad-override", Severity: diag.Error,
		Title: "a setting of the command line that the tree does not have",
		Doc:   "`-s KEY=VALUE` changes a single value, or adds a key to an existing mapping. Keys are written like `data.d.size[0]`; put names with dots or blanks in quotes.",
		Bad:   "-s data.nosuch.size[0]=3",
		Good:  "data: {x: int}\n",
	}
	includeMissing = &diag.Code{
		ID: "pdi/include-missing", Severity: diag.Error,
		Title: "an included file that does not exist",
		Doc:   "A path is relative to the file that includes it, then to the working directory, then to the folders given with `-I`. The original program looks in the working directory only.",
		Bad:   "include: nosuch.yml\n",
		Good:  "data: {x: int}\n",
	}
	includeUnreadable = &diag.Code{
		ID: "pdi/include-unreadable", Severity: diag.Error,
		Title: "an included file that cannot be read",
		Doc:   "The file exists, but it is a folder, is not a text, is too large, or may not be read. Includes may be nested 1000 deep; a tree has at most 4096 of them, with 64 MB in all.",
		Bad:   "include: picture.png\n",
		Good:  "data: {x: int}\n",
	}
	includeCycle = &diag.Code{
		ID: "pdi/include-cycle", Severity: diag.Error,
		Title: "a file that includes itself",
		Doc:   "A file includes itself directly or through others. It may include another part of itself, by `subtree`.",
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

var (
	undeclared = &diag.Code{
		ID: "pdi/undeclared", Severity: diag.Error,
		Title: "a name that nothing declares",
		Doc:   "An expression, or a list of data of a plugin, names a datum that is neither in `metadata` nor in `data`, nor provided by a plugin. The original program starts anyway and fails when it needs the value.",
		Bad:   "metadata: {parflowrank: int}\nplugins:\n  decl_hdf5: {file: 'out_${rank}.h5'}\n",
		Good:  "metadata: {parflowrank: int}\nplugins:\n  decl_hdf5: {file: 'out_${parflowrank}.h5'}\n",
	}
	dataReference = &diag.Code{
		ID: "pdi/data-reference", Severity: diag.Warning,
		Title: "an expression that reads data which may be gone",
		Doc:   "Data can be read only while it is shared; metadata is copied and can be read at any time. Names that sizes, conditions and file names read belong in `metadata`.",
		Bad:   "data:\n  n: int\n  x: {type: array, subtype: int, size: $n}\n",
		Good:  "metadata:\n  n: int\ndata:\n  x: {type: array, subtype: int, size: $n}\n",
	}
	notANumber = &diag.Code{
		ID: "pdi/not-a-number", Severity: diag.Error,
		Title: "a text where a number is needed",
		Doc:   "Sizes, kinds, offsets and conditions are numbers: a literal number, a single reference, or an operation. A reference with text around it is a text.",
		Bad:   "data:\n  x: {type: array, subtype: int, size: nx}\nmetadata: {nx: int}\n",
		Good:  "data:\n  x: {type: array, subtype: int, size: $nx}\nmetadata: {nx: int}\n",
	}
	badExpression = &diag.Code{
		ID: "pdi/bad-expression", Severity: diag.Error,
		Title: "an expression that cannot be read",
		Doc:   "A `$` begins a reference, `$name` or `${name}`, or an operation in a text, `$(1 + 2)`. A dollar sign itself is written `\\$`.",
		Bad:   "plugins:\n  json: [{file: 'price $5', write: [x]}]\ndata: {x: int}\n",
		Good:  "plugins:\n  json: [{file: 'price \\$5', write: [x]}]\ndata: {x: int}\n",
	}
	badReference = &diag.Code{
		ID: "pdi/bad-reference", Severity: diag.Error,
		Title: "a reference to a part that the type does not have",
		Doc:   "For example: a member of a type without members, an index outside an array, an array where a number is needed, or a format that does not fit. In a text, `$i.h5` is the member `h5` of `i`: write `${i}.h5`.",
		Bad:   "metadata: {i: int}\nplugins:\n  json: [{file: 'out$i.json', write: [i]}]\n",
		Good:  "metadata: {i: int}\nplugins:\n  json: [{file: 'out${i}.json', write: [i]}]\n",
	}
	notAnOperator = &diag.Code{
		ID: "pdi/not-an-operator", Severity: diag.Warning,
		Title: "an operator that the language does not have",
		Doc:   "The operators are * / % + - < > = & |. With other signs, such as `==` or `<=`, a value is a text and not an operation. If a number is needed, this is an error.",
		Bad:   "metadata: {i: int}\nplugins:\n  decl_hdf5: {file: a.h5, when: '$i == 3', write: [i]}\n",
		Good:  "metadata: {i: int}\nplugins:\n  decl_hdf5: {file: a.h5, when: '$i = 3', write: [i]}\n",
	}
	badFormat = &diag.Code{
		ID: "pdi/bad-format", Severity: diag.Error,
		Title: "a format that fits no value",
		Doc:   "The text after the colon in `${name:05d}` is a format of the {fmt} library: fill, alignment, sign, width, precision, type.",
		Bad:   "metadata: {i: int}\nplugins:\n  json: [{file: '${i:05q}.json', write: [i]}]\n",
		Good:  "metadata: {i: int}\nplugins:\n  json: [{file: '${i:05d}.json', write: [i]}]\n",
	}
	dialectsDiffer = &diag.Code{
		ID: "pdi/dialects-differ", Severity: diag.Info,
		Title: "the documentation and the original program read this differently",
		Doc:   "`--as documented` follows the language's documentation, `--as upstream` the original program.",
		Bad:   "metadata: {k: int}\ndata:\n  x: {type: integer, kind: $k}\n",
		Good:  "data:\n  x: {type: integer, kind: 8}\n",
	}
	unusedMetadata = &diag.Code{
		ID: "pdi/unused-metadata", Severity: diag.Warning,
		Title: "metadata that nothing reads",
		Doc:   "Metadata is copied so that expressions and plugins can read it at any time. If none reads it, the copies are wasted, or a name is misspelt elsewhere.",
		Bad:   "metadata: {n: int}\n",
		Good:  "metadata: {n: int}\ndata:\n  x: {type: array, subtype: int, size: $n}\n",
	}
	unknownKey = &diag.Code{
		ID: "pdi/unknown-key", Severity: diag.Error,
		Title: "a key that a plugin or the log does not have",
		Doc:   "`pentode schema --format markdown pdi` lists the keys of every plugin. Most plugins silently ignore other keys.",
		Bad:   "plugins:\n  decl_hdf5: {fiel: a.h5, file: b.h5}\n",
		Good:  "plugins:\n  decl_hdf5: {file: a.h5}\n",
	}
	unknownWord = &diag.Code{
		ID: "pdi/unknown-word", Severity: diag.Error,
		Title: "a word that is not one of the allowed words",
		Doc:   "Logging levels, `console`, `collision_policy` and the like take fixed words in fixed spelling. The original program uses a default for an unknown level.",
		Bad:   "logging: warning\n",
		Good:  "logging: warn\n",
	}
	badPattern = &diag.Code{
		ID: "pdi/bad-pattern", Severity: diag.Error,
		Title: "a log pattern that cannot be filled in",
		Doc:   "`%{NAME}` is a reference without `$`. It is evaluated when the plugins are loaded, before data and metadata exist, so only names that a plugin provides have a value.",
		Bad:   "logging: {pattern: '[%{i:03d}] %v'}\ndata: {i: int}\n",
		Good:  "logging: {pattern: '[%n] %v'}\ndata: {i: int}\n",
	}
	badValue = &diag.Code{
		ID: "pdi/bad-value", Severity: diag.Error,
		Title: "a value that a plugin refuses when it is used",
		Doc: "Literal values are tried before anything runs: values of `set_value` on the data that get them, levels of compression, the names of datasets as regular " +
			"expressions, paths of attributes, and selections against the dimensions of their data.",
		Bad:  "data: {x: int}\nplugins:\n  set_value: {on_init: [expose: [x: abc]]}\n",
		Good: "data: {x: int}\nplugins:\n  set_value: {on_init: [expose: [x: 5]]}\n",
	}
	noNetCDFType = &diag.Code{
		ID: "pdi/no-netcdf-type", Severity: diag.Error,
		Title: "data of a type that netCDF does not have",
		Doc: "Variables hold integers of 1 to 8 bytes, floats of 4 and 8 bytes, characters, and records of these types that have a name (`+decl_netcdf.type`). " +
			"There are no tuples, no pointers and no larger floats.",
		Bad:  "data: {x: byte}\nplugins:\n  decl_netcdf: {file: a.nc, write: x}\n",
		Good: "data: {x: uint8}\nplugins:\n  decl_netcdf: {file: a.nc, write: x}\n",
	}
	otherDimension = &diag.Code{
		ID: "pdi/other-dimension", Severity: diag.Error,
		Title: "a dimension that has two sizes",
		Doc: "Variables share a dimension by its name. In one group of a file a name is one dimension, so all variables that use it there have the same size along it. " +
			"Size 0 means that the dimension has no limit.",
		Bad: "data: {a: {type: array, subtype: int, size: 3}, b: {type: array, subtype: int, size: 4}}\nplugins:\n" +
			"  decl_netcdf: {file: a.nc, variables: {a: {dimensions: x}, b: {dimensions: x}}, write: [a, b]}\n",
		Good: "data: {a: {type: array, subtype: int, size: 3}, b: {type: array, subtype: int, size: 4}}\nplugins:\n" +
			"  decl_netcdf: {file: a.nc, variables: {a: {dimensions: x}, b: {dimensions: y}}, write: [a, b]}\n",
	}
	noSuchGroup = &diag.Code{
		ID: "pdi/no-such-group", Severity: diag.Warning,
		Title: "a group that is read but never written",
		Doc:   "The same tree writes the netCDF file, and nothing that it writes is in this group. Another program may have put it there before.",
		Bad:   "data: {x: int}\nplugins:\n  decl_netcdf: [{file: a.nc, write: {x: {variable: out/x}}}, {file: a.nc, on_event: e, read: {x: {variable: uot/x}}}]\n",
		Good:  "data: {x: int}\nplugins:\n  decl_netcdf: [{file: a.nc, write: {x: {variable: out/x}}}, {file: a.nc, on_event: e, read: {x: {variable: out/x}}}]\n",
	}
	lacksAttributes = &diag.Code{
		ID: "pdi/netcdf-conventions", Severity: diag.Info, Optional: true,
		Title: "a variable without the attributes that readers of netCDF expect",
		Doc: "By the CF conventions a variable has its `units` and a description (`long_name` or `standard_name`), and a variable that holds coordinates has its `axis`. " +
			"The finding is shown only if `pentode.toml` selects the code or gives it a severity.",
		Bad:  "data: {x: double}\nplugins:\n  decl_netcdf: {file: a.nc, write: x}\n",
		Good: "data: {x: double}\nplugins:\n  decl_netcdf: {file: a.nc, variables: {x: {attributes: {units: K, long_name: temperature}}}, write: x}\n",
	}
	setTwice = &diag.Code{
		ID: "pdi/set-twice", Severity: diag.Warning,
		Title: "a setting for a file and again for one of its datasets",
		Doc:   "The setting of the dataset counts. The original program warns, too, when it starts.",
		Bad:   "data: {x: int}\nplugins:\n  decl_hdf5: {file: a.h5, deflate: 3, write: {x: {deflate: 6}}}\n",
		Good:  "data: {x: int}\nplugins:\n  decl_hdf5: {file: a.h5, write: {x: {deflate: 6}}}\n",
	}
	unknownPlugin = &diag.Code{
		ID: "pdi/unknown-plugin", Severity: diag.Warning,
		Title: "a plugin that PDI does not have",
		Doc:   "It may be your own plugin. Its configuration is not checked, and it cannot run here.",
		Bad:   "plugins: {decl_hdf: {file: a.h5}}\n",
		Good:  "plugins: {decl_hdf5: {file: a.h5}}\n",
	}
	pluginMissing = &diag.Code{
		ID: "pdi/plugin-missing", Severity: diag.Info,
		Title: "a plugin that does not run everywhere",
		Doc:   "Its configuration is checked, and the names and types that it provides count as declared. Programs that call PDI, pipelines that expose data and `data replay` have stores; running the plugin in a store that does not have it is an error. `pentode schema --format markdown pdi` lists where each plugin runs.",
		Bad:   "plugins: {pycall: }\n",
		Good:  "plugins: {trace: }\n",
	}
	refusedPlugin = &diag.Code{
		ID: "pdi/refused", Severity: diag.Error,
		Title: "a configuration that a plugin refuses when it is loaded",
		Doc:   "The plugin read its configuration as it does in `PDI_init`, and refused it. The message is the message of `PDI_init`.",
		Bad:   "data: {x: int}\nplugins:\n  set_value: {on_init: }\n",
		Good:  "data: {x: int}\nplugins:\n  set_value: {on_init: [expose: [x: 5]]}\n",
	}
	notConverted = &diag.Code{
		ID: "pdi/not-converted", Severity: diag.Warning,
		Title: "a declaration that the other format cannot express",
		Doc:   "Its size depends on data, or the format has no such type. `-s KEY=VALUE` gives sizes for the conversion.",
		Bad:   "metadata: {n: int}\ndata:\n  x: {type: array, subtype: int, size: $n}\n",
		Good:  "data:\n  x: {type: array, subtype: int, size: 3}\n",
	}
	notCarriedOut = &diag.Code{
		ID: "pdi/not-carried-out", Severity: diag.Info,
		Title: "a key that has no effect here",
		Doc:   "The key selects how several processes write one file together. Here there is only one way; the original program obeys the key if its HDF5 is parallel.",
		Bad:   "data: {x: double}\nplugins:\n  mpi:\n  decl_hdf5: [{file: a.h5, communicator: $MPI_COMM_WORLD, subfiling: 2, write: [x]}]\n",
		Good:  "data: {x: double}\nplugins:\n  mpi:\n  decl_hdf5: [{file: a.h5, communicator: $MPI_COMM_WORLD, write: [x]}]\n",
	}
	pathIgnored = &diag.Code{
		ID: "pdi/path-ignored", Severity: diag.Info,
		Title: "`plugin_path` is not used",
		Doc:   "The original program loads plugins from shared objects in these folders. Here plugins are built in, and no shared object is loaded.",
		Bad:   "plugin_path: /usr/lib/pdi/plugins\n",
		Good:  "plugins: {trace: }\n",
	}
)

var meaningCodes = []*diag.Code{
	undeclared, dataReference, notANumber, badExpression, badReference, notAnOperator, badFormat, dialectsDiffer, unusedMetadata,
	unknownKey, unknownWord, badPattern, badValue, noNetCDFType, otherDimension, noSuchGroup, lacksAttributes, setTwice, unknownPlugin, pluginMissing, refusedPlugin, notConverted, notCarriedOut, pathIgnored,
}

// Codes about a tree and the sources of its program.
var (
	neverShared = &diag.Code{
		ID: "pdi/never-shared", Severity: diag.Warning,
		Title: "a name that the program never shares",
		Doc: "No source of the program shares data of this name, and no plugin gives it a value. Plugins that read it fail, and plugins that should write it to a file write nothing. " +
			"Names that the program builds while it runs are not reported. The finding is an info if nothing in the tree reads the name.",
		Bad:  "wave.yml: data: {presure: double}\nwave.c: PDI_expose(\"pressure\", &p, PDI_OUT);",
		Good: "wave.yml: data: {pressure: double}\nwave.c: PDI_expose(\"pressure\", &p, PDI_OUT);",
	}
	neverTriggered = &diag.Code{
		ID: "pdi/never-triggered", Severity: diag.Warning,
		Title: "an event that the program never triggers",
		Doc:   "The tree waits for an event that neither a source of the program nor a plugin triggers. A run does not report this: the work is silently not done.",
		Bad:   "wave.yml: decl_hdf5: {file: a.h5, on_event: finalisation, write: [x]}\nwave.c: PDI_event(\"finalization\");",
		Good:  "wave.yml: decl_hdf5: {file: a.h5, on_event: finalization, write: [x]}\nwave.c: PDI_event(\"finalization\");",
	}
	notHeard = &diag.Code{
		ID: "pdi/not-heard", Severity: diag.Info,
		Title: "an event or a name of the program that the tree does not have",
		Doc:   "The program triggers an event that no plugin waits for, or shares data that the tree does not declare. Both are allowed and have no effect.",
		Bad:   "wave.yml: data: {x: double}\nwave.c: PDI_expose(\"debug\", &d, PDI_OUT);",
		Good:  "wave.yml: data: {x: double, debug: double}\nwave.c: PDI_expose(\"debug\", &d, PDI_OUT);",
	}
	wrongDirection = &diag.Code{
		ID: "pdi/wrong-direction", Severity: diag.Warning,
		Title: "the program shares in one direction, and the tree needs the other",
		Doc:   "`PDI_OUT` lets PDI read the memory of the program, `PDI_IN` lets it write there. A plugin may not write data shared with `PDI_OUT` alone, nor read data shared with `PDI_IN` alone. Metadata is always read.",
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
		Doc:   "PDI reads the memory of the program as the tree declares it, without knowing the type of the variable. The source declares the variable with elements of another size, or with integers where the tree has floating point numbers.",
		Bad:   "wave.yml: data: {x: {type: array, subtype: float, size: 8}}\nwave.c: double x[8]; PDI_expose(\"x\", x, PDI_OUT);",
		Good:  "wave.yml: data: {x: {type: array, subtype: double, size: 8}}\nwave.c: double x[8]; PDI_expose(\"x\", x, PDI_OUT);",
	}
)

var programCodes = []*diag.Code{neverShared, neverTriggered, notHeard, wrongDirection, sizeLater, otherElement}
