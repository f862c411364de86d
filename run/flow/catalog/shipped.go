package catalog

import (
	"bytes"
	"embed"
	"io"
	"sync"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// shipped holds what KWIVER at 02397a25, and VIAME at a91b1ae6 with the KWIVER it builds on,
// declare: names, types and defaults, as `types import` reads them from their sources.
//
//go:embed shipped/*.json
var shipped embed.FS

// Shipped is the text of a catalogue that comes with this program, by its name.
func Shipped(name string) (text io.Reader, ok bool) {
	data, err := shipped.ReadFile("shipped/" + name + ".json")
	return bytes.NewReader(data), err == nil
}

// known are these catalogues, each read when a message asks for it.
var known = []pipe.Known{
	{Name: "kwiver", Program: "KWIVER", Types: sync.OnceValue(func() []*pipe.Type { return readShipped("kwiver") })},
	{Name: "viame", Program: "VIAME", Types: sync.OnceValue(func() []*pipe.Type { return readShipped("viame") })},
}

// ShippedNames are the names of these catalogues.
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
		panic(err) // it is a part of the program
	}
	all, err := read(data)
	if err != nil {
		panic(err)
	}
	return all.Types
}
