// Package builtin holds the tables that come with the program.
//
// The facts are in data/*.json, each file with its origin. They are turned into Go literals
// rather than embedded and decoded, because the linker lays literals out ready for use:
// checking one small file should not begin with reading 170 kB of JSON.
//
//	data/*.json ──go generate──▶ zz_*_gen.go
package builtin

import "github.com/pentode-dev/pentode/run/target/table"

//go:generate go run ./gen

// Tables returns the built-in tables, without a user's additions. They are shared: never change them.
func Tables() *table.Tables { return &tables }
