package hdf5

import (
	"errors"
	"fmt"
	"strings"
)

// Object is the common part of groups and datasets: a path and attributes.
type Object struct {
	*object
	path string
}

// wrap adds the path of the object to an error.
func (o Object) wrap(err error) error { return fmt.Errorf("`%s`: %w", o.path, err) }

// group returns the links of an object, or an error if it is not a group.
func (o Object) group() (*linkTable, error) {
	t, err := o.readLinks()
	if err != nil {
		return nil, fmt.Errorf("`%s` %w", o.path, err)
	}
	return t, nil
}

// Group is a folder of links.
type Group struct{ Object }

// maxSoftLinks limits the number of soft links on one path.
const maxSoftLinks = 32

// maxGroupDepth limits how deep Walk goes, because paths grow with the depth.
const maxGroupDepth = 1000

// newGroup makes a group; ordered means that it keeps the creation order of its links and attributes.
func (f *File) newGroup(ordered bool) *object {
	o := f.newObject(256)
	o.messages = []message{{kind: msgGroupInfo, body: []byte{0, 0}}}
	o.links = &linkTable{byName: map[string]Link{}, own: true, young: map[string]bool{}, ordered: ordered, indexed: ordered}
	if ordered {
		o.flags = flagsOrdered
	}
	return o
}

