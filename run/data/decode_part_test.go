package data_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
)

// TestDecodeAll decodes every part of some values: each part has the fields that lie in it, and complete
// fields have their values.
func TestDecodeAll(t *testing.T) {
	typ, err := evaluate(t, `
type: struct
members:
  - c: char
  - n: {type: array, subtype: int16, size: 5, start: 1, subsize: 3}
  - name: {type: array, subtype: char, size: 6}
  - in: {type: tuple, elements: [char, {x: int}]}
`, "{}")
	must(t, err)
	const count = 3
	memory := make([]byte, count*typ.Size())
	for i := range memory {
		memory[i] = 'a' + byte(i%26)
	}
	all, err := data.DecodeAll(typ, data.X86_64(), count, memory, 0)
	must(t, err)
	whole := slices.Collect(all)
	if got, want := len(whole), count*7; got != want || whole[0].Path != "[0].c" || whole[8].Path != "[1].n[0]" || whole[20].Path != "[2].in.x" {
		t.Fatalf("%d fields, want %d: %v", got, want, whole)
	}
	for from := range len(memory) {
		for to := from + 1; to <= len(memory); to++ {
			part, err := data.DecodeAll(typ, data.X86_64(), count, memory[from:to], int64(from))
			must(t, err)
			var got, want []string
			for f := range part {
				got = append(got, fmt.Sprint(f.Path, f.Offset, f.Size, f.Value))
			}
			for _, f := range whole {
				first, last := max(f.Offset, int64(from)), min(f.Offset+f.Size, int64(to))
				if first >= last {
					continue
				}
				if text, ok := f.Value.(string); ok {
					f.Value = text[first-f.Offset : last-f.Offset]
				} else if last-first < f.Size {
					f.Value = nil
				}
				want = append(want, fmt.Sprint(f.Path, f.Offset, f.Size, f.Value))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("bytes %d to %d:\n got %v\nwant %v", from, to, got, want)
			}
		}
	}
}

// TestDecodeFarPart decodes a part far into a huge array without walking to it.
func TestDecodeFarPart(t *testing.T) {
	typ, err := evaluate(t, "{type: array, subtype: {type: array, subtype: double, size: 1000000000}, size: 1000000}", "{}")
	must(t, err)
	fields, err := data.DecodeAll(typ, data.X86_64(), 1, make([]byte, 16), typ.Size()-16)
	must(t, err)
	var paths []string
	for f := range fields {
		paths = append(paths, f.Path)
	}
	if got := strings.Join(paths, " "); got != "[999999][999999998] [999999][999999999]" {
		t.Errorf("%v; want %q", got, "[999999][999999998] [999999][999999999]")
	}
}

// TestBeside checks that Beside puts the same member of a type on one line for all machines.
func TestBeside(t *testing.T) {
	var types []data.Type
	for _, name := range []string{"x86-64", "i686"} {
		m, ok := data.MachineNamed(name)
		if !ok || m.Name != name || !slices.Contains(data.MachineNames(), name) {
			t.Fatalf("there is no `%s`", name)
		}
		template, err := data.ParseType(datatest.Tree(t, particle), &data.Env{Machine: m})
		must(t, err)
		typ, _ := template.Constant()
		types = append(types, typ)
	}
	var got []string
	for _, l := range data.Beside(types) {
		s := fmt.Sprintf("%d%s %s", l.Depth, l.Name, l.Word())
		for _, r := range l.Rows {
			if r == nil {
				s += " -"
			} else {
				s += fmt.Sprintf(" %d+%d", r.Offset, r.Size)
			}
		}
		got = append(got, s)
	}
	want := []string{"0id int32 0+4 0+4", "0 hole 4+4 -", "0pos array double [3] 8+24 4+24", "0next pointer to double 32+8 28+4", "0kind char 40+1 32+1", "0 padding 41+7 33+3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if lines := data.Beside([]data.Type{types[0].(*data.Record).Members[0].Type}); len(lines) != 0 {
		t.Errorf("a number has the lines %v, want 0", lines)
	}
	if _, ok := data.MachineNamed("vax"); ok {
		t.Error("there is a vax")
	}
}
