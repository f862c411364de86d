package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ReadTypes reads declarations of process types that live elsewhere:
//
//	[{"type": "blur", "doc": "Makes images softer.",
//	  "in":  [["image", "kwiver:image", "required", "The image."]],
//	  "out": [["image", "kwiver:image", "required,shared"]],
//	  "config": [["radius", "double", "1.0", "In pixels.", true]],
//	  "check": "check_sync", "properties": "_unsync_input"}]
//
// A port is name, type, flags and documentation, a key is name, kind, default,
// documentation and whether it is tunable; what follows the first two may be
// left out.
func ReadTypes(r io.Reader) ([]*Type, error) {
	var list []struct {
		Type, Doc  string
		In, Out    [][]string
		Config     [][]any
		Check      string
		Properties string
		Needs      string
	}
	dec := json.NewDecoder(r)
	if err := dec.Decode(&list); err != nil {
		return nil, fmt.Errorf("the list of process types is no JSON of the expected form: %w", jsonReason(err))
	}
	var types []*Type
	for i, d := range list {
		t := &Type{Name: d.Type, Doc: d.Doc, Needs: d.Needs}
		if t.Name == "" {
			return nil, fmt.Errorf("process type number %d has no name: expected a member `type`", i+1)
		}
		if t.Needs == "" {
			t.Needs = "a program that has it"
		}
		if d.Properties != "" {
			t.Properties = strings.Split(d.Properties, ",")
		}
		switch {
		case strings.Contains(d.Check, "check_sync"):
			t.Level = CheckSync
		case d.Check == "check_none":
			t.Level = CheckNone
		}
		var err error
		if t.In, err = readPorts(d.In); err == nil {
			t.Out, err = readPorts(d.Out)
		}
		if err == nil {
			t.Keys, err = readKeys(d.Config)
		}
		if err != nil {
			return nil, fmt.Errorf("process type `%s`: %w", t.Name, err)
		}
		types = append(types, t)
	}
	return types, nil
}

func readPorts(rows [][]string) ([]Port, error) {
	var ports []Port
	for _, row := range rows {
		if len(row) < 2 || row[0] == "" || row[1] == "" {
			return nil, errors.New("a port needs at least a name and a type")
		}
		p := Port{Name: row[0], Type: row[1]}
		if len(row) > 2 {
			var err error
			if p.Flags, err = ParseFlags(row[2]); err != nil {
				return nil, fmt.Errorf("port `%s`: %w", p.Name, err)
			}
		}
		if len(row) > 3 {
			p.Doc = row[3]
		}
		ports = append(ports, p)
	}
	return ports, nil
}

func readKeys(rows [][]any) ([]Key, error) {
	var keys []Key
	for _, row := range rows {
		var k Key
		for i, v := range row {
			text, isText := v.(string)
			tunable, isBool := v.(bool)
			switch {
			case i == 0 && isText:
				// Upstream's algorithms are listed as `N:type / N:<impl>:*`.
				k.Name, _, _ = strings.Cut(text, ":type / ")
			case i == 1 && isText:
				k.Kind = Kind(text)
			case i == 2 && isText:
				k.Default = text
			case i == 3 && isText:
				k.Doc = text
			case i == 4 && isBool:
				k.Tunable = tunable
			default:
				return nil, fmt.Errorf("key `%s`: place %d holds `%v`: expected name, kind, default, documentation, tunable", k.Name, i+1, v)
			}
		}
		if k.Name == "" {
			return nil, errors.New("a key needs a name")
		}
		if k.Kind == "" {
			k.Kind = String
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// jsonReason words the errors of package json for people.
func jsonReason(err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("there is a mistake before byte %d", syntax.Offset)
	case errors.As(err, &typ):
		return fmt.Errorf("`%s` before byte %d is a %s", typ.Field, typ.Offset, typ.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early")
	}
	return err
}
