package netcdf

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// kinds are the types with their numbers in libnetcdf.
var kinds = []struct {
	typ    hdf5.Type
	number int
}{
	{hdf5.Int(1), 1}, {Char(), 2}, {hdf5.Int(2), 3}, {hdf5.Int(4), 4}, {hdf5.IEEE(4), 5}, {hdf5.IEEE(8), 6},
	{hdf5.Uint(1), 7}, {hdf5.Uint(2), 8}, {hdf5.Uint(4), 9}, {hdf5.Int(8), 10}, {hdf5.Uint(8), 11},
}

// tree is a random file with its expected content.
type tree struct {
	r      *rand.Rand
	groups []string
	dims   map[string]*Dimension // by path
	vars   map[string]*variable
	atts   map[string][]string // by path of their object: name, type and bytes
}

type variable struct {
	Shape
	kind   int
	dims   []*Dimension
	stored []uint64 // the shape that was written
	data   []byte
}

func (x *tree) bytes(n uint64) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + x.r.IntN(26))
	}
	return b
}

// step makes variables, extends some, and sets attributes.
func (x *tree) step(t *testing.T, h *hdf5.File) {
	for range 1 + x.r.IntN(4) {
		group := x.groups[x.r.IntN(len(x.groups))]
		if x.r.IntN(3) == 0 && len(x.groups) < 5 {
			group += fmt.Sprintf("/g%d", len(x.groups))
			x.groups = append(x.groups, group)
		}
		_, err := Group(h, group)
		must(t, err)
		x.add(t, h, group)
	}
	for _, path := range sortedKeys(x.vars) {
		if x.r.IntN(2) == 0 {
			x.write(t, h, path, x.vars[path])
		}
	}
	for _, path := range append(slices.Clone(x.groups), sortedKeys(x.vars)...) {
		if x.r.IntN(2) == 0 {
			x.attribute(t, h, path)
		}
	}
}

// add adds a variable, which may have the name of a dimension.
func (x *tree) add(t *testing.T, h *hdf5.File, group string) {
	names := []string{"x", "y", "z", "time", "v1", "v2", "v3", "größe"}
	path := group + "/" + names[x.r.IntN(len(names))]
	if x.vars[path] != nil {
		return
	}
	v := &variable{kind: x.r.IntN(len(kinds))}
	v.Type = kinds[v.kind].typ
	for i := range x.r.IntN(4) {
		// libnetcdf misplaces the elements of a variable that is shorter than one of its dimensions, except the first.
		if d := x.dimension(group, names[x.r.IntN(4)], i == 0); d != nil {
			v.dims = append(v.dims, d)
		}
	}
	for _, d := range v.dims {
		v.Dimensions = append(v.Dimensions, *d)
		if v.stored = append(v.stored, d.Size); d.Unlimited {
			v.stored[len(v.stored)-1] = 0
			v.Dimensions[len(v.stored)-1].Size = 0
		}
	}
	if x.r.IntN(3) == 0 {
		v.Deflate = 1 + x.r.IntN(9)
	}
	if x.r.IntN(4) == 0 && len(v.dims) > 0 && volume(v.stored) > 0 {
		for _, n := range v.stored {
			v.Chunk = append(v.Chunk, 1+x.r.Uint64N(n))
		}
	}
	if x.r.IntN(4) == 0 {
		v.Fill = x.bytes(uint64(v.Type.Size))
	}
	if v.data = []byte{}; volume(v.stored) > 0 {
		v.data = fill(v, volume(v.stored))
	}
	d, _, err := Define(h, path, v.Shape)
	must(t, err)
	if v.Fill != nil && v.kind != 1 {
		x.atts[path] = append(x.atts[path], fmt.Sprintf("_FillValue type %d %x", kinds[v.kind].number, v.Fill))
		must(t, SetNumbers(d.Object, "_FillValue", v.Type, v.Fill))
	} else if v.Fill != nil {
		x.atts[path] = append(x.atts[path], fmt.Sprintf("_FillValue type 2 %x", v.Fill))
		must(t, SetText(d.Object, "_FillValue", string(v.Fill)))
	}
	x.vars[path] = v
	x.write(t, h, path, v)
}

func fill(v *variable, n uint64) []byte {
	one := v.Fill
	if one == nil {
		one = DefaultFill(v.Type)
	}
	if one == nil {
		one = make([]byte, v.Type.Size)
	}
	return slices.Repeat(one, int(n))
}

// dimension looks for a dimension in a group and the groups around it, or makes it. It returns nil if the
// dimension grows but must not.
func (x *tree) dimension(group, name string, grows bool) *Dimension {
	for at := group; ; at, _ = Split(at) {
		if at != "" {
			at = "/" + strings.Trim(at, "/")
		}
		if d := x.dims[at+"/"+name]; d != nil && d.Unlimited && !grows {
			return nil
		} else if d != nil {
			return d
		}
		if at == "" {
			break
		}
	}
	d := &Dimension{Name: name, Size: x.r.Uint64N(5) + 1, Unlimited: grows && x.r.IntN(2) == 0}
	if d.Unlimited {
		d.Size = 0
	}
	x.dims[group+"/"+name] = d
	return d
}

