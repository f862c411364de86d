package structs

import (
	"debug/dwarf"
	"errors"
	"strings"
)

// Limits on the names that are kept.
const (
	maxName     = 4096
	maxNameText = 512 << 20 // bytes of all names
)

var errTooMuch = errors.New("more than can be read")

// types are the entries of a file for structs, unions and typedefs.
type types struct {
	data    *dwarf.Data
	units   []*dwarf.Entry
	structs map[string][]dwarf.Offset
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
			if name := text(e, dwarf.AttrName); name != "" && name[0] != '.' { // names with a dot belong to the compiler
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
