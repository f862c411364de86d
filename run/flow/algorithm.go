package flow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// An Algorithm is what a name in `KEY:type` stands for: one implementation of a role, such as `image_filter`.
type Algorithm struct {
	Name string
	Role string // what it implements; empty for those of this program
	Doc  string
	Keys []Key // below `KEY:NAME`, by their short names
	Open bool  // it has other keys too

	Version string      // as that of a Type
	Origin  string      // the file that it was read from
	Span    source.Span // the class that a source declares it with; zero where none was read
}

// DeclareAlgorithms puts in how another program declares algorithms. Each takes the place of one of its role and name.
func (r *Registry) DeclareAlgorithms(all []*Algorithm) {
	if r.algorithms == nil {
		r.algorithms = map[string][]*Algorithm{}
	}
	places := map[string]map[string]int{} // by role and name
	for _, a := range all {
		at := places[a.Role]
		if at == nil {
			at = map[string]int{}
			places[a.Role] = at
			r.algorithms[a.Role] = slices.Clone(r.algorithms[a.Role]) // another registry may share it
			for i, o := range r.algorithms[a.Role] {
				at[o.Name] = i
			}
		}
		if i, ok := at[a.Name]; ok {
			r.algorithms[a.Role][i] = a
			continue
		}
		at[a.Name] = len(r.algorithms[a.Role])
		r.algorithms[a.Role] = append(r.algorithms[a.Role], a)
	}
}

// Algorithms lists what the `type` of a key may name, as far as it is known: the algorithms of this program and
// those that other programs declare. One that both have takes the keys of both.
func (r *Registry) Algorithms(k *Key) []Algorithm {
	var list []Algorithm
	if k.Known != nil {
		list = k.Known()
	}
	if r == nil || k.Role == "" || len(r.algorithms[k.Role]) == 0 {
		return list
	}
	own := len(list)
	list = slices.Clone(list) // the key keeps its own
	for _, a := range r.algorithms[k.Role] {
		i := slices.IndexFunc(list[:own], func(o Algorithm) bool { return o.Name == a.Name })
		if i < 0 {
			list = append(list, *a)
			continue
		}
		list[i].Doc = cmp.Or(list[i].Doc, a.Doc)
		for _, more := range a.Keys {
			if j := slices.IndexFunc(list[i].Keys, func(o Key) bool { return o.Name == more.Name }); j < 0 {
				list[i].Keys = append(slices.Clip(list[i].Keys), more)
			} else if list[i].Keys[j].Kind == Algo && list[i].Keys[j].Role == "" {
				list[i].Keys = slices.Clone(list[i].Keys)
				list[i].Keys[j].Role = more.Role
			}
		}
	}
	return list
}

// Slots are the keys of a type under which an algorithm is chosen: as it is declared, with what the type
// that runs here knows.
func (t *Type) Slots() []Key {
	own := cmp.Or(t.Runs(), t)
	var slots []Key
	for _, keys := range [][]Key{t.Keys, own.Keys} {
		for _, k := range keys {
			if k.Role == "" && k.Known == nil {
				continue
			}
			i := slices.IndexFunc(slots, func(o Key) bool { return o.Name == k.Name })
			if i < 0 {
				slots = append(slots, k)
				continue
			}
			slots[i].Role = cmp.Or(slots[i].Role, k.Role)
			if slots[i].Known == nil {
				slots[i].Known = k.Known
			}
		}
		if own == t {
			break
		}
	}
	return slots
}

// A Nested key belongs to an algorithm, or chooses one.
type Nested struct {
	Key
	Of      *Algorithm  // whose key it is; nil where the process has it
	Choices []Algorithm // what it may name, where it chooses
}

// NestedKey finds what a key in the block of an algorithm stands for, in any depth: `detector:windowed:mode`, or
// `detector:type`. It is false where that is not known.
func (r *Registry) NestedKey(t *Type, name string) (Nested, bool) {
	if !strings.Contains(name, ":") {
		return Nested{}, false
	}
	return r.nested(t.Slots(), nil, name)
}

