package debuginfo

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"strings"
)

// types is where a file describes its structs, unions and typedefs.
type types struct {
	data    *dwarf.Data
	units   []*dwarf.Entry
	structs map[string][]dwarf.Offset
}

// typesOf looks for all types when the first is asked for.
func (f *File) typesOf() (*types, error) {
	if f.types != nil {
		return f.types, nil
	}
	if f.from == nil {
		return nil, errors.New(f.why)
	}
	damaged := fmt.Errorf("the debug information of `%s` is damaged", f.name())
	if checkStrings(f.from) != nil {
		return nil, damaged
	}
	data, err := f.from.DWARF()
	if err != nil {
		return nil, damaged
	}
	t, err := findTypes(data)
	if errors.Is(err, errTooMuch) {
		return nil, f.tooMuch("types")
	} else if err != nil {
		return nil, damaged
	}
	f.types = t
	return t, nil
}

// findTypes visits every entry once.
func findTypes(data *dwarf.Data) (*types, error) {
	t := &types{data: data, structs: make(map[string][]dwarf.Offset)}
	names := 0
	r := data.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return t, err
		}
		switch e.Tag {
		case dwarf.TagCompileUnit, dwarf.TagSkeletonUnit:
			t.units = append(t.units, e)
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagTypedef:
			if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); declared {
				continue
			}
			if name := text(e, dwarf.AttrName); name != "" && name[0] != '.' { // a dot: the compiler's own
				names += len(name)
				t.structs[name] = append(t.structs[name], e.Offset)
			}
		}
		if names > maxNameText {
			return nil, errTooMuch
		}
	}
}

func text(e *dwarf.Entry, attr dwarf.Attr) string {
	s, _ := e.Val(attr).(string)
	if len(s) > maxName {
		s = s[:maxName]
	}
	return strings.Clone(s)
}
