package config

import "github.com/pentode-dev/pentode/run/data/logging"

// Log is the key `logging`, which every plugin has: it configures the plugin's own log.
var Log = Key{Name: "logging", Rule: Logging, Doc: "The plugin's own log."}

// Logging is the rule of the key `logging`, of the tree and of every plugin.
var Logging = &Rule{Scalar: Level, Lax: true, Keys: []Key{
	{Name: "level", Rule: &Rule{Scalar: Level, Words: logging.Levels[:]}, Default: "info", Doc: "How much is logged: `trace` logs everything, `off` nothing."},
	{Name: "pattern", Rule: Only(LogPattern), Default: logging.DefaultPattern, Doc: "The format of a line, in spdlog's pattern language; `%{NAME}` is the value of a datum that a plugin provides."},
	{Name: "output", Doc: "Where to log to.", Rule: &Rule{Lax: true, Keys: []Key{
		{Name: "file", Rule: Only(Path), Doc: "The file to log to."},
		{Name: "console", Rule: &Rule{Scalar: Text, Words: []string{"on", "off"}, Lax: true}, Default: "on",
			Doc: "Whether to log to the console too; the default is `on`, or `off` if there is a `file`."},
	}}},
}}

// Arguments is the rule for named values: each key is the name by which code refers to the value.
var Arguments = ByName(Provides, &Rule{Value: true})
