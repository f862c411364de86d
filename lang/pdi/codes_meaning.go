package pdi

import "github.com/pentode-dev/pentode/core/diag"

var (
	undeclared = &diag.Code{
		ID: "pdi/undeclared", Severity: diag.Error,
		Title: "a name that nothing declares",
		Doc:   "An expression, or a list of data of a plugin, names a datum that is neither in `metadata` nor in `data`, nor provided by a plugin. The original program starts all the same and fails when it needs the value.",
		Bad:   "metadata: {parflowrank: int}\nplugins:\n  decl_hdf5: {file: 'out_${rank}.h5'}\n",
		Good:  "metadata: {parflowrank: int}\nplugins:\n  decl_hdf5: {file: 'out_${parflowrank}.h5'}\n",
	}
	dataReference = &diag.Code{
		ID: "pdi/data-reference", Severity: diag.Warning,
		Title: "an expression that reads data which may be gone",
		Doc:   "Data can be read only while it is shared; of metadata a copy is kept. What sizes, conditions and file names read belongs to `metadata`.",
		Bad:   "data:\n  n: int\n  x: {type: array, subtype: int, size: $n}\n",
		Good:  "metadata:\n  n: int\ndata:\n  x: {type: array, subtype: int, size: $n}\n",
	}
	notANumber = &diag.Code{
		ID: "pdi/not-a-number", Severity: diag.Error,
		Title: "a text where a number is needed",
		Doc:   "Sizes, kinds, offsets and conditions are numbers: written out, one reference, or an operation. What has text around a reference is a text.",
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
		Doc:   "A member of something that has none, an index outside an array, an array where a number is needed, a format that does not fit. In a text `$i.h5` is the member `h5` of `i`: write `${i}.h5`.",
		Bad:   "metadata: {i: int}\nplugins:\n  json: [{file: 'out$i.json', write: [i]}]\n",
		Good:  "metadata: {i: int}\nplugins:\n  json: [{file: 'out${i}.json', write: [i]}]\n",
	}
	notAnOperator = &diag.Code{
		ID: "pdi/not-an-operator", Severity: diag.Warning,
		Title: "an operator that the language does not have",
		Doc:   "There are * / % + - < > = & |. Text with others, such as `==` or `<=`, is a text and not an operation. Where a number is needed that is an error.",
		Bad:   "metadata: {i: int}\nplugins:\n  decl_hdf5: {file: a.h5, when: '$i == 3', write: [i]}\n",
		Good:  "metadata: {i: int}\nplugins:\n  decl_hdf5: {file: a.h5, when: '$i = 3', write: [i]}\n",
	}
	badFormat = &diag.Code{
		ID: "pdi/bad-format", Severity: diag.Error,
		Title: "a format that fits no value",
		Doc:   "After the colon in `${name:05d}` stands a format of the {fmt} library: fill, alignment, sign, width, precision, type.",
		Bad:   "metadata: {i: int}\nplugins:\n  json: [{file: '${i:05q}.json', write: [i]}]\n",
		Good:  "metadata: {i: int}\nplugins:\n  json: [{file: '${i:05d}.json', write: [i]}]\n",
	}
	dialectsDiffer = &diag.Code{
		ID: "pdi/dialects-differ", Severity: diag.Info,
		Title: "the document and the original program read this differently",
		Doc:   "`--as documented` is what the language's document says, `--as upstream` what the original program does.",
		Bad:   "metadata: {k: int}\ndata:\n  x: {type: integer, kind: $k}\n",
		Good:  "data:\n  x: {type: integer, kind: 8}\n",
	}
	unusedMetadata = &diag.Code{
		ID: "pdi/unused-metadata", Severity: diag.Warning,
		Title: "metadata that nothing reads",
		Doc:   "A copy of metadata is kept so that expressions and plugins can read it. Where none does, the copies are for nothing, or a name is misspelt elsewhere.",
		Bad:   "metadata: {n: int}\n",
		Good:  "metadata: {n: int}\ndata:\n  x: {type: array, subtype: int, size: $n}\n",
	}
	unknownKey = &diag.Code{
		ID: "pdi/unknown-key", Severity: diag.Error,
		Title: "a key that a plugin or the log does not have",
		Doc:   "`pentode docs pdi` lists the keys of every plugin. Most plugins ignore other keys in silence.",
		Bad:   "plugins:\n  decl_hdf5: {fiel: a.h5, file: b.h5}\n",
		Good:  "plugins:\n  decl_hdf5: {file: a.h5}\n",
	}
	unknownWord = &diag.Code{
		ID: "pdi/unknown-word", Severity: diag.Error,
		Title: "a word that is none of the few that are possible",
		Doc:   "Logging levels, `console`, `collision_policy` and the like take fixed words in fixed spelling. The original program uses a default for an unknown level.",
		Bad:   "logging: warning\n",
		Good:  "logging: warn\n",
	}
	badPattern = &diag.Code{
		ID: "pdi/bad-pattern", Severity: diag.Error,
		Title: "a log pattern that cannot be filled in",
		Doc:   "`%{NAME}` is a reference without `$`. It is evaluated when the plugins are loaded, before data and metadata exist, so only what a plugin provides has a value.",
		Bad:   "logging: {pattern: '[%{i:03d}] %v'}\ndata: {i: int}\n",
		Good:  "logging: {pattern: '[%n] %v'}\ndata: {i: int}\n",
	}
	badValue = &diag.Code{
		ID: "pdi/bad-value", Severity: diag.Error,
		Title: "a value that a plugin refuses when it is used",
		Doc: "What is written out is tried before anything runs: values of `set_value` on the data that get them, levels of compression, the names of datasets as regular " +
			"expressions, paths of attributes, and selections against the dimensions of their data.",
		Bad:  "data: {x: int}\nplugins:\n  set_value: {on_init: [expose: [x: abc]]}\n",
		Good: "data: {x: int}\nplugins:\n  set_value: {on_init: [expose: [x: 5]]}\n",
	}
	noWord = &diag.Code{
		ID: "pdi/no-netcdf-type", Severity: diag.Error,
		Title: "data of a type that netCDF has no word for",
		Doc: "Variables hold integers of 1 to 8 bytes, floats of 4 and 8, characters, and records of those that have a name (`+decl_netcdf.type`). " +
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
		Title: "a group that is read and that nothing writes",
		Doc:   "The same tree writes the netCDF file, and nothing that it writes is in this group. Another program may have put it there before.",
		Bad:   "data: {x: int}\nplugins:\n  decl_netcdf: [{file: a.nc, write: {x: {variable: out/x}}}, {file: a.nc, on_event: e, read: {x: {variable: uot/x}}}]\n",
		Good:  "data: {x: int}\nplugins:\n  decl_netcdf: [{file: a.nc, write: {x: {variable: out/x}}}, {file: a.nc, on_event: e, read: {x: {variable: out/x}}}]\n",
	}
	lacksAttributes = &diag.Code{
		ID: "pdi/netcdf-conventions", Severity: diag.Info, Optional: true,
		Title: "a variable without the attributes that readers of netCDF expect",
		Doc: "By the CF conventions a variable says its `units` and what it is (`long_name` or `standard_name`), and a variable that holds coordinates, its `axis`. " +
			"It is shown where `pentode.toml` selects the code or gives it a severity.",
		Bad:  "data: {x: double}\nplugins:\n  decl_netcdf: {file: a.nc, write: x}\n",
		Good: "data: {x: double}\nplugins:\n  decl_netcdf: {file: a.nc, variables: {x: {attributes: {units: K, long_name: temperature}}}, write: x}\n",
	}
	setTwice = &diag.Code{
		ID: "pdi/set-twice", Severity: diag.Warning,
		Title: "a setting for a file and again for one of its datasets",
		Doc:   "That of the dataset counts. The original program warns too when it starts.",
		Bad:   "data: {x: int}\nplugins:\n  decl_hdf5: {file: a.h5, deflate: 3, write: {x: {deflate: 6}}}\n",
		Good:  "data: {x: int}\nplugins:\n  decl_hdf5: {file: a.h5, write: {x: {deflate: 6}}}\n",
	}
	unknownPlugin = &diag.Code{
		ID: "pdi/unknown-plugin", Severity: diag.Warning,
		Title: "a plugin that PDI does not have",
		Doc:   "It may be one of your own. Its configuration is not checked, and it cannot run here.",
		Bad:   "plugins: {decl_hdf: {file: a.h5}}\n",
		Good:  "plugins: {decl_hdf5: {file: a.h5}}\n",
	}
	pluginMissing = &diag.Code{
		ID: "pdi/plugin-missing", Severity: diag.Info,
		Title: "a plugin that does not run everywhere",
		Doc:   "Its configuration is checked, and the names and types that it provides count as declared. Programs that call PDI, pipelines that expose and `data replay` have stores; running the plugin in one that does not have it is an error. `pentode docs pdi` says of each plugin where it runs.",
		Bad:   "plugins: {pycall: }\n",
		Good:  "plugins: {trace: }\n",
	}
	refusedPlugin = &diag.Code{
		ID: "pdi/refused", Severity: diag.Error,
		Title: "a configuration that a plugin refuses when it is loaded",
		Doc:   "The plugin itself has read its configuration, as it does in `PDI_init`. Its message is that of `PDI_init`.",
		Bad:   "data: {x: int}\nplugins:\n  set_value: {on_init: }\n",
		Good:  "data: {x: int}\nplugins:\n  set_value: {on_init: [expose: [x: 5]]}\n",
	}
	notConverted = &diag.Code{
		ID: "pdi/not-converted", Severity: diag.Warning,
		Title: "a declaration that the other format cannot have",
		Doc:   "Its size depends on data, or the format has no such type. `-s KEY=VALUE` gives sizes for the conversion.",
		Bad:   "metadata: {n: int}\ndata:\n  x: {type: array, subtype: int, size: $n}\n",
		Good:  "data:\n  x: {type: array, subtype: int, size: 3}\n",
	}
	notCarriedOut = &diag.Code{
		ID: "pdi/not-carried-out", Severity: diag.Info,
		Title: "a key that has no effect here",
		Doc:   "It says how several processes write one file together. Here they do so in one way; the original program heeds the key where HDF5 is parallel.",
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
	unknownKey, unknownWord, badPattern, badValue, noWord, otherDimension, noSuchGroup, lacksAttributes, setTwice, unknownPlugin, pluginMissing, refusedPlugin, notConverted, notCarriedOut, pathIgnored,
}
