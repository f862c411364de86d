package hdf5

import "fmt"

// Kinds of links that other programs write.

// CreateSoftLink makes a name that refers to another path.
func (g *Group) CreateSoftLink(path, target string) error {
	at, name, err := g.parent(path)
	if err != nil {
		return err
	}
	if err := at.free(name); err != nil {
		return err
	}
	if len(target) == 0 || len(target) > 60000 {
		return fmt.Errorf("soft link `%s` needs a target of 1 to 60000 bytes", path)
	}
	return at.link(Link{Name: name, Kind: SoftLink, Target: target})
}

// CreateHardLink gives an object of the same file a second name.
func (g *Group) CreateHardLink(path string, target Object) error {
	at, name, err := g.parent(path)
	if err != nil {
		return err
	}
	if target.f != g.f {
		return fmt.Errorf("`%s` is in another file", target.path)
	}
	if err := target.change(); err != nil {
		return err
	}
	if err := at.link(Link{Name: name, addr: target.addr}); err != nil {
		return err
	}
	target.refs++
	return nil
}
