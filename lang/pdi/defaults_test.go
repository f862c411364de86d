package pdi_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
)

// TestDefaults: values that a tree leaves to the language, to the compiler or to an enclosing part are settings too, which only `show --all` shows.
func TestDefaults(t *testing.T) {
	const tree = `metadata:
  n: int
  i: integer
data:
  grid: {type: array, subtype: {type: real}, size: [$n, 3]}
  line: {type: array, subtype: int, size: 4, start: 1, subsize: 2}
  pair: {type: struct, members: [{a: {type: logical}}, {b: {type: character, kind: 4}}]}
plugins:
  decl_hdf5:
    - {file: a.h5, collision_policy: skip, write: {grid: {dataset: g}, line: {collision_policy: error}}}
    - {file: b.h5, read: [line]}
    - {file: c.h5, collision_policy: error, memory: 1GB, async: {buffers: 3}}
logging: {output: {file: log.txt}}
`
	config := pdi.New(pdi.Options{}).Parse(source.NewFile("a.yml", tree)).Resolve(&load.Env{Opener: source.Map{}})
	var got []string
	for e := range config.Values() {
		if e.Implicit {
			got = append(got, e.Key+" = "+e.Value)
		}
	}
	want := `metadata.i.kind = 4
data.grid.subtype.kind = 4
data.grid.subsize[0] = $n
data.grid.subsize[1] = 3
data.grid.start[0] = 0
data.grid.start[1] = 0
data.pair.members.a.kind = 4
plugins.decl_hdf5[0].write.grid.collision_policy = skip
plugins.decl_hdf5[1].collision_policy = write_into
plugins.decl_hdf5[2].async.memory = 512MB
logging.level = info
logging.pattern = [%T][%n] *** %^%l%$: %v
logging.output.console = off`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
