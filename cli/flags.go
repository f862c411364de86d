package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/source"
)

// choices are the values that the help of a flag lists, as in `text|json`, where it takes
// no other. Misuse and completion read them there.
func choices(f *pflag.Flag) []string {
	values, _ := pflag.UnquoteUsage(f)
	if strings.Contains(values, "|") && strings.ToLower(values) == values {
		return strings.Split(values, "|")
	}
	return nil
}

// fileFlags are the flags of every verb that reads a file.
type fileFlags struct {
	lang, as, filename string
	include, overrides []string
	values             []string // of data, in verbs about data
	maxSize            int64
	config, inside     []string
	noConfig, noIgnore bool
	asGiven            bool         // the user gave the dialect
	read               *source.File // standard input, where it was read
	options            languageFlags
}

// languageFlags are the flags that only one language takes.
type languageFlags struct {
	targets       []string     // COIL: files with further processors and features
	vendorSchemas []string     // COIL: files with the sections of vendors
	system        string       // Paradyn: the system's file in the search
	dialect       string       // Paradyn: psdl, pcl or auto
	types         []string     // sprokit: files that declare process types
	clusterPath   []string     // sprokit: folders with clusters
	subtree       string       // PDI: where in a document the tree is
	catalogs      []string     // PInsight: files with further domains
	program       programFlags // PInsight: the program that is traced
}
