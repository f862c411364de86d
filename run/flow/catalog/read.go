package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/child"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// maxSize limits the size of a file with declarations.
const maxSize = 64 << 20

// AddTypes reads declarations of process types and algorithms into a registry, so that
// pipelines are checked against them. Types that the registry can run remain runnable, and
// so do algorithms of Python modules. The text is a JSON array:
//
//	[{"type": "blur", "doc": "…",
//	  "version": "VIAME 1.0", "origin": "plugins/blur_process.cxx", "keys": "open",
//	  "in":  [["image", "kwiver:image", "required"]],
//	  "out": [["image", "kwiver:image", "shared", "the blurred image"]],
//	  "config": [["radius", "int", "3", "how far", true]],
//	  "needs": "a graphics processor"},
//	 {"algorithm": "gauss", "role": "image_filter",
//	  "config": [["sigma", "double", "1.5"], ["kernel", "algo/kernel_maker"]]},
//	 {"placeholder": "MODEL-FILE", "origin": "plugins/trainer.py"},
//	 {"unread": "fancy_filter", "role": "image_filter", "origin": "plugins/register.cxx"}]
//
// A port is its name, type, flags and documentation; `<…>` in a name is a variable
// that the pipeline chooses. A key is its name, kind (string, int, unsigned, double,
// float, bool, algo, any), default, documentation and whether it may change during a
// run. Empty items at the end may be omitted. Below a key of the kind algo/ROLE are
// the name and the keys of an algorithm that implements the role.
//
// A declaration with a version describes only this version. If `keys` is "open", there may
// be keys that are not listed. A placeholder is a text `[-NAME-]` in templates; its origin
// is the file that replaces it. An unread entry is a class of an algorithm whose name the
// import could not find out, so an undeclared algorithm of its role may be this one. An
// entry without a role may have any role.
func AddTypes(r *pipe.Registry, text io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(text, maxSize))
	if err != nil {
		return err
	}
	all, err := read(data)
	if err != nil {
		return err
	}
	r.DeclareAlgorithms(all.Algorithms)
	if r.Placeholders == nil {
		r.Placeholders = map[string]string{}
	}
	maps.Copy(r.Placeholders, all.Placeholders)
	r.Unread = append(r.Unread, all.Unread...)
	for _, t := range all.Types {
		if err := r.Declare(child.Algorithmic(t)); err != nil {
			return err
		}
	}
	return nil
}

// Declarations is the content of a file with declarations.
type Declarations struct {
	Types        []*pipe.Type
	Algorithms   []*pipe.Algorithm
	Placeholders map[string]string // as in Registry
	Unread       []pipe.Unread     // as in Registry
}

// A declaration is one element of the JSON array.
type declaration struct {
	Type        string `json:"type,omitempty"`
	Algorithm   string `json:"algorithm,omitempty"`
	Unread      string `json:"unread,omitempty"`
	Role        string `json:"role,omitempty"`
	Placeholder string `json:"placeholder,omitempty"`
	Version     string `json:"version,omitempty"`
	Origin      string `json:"origin,omitempty"`
	Doc         string `json:"doc,omitempty"`
	Keys        string `json:"keys,omitempty"` // "open" if there may be keys that are not listed, or empty
	Check       string `json:"check,omitempty"`
	Properties  string `json:"properties,omitempty"`
	Needs       string `json:"needs,omitempty"`
	In          []row  `json:"in,omitempty"`
	Out         []row  `json:"out,omitempty"`
	Config      []row  `json:"config,omitempty"`
}

// Form returns a value of the type that is encoded as JSON. The schema of the file is made
// from it.
func Form() any { return []declaration{} }

// openKeys is the value of `keys` if there may be keys that are not listed.
const openKeys = "open"

// read parses declarations. The types it returns cannot run.
func read(data []byte) (Declarations, error) {
	var list []declaration
	if err := json.Unmarshal(data, &list); err != nil {
		return Declarations{}, jsonError(data, err)
	}
	all := Declarations{Types: make([]*pipe.Type, 0, len(list)), Placeholders: map[string]string{}}
	declared := make(map[string]bool, len(list))
	for i := range list {
		d := &list[i]
		if d.Placeholder != "" {
			all.Placeholders[d.Placeholder] = d.Origin
			continue
		}
		if d.Unread != "" {
			all.Unread = append(all.Unread, pipe.Unread{Class: d.Unread, Role: d.Role, Origin: d.Origin})
			continue
		}
		if d.Algorithm != "" {
			a, err := d.algorithm()
			if err != nil {
				return all, fmt.Errorf("algorithm `%s`: %w", d.Algorithm, err)
			}
			all.Algorithms = append(all.Algorithms, a)
			continue
		}
		if d.Type == "" {
			return all, fmt.Errorf("entry %d has neither a `type`, which is the name of a process type, nor an `algorithm`", i+1)
		}
		if declared[d.Type] {
			return all, fmt.Errorf("process type `%s` is declared twice", d.Type)
		}
		declared[d.Type] = true
		t, err := d.flow()
		if err != nil {
			return all, fmt.Errorf("process type `%s`: %w", d.Type, err)
		}
		all.Types = append(all.Types, t)
	}
	return all, nil
}

