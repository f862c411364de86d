package results

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// Limits of values as text.
const (
	maxValues    = 20  // of an attribute or of an array in an element
	maxValueText = 400 // bytes
	maxNesting   = 4
)

// typeText names a type as users of HDF5 do: float64, int32, text.
func typeText(t hdf5.Type) string {
	switch t.Class {
	case hdf5.Integer:
		if t.Signed {
			return fmt.Sprintf("int%d", 8*t.Size)
		}
		return fmt.Sprintf("uint%d", 8*t.Size)
	case hdf5.Float:
		return fmt.Sprintf("float%d", 8*t.Size)
	case hdf5.String:
		return fmt.Sprintf("text of %d bytes", t.Size)
	case hdf5.VarLen:
		if t.VarText() {
			return "text"
		}
		return "list of " + typeText(*t.Base)
	case hdf5.Enum:
		return "names for " + typeText(*t.Base)
	case hdf5.Array:
		return fmt.Sprintf("array %s of %s", strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Dims), " ", " × "), "[]"), typeText(*t.Base))
	case hdf5.Compound:
		names := make([]string, 0, len(t.Members))
		for _, m := range t.Members[:min(len(t.Members), maxValues)] {
			names = append(names, m.Name)
		}
		if len(t.Members) > maxValues {
			names = append(names, "…")
		}
		return "record of " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s of %d bytes", t.Class, t.Size)
}

// attributeText returns the first values of an attribute.
func attributeText(a hdf5.Attribute) string {
	n := int(min(a.Space.Len(), maxValues+1))
	var words []string
	switch {
	case a.Space.Null:
		return ""
	case a.Type.Class == hdf5.String || a.Type.VarText():
		list, err := a.Strings()
		if err != nil {
			return "cannot be read"
		}
		words = list[:min(len(list), n)]
	case a.Type.Class == hdf5.VarLen:
		list, err := a.Sequences()
		if err != nil {
			return "cannot be read"
		}
		for _, p := range list[:min(len(list), n)] {
			words = append(words, fmt.Sprintf("%d of %s", len(p)/max(1, a.Type.Base.Size), typeText(*a.Type.Base)))
		}
	default:
		t := plainly(a.Type)
		p, err := a.Read(t)
		if err != nil {
			return "cannot be read"
		}
		for i := range min(n, len(p)/t.Size) {
			words = append(words, valueText(t, p[i*t.Size:], 0))
		}
	}
	if len(words) > maxValues {
		words[maxValues] = "…"
	}
	return clip(strings.Join(words, ", "))
}

func listText(t hdf5.Type, p []byte, depth int) string {
	var words []string
	for ; len(p) >= t.Size; p = p[t.Size:] {
		if len(words) == maxValues {
			words = append(words, "…")
			break
		}
		words = append(words, valueText(t, p, depth))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// valueText formats one element of a plain type.
func valueText(t hdf5.Type, p []byte, depth int) string {
	if depth > maxNesting {
		return "…"
	}
	p = p[:t.Size]
	switch t.Class {
	case hdf5.Integer, hdf5.Float:
		return numberText(t, p)
	case hdf5.String:
		text := string(p)
		if t.Pad == hdf5.SpacePad {
			return clip(strings.TrimRight(text, " "))
		}
		text, _, _ = strings.Cut(text, "\x00")
		return clip(text)
	case hdf5.Enum:
		for _, v := range t.Values {
			if string(v.Value) == string(p) {
				return v.Name
			}
		}
		return fmt.Sprintf("%x (unnamed)", p)
	case hdf5.Array:
		return listText(*t.Base, p, depth+1)
	case hdf5.Compound:
		var words []string
		for _, m := range t.Members[:min(len(t.Members), maxValues)] {
			words = append(words, m.Name+" "+valueText(m.Type, p[m.Offset:], depth+1))
		}
		return clip(strings.Join(words, ", "))
	}
	return fmt.Sprintf("%x", p[:min(len(p), 16)])
}

// plainly converts a type to its machine-independent form, which valueText takes. It leaves out members
// without bytes in memory.
func plainly(t hdf5.Type) hdf5.Type {
	switch t.Class {
	case hdf5.Bitfield:
		return hdf5.Uint(8)
	case hdf5.Integer:
		if t.Signed {
			return hdf5.Int(8)
		}
		return hdf5.Uint(8)
	case hdf5.Float:
		if t.Size <= 4 {
			return hdf5.IEEE(4) // its shortest text equals the text of the number in the file
		}
		return hdf5.IEEE(8)
	case hdf5.Array:
		return hdf5.ArrayOf(plainly(*t.Base), t.Dims...)
	case hdf5.Compound:
		var members []hdf5.Member
		size := 0
		for _, m := range t.Members {
			if m.Type.Class == hdf5.VarLen {
				continue
			}
			member := hdf5.Member{Name: m.Name, Offset: size, Type: plainly(m.Type)}
			members, size = append(members, member), size+member.Type.Size
		}
		return hdf5.Struct(size, members...)
	}
	return t
}

func numberText(t hdf5.Type, p []byte) string {
	switch {
	case t.Class == hdf5.Float && t.Size == 4:
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(p))), 'g', -1, 32)
	case t.Class == hdf5.Float:
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(p)), 'g', -1, 64)
	case t.Signed:
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(p)), 10)
	}
	return strconv.FormatUint(binary.LittleEndian.Uint64(p), 10)
}

func clip(text string) string {
	if len(text) <= maxValueText {
		return text
	}
	return strings.ToValidUTF8(text[:maxValueText], "") + "…"
}
