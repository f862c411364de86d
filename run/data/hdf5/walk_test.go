package hdf5

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Functions with which tests examine whole files; programs open objects by name.

// Walk calls fn once for every group and dataset below g, parents before their members,
// and members in order of their names. Soft and external links are not followed.
func (g *Group) Walk(fn func(path string, g *Group, d *Dataset) error) error {
	seen := map[uint64]bool{g.addr: true}
	queue := []*Group{g}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if strings.Count(at.path, "/") > maxGroupDepth {
			return fmt.Errorf("groups are nested more than %d deep", maxGroupDepth)
		}
		links, err := at.Links()
		if err != nil {
			return err
		}
		for _, l := range links {
			if l.Kind != HardLink || seen[l.addr] {
				continue
			}
			seen[l.addr] = true
			here := join(at.path, l.Name)
			o, err := g.f.object(l.addr)
			if err != nil {
				return fmt.Errorf("`%s`: %w", here, err)
			}
			switch obj := (Object{o, here}); {
			case o.has(msgLayout):
				d, err := at.Dataset(l.Name)
				if err != nil {
					return err
				}
				if err := fn(here, nil, d); err != nil {
					return err
				}
			case o.has(msgLinkInfo), o.has(msgSymbolTable), o.has(msgGroupInfo):
				sub := &Group{obj}
				if err := fn(here, sub, nil); err != nil {
					return err
				}
				queue = append(queue, sub)
			}
		}
	}
	return nil
}

// Links returns the group's links in alphabetical order of their names.
func (g *Group) Links() ([]Link, error) {
	t, err := g.group()
	if err != nil {
		return nil, err
	}
	return t.sorted(), nil
}

// ReadAll returns all elements, laid out as t; the zero Type means the dataset's type.
func (d *Dataset) ReadAll(t Type) ([]byte, error) {
	size := t.Size
	if size == 0 {
		size = d.Type().Size
	}
	n, ok := product(append([]uint64{uint64(size)}, d.Space().Dims...))
	// Deflate compresses at most a thousandfold: more data cannot be in the file.
	if !ok || n > 1<<28 && n/1100 > d.disk.End {
		return nil, fmt.Errorf("`%s` is too large to be read at once; select a part", d.path)
	}
	if d.Space().Null {
		n = 0
	}
	buf := make([]byte, n)
	return buf, d.Read(buf, Memory{Type: t}, Slab{})
}

func (t *linkTable) sorted() []Link {
	links := make([]Link, 0, len(t.byName))
	for _, l := range t.byName {
		links = append(links, l)
	}
	slices.SortFunc(links, func(a, b Link) int { return cmp.Compare(a.Name, b.Name) })
	return links
}
