// Package builtin holds the tables that come with the program.
//
// The facts are in data/*.json, each file with its origin. They are generated
// into Go literals rather than embedded and decoded, because the linker lays
// literals out ready for use: a program that checks one small file should not
// first read 170 kB of JSON.
//
//	data/*.json ──go generate──▶ zz_*_gen.go
package builtin

import "github.com/pentode-dev/pentode/run/target/table"

//go:generate go run ./gen

// Tables is what is known without a user's own tables. It is shared: never change it.
func Tables() *table.Tables { return &tables }