// write writes a part of a variable, past its end if it can grow.
func (x *tree) write(t *testing.T, h *hdf5.File, path string, v *variable) {
	d, err := Variable(h, path)
	must(t, err)
	var at hdf5.Slab
	grown := slices.Clone(v.stored)
	for i, dim := range v.dims {
		n := dim.Size
		if dim.Unlimited {
			n = v.stored[i] + x.r.Uint64N(3)
		}
		if n == 0 {
			return
		}
		start := x.r.Uint64N(n)
		at.Start, at.Count = append(at.Start, start), append(at.Count, 1+x.r.Uint64N(n-start))
		grown[i] = max(grown[i], start+at.Count[i])
	}
	must(t, Grow(h, d, grown))
	values := x.bytes(volume(at.Count) * uint64(v.Type.Size))
	must(t, d.Write(values, hdf5.Memory{}, at))
	whole := fill(v, volume(grown))
	copyBox(whole, grown, v.data, v.stored, make([]uint64, len(grown)), v.stored, v.Type.Size)
	copyBox(whole, grown, values, at.Count, at.Start, at.Count, v.Type.Size)
	v.data, v.stored = whole, grown
	for i, dim := range v.dims {
		if dim.Unlimited {
			dim.Size = max(dim.Size, grown[i])
		}
	}
}

// copyBox copies a box of count elements, which is all of from, into another one.
func copyBox(to []byte, toDims []uint64, from []byte, fromDims, start, count []uint64, size int) {
	n := volume(count)
	for k := range n {
		rest, target, scale := k, uint64(0), uint64(1)
		for i := len(count) - 1; i >= 0; i-- {
			target += (start[i] + rest%count[i]) * scale
			scale *= toDims[i]
			rest /= count[i]
		}
		copy(to[int(target)*size:], from[int(k)*size:int(k+1)*size])
	}
}

func volume(dims []uint64) uint64 {
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

func (x *tree) attribute(t *testing.T, h *hdf5.File, path string) {
	o := h.Root().Object
	if v := x.vars[path]; v != nil {
		d, err := Variable(h, path)
		must(t, err)
		o = d.Object
	} else if path != "" {
		g, err := h.Root().Group(path)
		must(t, err)
		o = g.Object
	}
	name := fmt.Sprintf("a%d", x.r.IntN(12))
	k := x.r.IntN(len(kinds))
	value := x.bytes(uint64(kinds[k].typ.Size) * (1 + x.r.Uint64N(4)))
	line := fmt.Sprintf("%s type %d %x", name, kinds[k].number, value)
	if k == 1 {
		must(t, SetText(o, name, string(value)))
	} else {
		must(t, SetNumbers(o, name, kinds[k].typ, value))
	}
	list := x.atts[path]
	if i := slices.IndexFunc(list, func(s string) bool { return strings.HasPrefix(s, name+" ") }); i >= 0 {
		list[i] = line
		return
	}
	x.atts[path] = append(list, line)
}

// lines returns the expected output of list.c for the file.
func (x *tree) lines() []string {
	lines := []string{"file"}
	for _, g := range x.groups {
		lines = append(lines, "group "+g+"/")
	}
	for path, d := range x.dims {
		grows := ""
		if d.Unlimited {
			grows = " unlimited"
		}
		lines = append(lines, fmt.Sprintf("dimension %s %d%s", path, d.Size, grows))
	}
	for path, v := range x.vars {
		var dims strings.Builder
		now := make([]uint64, len(v.dims))
		for i, d := range v.dims {
			now[i] = d.Size
			fmt.Fprintf(&dims, " %s=%d", d.Name, d.Size)
		}
		whole := fill(v, volume(now))
		if volume(v.stored) > 0 {
			copyBox(whole, now, v.data, v.stored, make([]uint64, len(now)), v.stored, v.Type.Size)
		}
		deflate := v.Deflate
		if len(v.dims) == 0 {
			deflate = 0
		}
		lines = append(lines, fmt.Sprintf("variable %s type %d (%s ) deflate %d fill %x = %s", path, kinds[v.kind].number, dims.String(), deflate, fill(v, 1), hex.EncodeToString(whole)))
	}
	for path, list := range x.atts {
		for i, a := range list {
			lines = append(lines, fmt.Sprintf("attribute %s %d %s", path, i, a))
		}
	}
	slices.Sort(lines)
	return lines
}

// TestRandomTrees checks that libnetcdf reports what we write, each time the file has been closed.
func TestRandomTrees(t *testing.T) {
	need.Slow(t)
	list := build(t, "list.c")
	need.Rounds(t, 3, func(t *testing.T, round int) {
		dir := t.TempDir()
		for k := range 6 {
			seed := uint64(6*round + k)
			x := &tree{rand.New(rand.NewPCG(seed, 7)), []string{""}, map[string]*Dimension{}, map[string]*variable{}, map[string][]string{}}
			path := filepath.Join(dir, fmt.Sprintf("%d.nc", k))
			h, err := Create(path)
			must(t, err)
			for i := range 3 {
				x.step(t, h)
				must(t, h.Close())
				out := run(t, list, path)
				got := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
				slices.Sort(got)
				if diff := cmp.Diff(x.lines(), got); diff != "" {
					t.Fatalf("tree %d, step %d (-ours +libnetcdf):\n%s\nwant nothing", seed, i, diff)
				}
				h, err = hdf5.OpenRW(path)
				must(t, err)
			}
			must(t, h.Close())
		}
	})
}

func sortedKeys[T any](m map[string]T) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