func join(path, name string) string {
	if path == "/" {
		return "/" + name
	}
	return path + "/" + name
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// from returns the group at which a path begins: the root if the path starts with a slash.
func (g *Group) from(path string) *Group {
	if strings.HasPrefix(path, "/") {
		return g.f.Root()
	}
	return g
}

// child returns the link with a name.
func (o Object) child(name string) (Link, error) {
	t, err := o.group()
	if err != nil {
		return Link{}, err
	}
	l, ok := t.byName[name]
	if !ok {
		err = fmt.Errorf("`%s` %w in `%s`", name, ErrNotFound, o.path)
	}
	return l, err
}

// follow returns the object at a path.
func (g *Group) follow(path string, soft *int) (Object, error) {
	at := g.from(path).Object
	for _, name := range split(path) {
		if name == "." {
			continue
		}
		l, err := at.child(name)
		if err != nil {
			return at, err
		}
		here := join(at.path, name)
		switch l.Kind {
		case HardLink:
			o, err := g.f.object(l.addr)
			if err != nil {
				return at, fmt.Errorf("`%s`: %w", here, err)
			}
			at = Object{o, here}
		case SoftLink:
			if *soft++; *soft > maxSoftLinks {
				return at, fmt.Errorf("`%s` goes through more than %d soft links", here, maxSoftLinks)
			}
			o, err := (&Group{at}).follow(l.Target, soft)
			if err != nil {
				return at, fmt.Errorf("soft link `%s`: %w", here, err)
			}
			at = Object{o.object, here}
		default:
			return at, fmt.Errorf("`%s` leads to `%s`; links to other files are not followed", here, l.Target)
		}
	}
	return at, nil
}

func (g *Group) lookup(path string) (Object, error) {
	soft := 0
	return g.follow(path, &soft)
}

// Group opens the group at a path.
func (g *Group) Group(path string) (*Group, error) {
	o, err := g.lookup(path)
	if err != nil {
		return nil, err
	}
	if _, err := o.group(); err != nil {
		return nil, err
	}
	return &Group{o}, nil
}

// Dataset opens the dataset at a path.
func (g *Group) Dataset(path string) (*Dataset, error) {
	o, err := g.lookup(path)
	if err != nil {
		return nil, err
	}
	if !o.has(msgLayout) {
		return nil, fmt.Errorf("`%s` is not a dataset", o.path)
	}
	if err := o.load(); err != nil {
		return nil, o.wrap(err)
	}
	return &Dataset{o}, nil
}

// Each calls fn for every group and dataset in the group, in creation order if the group keeps it, else by
// name. It skips soft and external links.
func (g *Group) Each(fn func(name string, g *Group, d *Dataset) error) error {
	t, err := g.group()
	if err != nil {
		return err
	}
	for _, name := range t.names() {
		if t.byName[name].Kind != HardLink {
			continue
		}
		o, err := g.lookup(name)
		if err != nil {
			return err
		}
		switch {
		case o.has(msgLayout):
			if err := o.load(); err != nil {
				return o.wrap(err)
			}
			err = fn(name, nil, &Dataset{o})
		case o.has(msgLinkInfo), o.has(msgSymbolTable), o.has(msgGroupInfo):
			err = fn(name, &Group{o}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Ordered reports whether the group keeps the creation order of its members.
func (g *Group) Ordered() (bool, error) {
	t, err := g.group()
	if err != nil {
		return false, err
	}
	return t.ordered, nil
}

// Exists reports whether there is an object at the path.
func (g *Group) Exists(path string) (bool, error) {
	_, err := g.lookup(path)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// parent opens or makes the groups of a path, except its last name.
func (g *Group) parent(path string) (*Group, string, error) {
	names := split(path)
	if len(names) == 0 {
		return nil, "", fmt.Errorf("`%s` is not a name", path)
	}
	at := g.from(path)
	for _, name := range names[:len(names)-1] {
		next, err := at.Group(name)
		if errors.Is(err, ErrNotFound) {
			next, err = at.makeGroup(name)
		}
		if err != nil {
			return nil, "", err
		}
		at = next
	}
	return at, names[len(names)-1], nil
}

// link adds a name to the group.
func (g *Group) link(l Link) error {
	if strings.IndexByte(l.Name, 0) >= 0 || len(l.Name) > 60000 || l.Name == "." {
		return fmt.Errorf("`%.40s` cannot be a name", l.Name)
	}
	t, err := g.adopt()
	if err != nil {
		return fmt.Errorf("`%s` %w", g.path, err)
	}
	if _, ok := t.byName[l.Name]; ok {
		return fmt.Errorf("`%s` %w", join(g.path, l.Name), ErrExists)
	}
	l.utf8 = !isASCII(l.Name)
	t.add(l)
	return nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// free returns an error if the last name of a path cannot be made. It is called before space is allocated
// for the object.
func (g *Group) free(name string) error {
	if err := g.disk.Writable(); err != nil {
		return err
	}
	t, err := g.group()
	if err != nil {
		return err
	}
	if _, ok := t.byName[name]; ok {
		return fmt.Errorf("`%s` %w", join(g.path, name), ErrExists)
	}
	return nil
}

func (g *Group) makeGroup(name string) (*Group, error) {
	if err := g.free(name); err != nil {
		return nil, err
	}
	o := g.f.newGroup(g.links.ordered)
	if err := g.link(Link{Name: name, addr: o.addr}); err != nil {
		return nil, err
	}
	return &Group{Object{o, join(g.path, name)}}, nil
}

// CreateGroup makes a group, and the missing groups of its path.
func (g *Group) CreateGroup(path string) (*Group, error) {
	at, name, err := g.parent(path)
	if err != nil {
		return nil, err
	}
	return at.makeGroup(name)
}

// Delete removes a name. The space of a dataset without a remaining name is reused. The space of other
// objects is not; copying the file with h5repack drops them.
func (g *Group) Delete(path string) error {
	names := split(path)
	if len(names) == 0 {
		return fmt.Errorf("`%s` cannot be deleted", path)
	}
	at := g.from(path)
	if len(names) > 1 {
		var err error
		if at, err = at.Group(strings.Join(names[:len(names)-1], "/")); err != nil {
			return err
		}
	}
	if err := g.disk.Writable(); err != nil {
		return err
	}
	name := names[len(names)-1]
	l, err := at.child(name)
	if err != nil {
		return err
	}
	if _, err = at.adopt(); err != nil {
		return err
	}
	if l.Kind == HardLink {
		if o, err := g.f.object(l.addr); err == nil {
			o.unlink()
		}
	}
	at.drop(name)
	return nil
}

// Rename renames a member of the group and keeps its place in the order.
func (g *Group) Rename(from, to string) error {
	l, err := g.child(from)
	if err != nil {
		return err
	}
	if err := g.link(Link{Name: to, Kind: l.Kind, Target: l.Target, addr: l.addr, raw: l.raw}); err != nil {
		return err
	}
	g.drop(from)
	t := g.links
	if renamed := t.byName[to]; t.ordered {
		renamed.order = l.order
		t.byName[to] = renamed
		t.next--
	}
	return nil
}

// unlink removes one name from an object.
func (o *object) unlink() {
	if o.refs > 1 {
		o.refs--
		o.unlinked = true
		o.touch()
		return
	}
	if !o.has(msgLayout) || o.load() != nil || o.data.release() != nil {
		return
	}
	o.disk.Release(o.room)
	for _, e := range o.more {
		o.disk.Release(e)
	}
	o.deleted = true
	delete(o.f.objects, o.addr)
}