func (r *Registry) nested(slots []Key, of *Algorithm, name string) (Nested, bool) {
	for i := range slots {
		k := &slots[i]
		rest, ok := strings.CutPrefix(name, k.Name+":")
		if !ok {
			continue
		}
		list := r.Algorithms(k)
		if rest == "type" {
			return Nested{*k, of, list}, true
		}
		chosen, short, _ := strings.Cut(rest, ":")
		j := slices.IndexFunc(list, func(a Algorithm) bool { return a.Name == chosen })
		if j < 0 || short == "" {
			return Nested{}, false
		}
		a := &list[j]
		if n := slices.IndexFunc(a.Keys, func(k Key) bool { return k.Name == short && k.Kind != Algo }); n >= 0 {
			return Nested{a.Keys[n], a, nil}, true
		}
		return r.nested(a.Slots(), a, short)
	}
	return Nested{}, false
}

// ChosenKeys are the keys of the algorithms that the settings of a process choose, in any depth, with their whole
// names, and the keys that choose.
func (r *Registry) ChosenKeys(t *Type, value func(key string) string) []Nested {
	return r.chosenKeys(nil, "", t.Slots(), nil, value)
}

func (r *Registry) chosenKeys(list []Nested, prefix string, slots []Key, of *Algorithm, value func(string) string) []Nested {
	for i := range slots {
		k := slots[i]
		k.Name = prefix + k.Name
		choices := r.Algorithms(&slots[i])
		list = append(list, Nested{k, of, choices})
		chosen := strings.TrimSpace(value(k.Name + ":type"))
		j := slices.IndexFunc(choices, func(a Algorithm) bool { return a.Name == chosen })
		if j < 0 {
			continue
		}
		a := &choices[j]
		block := k.Name + ":" + a.Name + ":"
		for _, inner := range a.Keys {
			if inner.Kind != Algo {
				inner.Name = block + inner.Name
				list = append(list, Nested{inner, a, nil})
			}
		}
		list = r.chosenKeys(list, block, a.Slots(), a, value)
	}
	return list
}

// A Use is an algorithm with the keys that may choose it.
type Use struct {
	Algorithm
	At [][2]string // process type and key
}

// AllAlgorithms lists the algorithms that keys of process types may choose, and those that are only declared, by role and
// name. Those of this program for a role without a name are listed by the type that has them.
func (r *Registry) AllAlgorithms() []Use {
	found := map[[2]string]*Use{}
	add := func(role string, a *Algorithm) *Use {
		at := [2]string{role, a.Name}
		if found[at] == nil {
			found[at] = &Use{Algorithm: *a}
			found[at].Role = role
		}
		return found[at]
	}
	for t := range r.All() {
		for _, slot := range t.Slots() {
			list := r.Algorithms(&slot)
			for i := range list {
				u := add(cmp.Or(slot.Role, t.Name), &list[i])
				u.At = append(u.At, [2]string{t.Name, slot.Name + ":type"})
			}
		}
	}
	for role, list := range r.algorithms {
		for _, a := range list {
			add(role, a)
		}
	}
	all := make([]Use, 0, len(found))
	for _, u := range found {
		all = append(all, *u)
	}
	slices.SortFunc(all, func(a, b Use) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Name, b.Name))
	})
	return all
}

// Slots are the keys of the algorithm under which another one is chosen.
func (a *Algorithm) Slots() []Key {
	return slices.DeleteFunc(slices.Clone(a.Keys), func(k Key) bool { return k.Role == "" && k.Known == nil })
}

// Unread is an algorithm that sources register by a name which they do not show.
type Unread struct {
	Class, Origin string
	Role          string // empty where it is not known either
}

// unread is an algorithm for a role whose name is not known, or nil.
func (r *Registry) unread(role string) *Unread {
	i := slices.IndexFunc(r.Unread, func(u Unread) bool { return u.Role == role || u.Role == "" })
	if i < 0 {
		return nil
	}
	return &r.Unread[i]
}
