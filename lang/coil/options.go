package coil

import (
	"io"
	"os"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// Options are the language's options on the command line.
type Options struct {
	Tables  *table.Tables    // if nil, the built-in tables
	Vendors []schema.Section // the sections in `coil.vendor-schema`: see VendorSchema
	// Validator skips vendors' sections, as the language's document requires of its
	// validator.
	Validator bool
	// Fragment skips the check for required sections and keys, for a file that others
	// include.
	Fragment bool
	// PathExists reports whether a folder exists. If it is nil, folders are not checked.
	PathExists func(path string) bool
}

func (o Options) tables() *table.Tables {
	if o.Tables != nil {
		return o.Tables
	}
	return builtin.Tables()
}

// WithTables adds the tables in the file that `coil.targets` in pentode.toml names.
func (o Options) WithTables(r io.Reader) (Options, error) {
	var err error
	o.Tables, err = o.tables().With(r)
	return o, err
}

// FolderExists is a PathExists that looks on this machine.
func FolderExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
