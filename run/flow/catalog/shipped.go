package catalog

import (
	"bytes"
	"embed"
	"io"
	"sync"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// shipped has the declarations of KWIVER at 02397a25, and of VIAME at a91b1ae6 with the KWIVER it
// builds on: names, types and defaults, as `types import` reads them from the sources.
//
//go:embed shipped/*.json
var shipped embed.FS

// Shipped opens a catalogue that is part of this program; ok is false if there is none of this
// name.
func Shipped(name string) (text io.Reader, ok bool) {
	data, err := shipped.ReadFile("shipped/" + name + ".json")
	return bytes.NewReader(data), err == nil
}

// known describes the catalogues that are part of this program. A catalogue is read when a
// message first needs it.
var known = []pipe.Known{
	{Name: "kwiver", Program: "KWIVER", Types: sync.OnceValue(func() []*pipe.Type { return readShipped("kwiver") })},
	{Name: "viame", Program: "VIAME", Types: sync.OnceValue(func() []*pipe.Type { return readShipped("viame") })},
}

// ShippedNames returns the names of the catalogues that are part of this program.
func ShippedNames() []string {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = k.Name
	}
	return names
}

func readShipped(name string) []*pipe.Type {
	data, err := shipped.ReadFile("shipped/" + name + ".json")
	if err != nil {
		panic(err) // cannot happen: the catalogue is embedded in this program
	}
	all, err := read(data)
	if err != nil {
		panic(err)
	}
	return all.Types
}