// algorithm converts the declaration to a pipe.Algorithm.
func (d *declaration) algorithm() (*pipe.Algorithm, error) {
	if d.Role == "" {
		return nil, errors.New("it has no `role`, the kind of algorithm that it implements, such as `image_filter`")
	}
	if d.Keys != "" && d.Keys != openKeys {
		return nil, fmt.Errorf("`keys` is `%s`: expected `open`, or nothing", d.Keys)
	}
	list, err := keys(d.Config)
	return &pipe.Algorithm{Name: d.Algorithm, Role: d.Role, Doc: d.Doc, Version: d.Version, Origin: d.Origin, Open: d.Keys == openKeys, Keys: list}, err
}

// flow converts the declaration to a pipe.Type.
func (d *declaration) flow() (t *pipe.Type, err error) {
	t = &pipe.Type{Name: d.Type, Doc: d.Doc, Version: d.Version, Origin: d.Origin, OpenKeys: d.Keys == openKeys, Needs: d.Needs}
	if d.Keys != "" && !t.OpenKeys {
		return nil, fmt.Errorf("`keys` is `%s`: expected `open`, or nothing", d.Keys)
	}
	if t.Needs == "" {
		t.Needs = "the program that provides it: it is only declared here"
	}
	if d.Properties != "" {
		t.Properties = strings.Split(d.Properties, ",")
	}
	for _, level := range []pipe.Level{pipe.CheckSync, pipe.CheckNone} {
		if strings.Contains(d.Check, level.String()) {
			t.Level = level
		}
	}
	if t.In, err = ports(d.In); err != nil {
		return nil, err
	}
	if t.Out, err = ports(d.Out); err != nil {
		return nil, err
	}
	t.Keys, err = keys(d.Config)
	return t, err
}

// jsonError returns a JSON error with the line at which the text is wrong.
func jsonError(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(-1)
	what := "expected an array of process types"
	switch {
	case errors.As(err, &syntax):
		at, what = syntax.Offset, "it is not JSON"
	case errors.As(err, &kind):
		at = kind.Offset
	}
	if at < 0 {
		return errors.New(what)
	}
	return fmt.Errorf("%s at line %d", what, 1+bytes.Count(data[:min(int(at), len(data))], []byte("\n")))
}

// A row describes a port or a key: strings, and for some items numbers or booleans.
type row []any

// at returns the i-th item of the row as text; an omitted item is empty.
func (r row) at(i int) string {
	if i >= len(r) {
		return ""
	}
	switch v := r[i].(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

func ports(rows []row) ([]pipe.Port, error) {
	var list []pipe.Port
	for _, r := range rows {
		if r.at(0) == "" || r.at(1) == "" {
			return nil, errors.New("a port needs a name and a type: `[\"image\", \"kwiver:image\", \"required\"]`")
		}
		flags, err := pipe.ParseFlags(r.at(2))
		if err != nil {
			return nil, fmt.Errorf("port `%s`: %w", r.at(0), err)
		}
		list = append(list, pipe.Port{Name: r.at(0), Type: r.at(1), Flags: flags, Doc: r.at(3)})
	}
	return list, nil
}

func keys(rows []row) ([]pipe.Key, error) {
	var list []pipe.Key
	for _, r := range rows {
		if r.at(0) == "" {
			return nil, errors.New("a key needs a name: `[\"radius\", \"int\", \"3\"]`")
		}
		kind, role, _ := strings.Cut(r.at(1), "/")
		key := pipe.Key{Name: r.at(0), Kind: pipe.Kind(kind), Role: role, Default: r.at(2), Doc: r.at(3), Tunable: r.at(4) == "true"}
		switch key.Kind {
		case "":
			key.Kind = pipe.String
		case pipe.String, pipe.Int, pipe.Unsigned, pipe.Double, pipe.Float, pipe.Bool, pipe.Any:
		case pipe.Algo:
			key.Name, _, _ = strings.Cut(key.Name, ":type")
		default:
			return nil, fmt.Errorf("key `%s` has the kind `%s`: expected string, int, unsigned, double, float, bool, algo or any", key.Name, key.Kind)
		}
		list = append(list, key)
	}
	return list, nil
}
