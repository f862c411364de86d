package pipe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// An Algorithm is what a name in `KEY:type` selects: one implementation of a role, such as `image_filter`.
type Algorithm struct {
	Name string
	Role string // what it implements, such as `image_filter`; empty for algorithms of this program
	Doc  string
	Keys []Key // keys in the block `KEY:NAME:`, by their names there
	Open bool  // it may have keys that are not listed

	Version string      // as in Type
	Origin  string      // the file that its declaration was read from
	Span    source.Span // place of its class in a source file; zero if no source was read
}

// DeclareAlgorithms adds algorithms that another program declares. Each of them replaces an algorithm that was declared
// earlier with the same role and name.
func (r *Registry) DeclareAlgorithms(all []*Algorithm) {
	if r.algorithms == nil {
		r.algorithms = map[string][]*Algorithm{}
	}
	places := map[string]map[string]int{} // index of each algorithm in its list, by role and name
	for _, a := range all {
		at := places[a.Role]
		if at == nil {
			at = map[string]int{}
			places[a.Role] = at
			r.algorithms[a.Role] = slices.Clone(r.algorithms[a.Role]) // copy the list, because other registries may share it
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

// Algorithms lists the algorithms that may be chosen with `type` of a key: algorithms of this program, and algorithms
// that other programs declare. An algorithm that both have gets the keys of both.
func (r *Registry) Algorithms(k *Key) []Algorithm {
	var list []Algorithm
	if k.Known != nil {
		list = k.Known()
	}
	if r == nil || k.Role == "" || len(r.algorithms[k.Role]) == 0 {
		return list
	}
	own := len(list)
	list = slices.Clone(list) // the list belongs to the key and must not be changed
	for _, a := range r.algorithms[k.Role] {
		if i := named(list[:own], a.Name); i >= 0 {
			list[i].join(a)
		} else {
			list = append(list, *a)
		}
	}
	return list
}

// algorithm returns the algorithm with a name that a key may choose, or nil.
func (r *Registry) algorithm(k *Key, name string) *Algorithm {
	var found *Algorithm
	if k.Known != nil {
		list := k.Known()
		if i := named(list, name); i >= 0 {
			found = &list[i]
		}
	}
	if r == nil || k.Role == "" {
		return found
	}
	i := slices.IndexFunc(r.algorithms[k.Role], func(a *Algorithm) bool { return a.Name == name })
	switch {
	case i < 0:
		return found
	case found == nil:
		return r.algorithms[k.Role][i]
	}
	both := *found
	both.join(r.algorithms[k.Role][i])
	return &both
}

func named(list []Algorithm, name string) int {
	for i := range list {
		if list[i].Name == name {
			return i
		}
	}
	return -1
}

// join adds what another program declares about the algorithm. It copies the list of keys, which may be shared, before
// changing it.
func (a *Algorithm) join(declared *Algorithm) {
	a.Doc = cmp.Or(a.Doc, declared.Doc)
	for _, more := range declared.Keys {
		if j := slices.IndexFunc(a.Keys, func(o Key) bool { return o.Name == more.Name }); j < 0 {
			a.Keys = append(slices.Clip(a.Keys), more)
		} else if a.Keys[j].Kind == Algo && a.Keys[j].Role == "" {
			a.Keys = slices.Clone(a.Keys)
			a.Keys[j].Role = more.Role
		}
	}
}

// Slots returns the slots of a type. A slot is a key under which an algorithm is chosen, with `SLOT:type`. The
// information about each slot is combined from the declaration and from the type that runs here.
func (t *Type) Slots() []Key {
	var slots []Key
	for _, keys := range t.keyLists() {
		for i := range keys {
			k := &keys[i]
			if !k.chooses() {
				continue
			}
			if j := slices.IndexFunc(slots, func(o Key) bool { return o.Name == k.Name }); j >= 0 {
				slots[j].join(k)
			} else {
				slots = append(slots, *k)
			}
		}
	}
	return slots
}

// keyLists returns the type's keys as declared and, if another type runs in its place, the keys of that type.
func (t *Type) keyLists() [2][]Key {
	if own := t.Runs(); own != nil && own != t {
		return [2][]Key{t.Keys, own.Keys}
	}
	return [2][]Key{t.Keys}
}

// chooses reports whether the key is a slot, under which an algorithm is chosen.
func (k *Key) chooses() bool { return k.Role != "" || k.Known != nil }

// lacks reports whether another declaration of the same slot has information that this one lacks.
func (k *Key) lacks(other *Key) bool {
	return k.Role == "" && other.Role != "" || k.Known == nil && other.Known != nil
}

// join adds the information of another declaration of the same slot.
func (k *Key) join(other *Key) {
	k.Role = cmp.Or(k.Role, other.Role)
	if k.Known == nil {
		k.Known = other.Known
	}
}

// slotOf finds the slot to whose block a key belongs, and returns the rest of the key's name. It returns nil if the key
// belongs to no slot.
func slotOf(lists [2][]Key, name string) (slot *Key, rest string) {
	for _, keys := range lists {
		for i := range keys {
			k := &keys[i]
			switch {
			case !k.chooses():
			case slot == nil && len(name) > len(k.Name) && name[len(k.Name)] == ':' && strings.HasPrefix(name, k.Name):
				slot, rest = k, name[len(k.Name)+1:]
			case slot != nil && slot.Name == k.Name && slot.lacks(k):
				both := *slot
				both.join(k)
				slot = &both
			}
		}
	}
	return slot, rest
}

// A Nested is a key that belongs to the block of a slot, or the slot itself.
type Nested struct {
	Key
	Of      *Algorithm  // the algorithm to which the key belongs; nil if it belongs to the process type
	Choices []Algorithm // for a slot: the algorithms that may be chosen
}

// NestedKey finds the declaration of a key in the block of a slot, at any depth, such as `detector:windowed:mode` or
// `detector:type`. It returns nil if the key is not known.
func (r *Registry) NestedKey(t *Type, name string) *Nested {
	if !strings.Contains(name, ":") {
		return nil
	}
	return r.nested(t.keyLists(), nil, name)
}

func (r *Registry) nested(lists [2][]Key, of *Algorithm, name string) *Nested {
	slot, rest := slotOf(lists, name)
	if slot == nil {
		return nil
	}
	if rest == "type" {
		return &Nested{*slot, of, r.Algorithms(slot)}
	}
	chosen, short, _ := strings.Cut(rest, ":")
	a := r.algorithm(slot, chosen)
	if a == nil || short == "" {
		return nil
	}
	if n := slices.IndexFunc(a.Keys, func(k Key) bool { return k.Name == short && k.Kind != Algo }); n >= 0 {
		return &Nested{a.Keys[n], a, nil}
	}
	return r.nested([2][]Key{a.Keys}, a, short)
}

// ChosenKeys returns all slots of a process, and the keys of the algorithms that its settings choose in them, at any
// depth. value returns the value of a key. The keys have their full names.
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
		j := named(choices, chosen)
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

// A Use is an algorithm together with the keys that may choose it.
type Use struct {
	Algorithm
	At [][2]string // pairs of process type and key
}

// AllAlgorithms lists all algorithms by role and name: those that keys of process types may choose, and those that are
// only declared. If an algorithm of this program has no role, its process type is used instead.
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

// Slots returns the keys of the algorithm under which a further algorithm is chosen.
func (a *Algorithm) Slots() []Key {
	return slices.DeleteFunc(slices.Clone(a.Keys), func(k Key) bool { return !k.chooses() })
}

// Unread is an algorithm found by the import in sources that register it under a name which the import could not work
// out.
type Unread struct {
	Class, Origin string
	Role          string // its role; empty if it is not known either
}

// unread returns an algorithm of unknown name which may have this role, or nil.
func (r *Registry) unread(role string) *Unread {
	i := slices.IndexFunc(r.Unread, func(u Unread) bool { return u.Role == role || u.Role == "" })
	if i < 0 {
		return nil
	}
	return &r.Unread[i]
}
