package coil

import (
	"io"
	"os"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// Options is what the command line gives the language.
type Options struct {
	Tables  *table.Tables    // nil is what is built in
	Vendors []schema.Section // what `coil.vendor-schema` says: see VendorSchema
	// Validator leaves vendors' sections alone, as the language's document
	// asks of its validator.
	Validator bool
	// Fragment leaves out what must be there: for a file that others include.
	Fragment bool
	// PathExists looks whether a folder is there; nil does not look.
	PathExists func(path string) bool
}

func (o Options) tables() *table.Tables {
	if o.Tables != nil {
		return o.Tables
	}
	return builtin.Tables()
}

// WithTables adds a user's tables to the options: what `coil.targets` of pentode.toml gives.
func (o Options) WithTables(r io.Reader) (Options, error) {
	var err error
	o.Tables, err = o.tables().With(r)
	return o, err
}

// FolderExists is a PathExists for this machine.
func FolderExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
