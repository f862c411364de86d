package structs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const particles = `#include <stdint.h>
enum shade { DARK = -1, LIGHT = 4 };
typedef double vec3[3];
typedef struct { float re, im; } pair_t;
struct node;
struct particle {
	int32_t id;
	vec3 pos;
	struct particle *next;
	const char *name;
	void *any;
	char kind;
	unsigned short grid[2][5];
	pair_t pairs[2];
	enum shade shade;
	_Bool alive;
	union { int i; double d; } value;
	_Complex double wave;
	long double wide;
	struct node *unknown;
};
struct flags { unsigned a : 3; int b : 5; int c; int d : 2; };
struct __attribute__((packed)) tight { char c; int i; };
struct packet { int n; char data[]; };
struct over { _Alignas(32) char c; };
struct sound { char c; _Complex double wave; };
struct particle p; struct flags f; struct tight t; struct packet k; struct over o; struct sound s;
int main(void) { return 0; }
`

// show formats a struct as text, with a line for each member.
func show(s *Struct) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s size %d align %d packed %v\n", s.Name, s.Size, s.Align, s.Packed)
	for _, m := range s.Members {
		fmt.Fprintf(&b, "%d %s %s", m.Offset, m.Name, showType(m.Type))
		if m.Unsupported != "" {
			fmt.Fprintf(&b, " (%s)", m.Unsupported)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func showType(t *Type) string {
	if t == nil {
		return "void"
	}
	name := t.Name
	if t.Typedef != "" {
		name = t.Typedef + "=" + name
	}
	switch t.Kind {
	case Base:
		return fmt.Sprintf("%s/%d:%d", name, t.Encoding, t.Size)
	case Pointer:
		return name + "*" + showType(t.Elem)
	case Array:
		return fmt.Sprintf("%s%v(%s):%d", name, t.Dims, showType(t.Elem), t.Size)
	case Record:
		if t.Struct == nil {
			return "struct " + name
		}
		var members []string
		for _, m := range t.Struct.Members {
			members = append(members, fmt.Sprintf("%s@%d", m.Name, m.Offset))
		}
		return fmt.Sprintf("struct %s{%s}:%d union %v", name, strings.Join(members, " "), t.Size, t.Struct.Union)
	case Enum:
		return fmt.Sprintf("enum %s/%d:%d%v", name, t.Encoding, t.Size, t.Values)
	}
	return "other " + name
}

func TestStructs(t *testing.T) {
	for _, dwarf := range []string{"-gdwarf-2", "-gdwarf-4", "-gdwarf-5"} {
		t.Run(dwarf, func(t *testing.T) {
			f := open(t, compile(t, t.TempDir(), particles, dwarf, "-gstrict-dwarf"))
			for name, want := range map[string]string{
				"particle": `particle size 160 align 16 packed false
0 id int32_t=int/1:4
8 pos vec3=[3](double/3:8):24
32 next *struct particle
40 name *char/6:1
48 any *void
56 kind char/6:1
58 grid [2 5](short unsigned int/2:2):20
80 pairs [2](struct pair_t={re@0 im@4}:8 union false):16
96 shade enum shade/1:4[{DARK -1} {LIGHT 4}]
100 alive _Bool/5:1
104 value struct {i@0 d@0}:8 union true
112 wave complex double/4:16
128 wide long double/3:16
144 unknown *struct node
`,
				"pair_t": "pair_t size 8 align 4 packed false\n0 re float/3:4\n4 im float/3:4\n",
				"sound":  "sound size 24 align 8 packed false\n0 c char/6:1\n8 wave complex double/4:16\n",
				"tight":  "tight size 5 align 1 packed true\n0 c char/6:1\n1 i int/1:4\n",
				"packet": "packet size 4 align 4 packed false\n0 n int/1:4\n4 data [-1](char/6:1):0 (it is an array without a size)\n",
			} {
				s, err := f.Struct(name)
				if err != nil {
					t.Error(err)
					continue
				}
				got := show(s)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			flags, err := f.Struct("flags")
			if err != nil {
				t.Fatal(err)
			}
			if m := flags.Members; m[0].Unsupported != "it is a bit field of 3 bits" || m[1].Unsupported == "" || m[2].Unsupported != "" || m[3].Offset != 8 {
				t.Errorf("%v; want m[0].Unsupported = %q, m[1].Unsupported other than nothing, m[2].Unsupported = nothing and m[3].Offset = 8", show(flags), "it is a bit field of 3 bits")
			}
			if _, err := f.Struct("vec3"); err == nil || err.Error() != "`program` has no struct `vec3`, or uses it nowhere" {
				t.Errorf("got %v", err)
			}
			names, err := f.Names()
			if diff := cmp.Diff([]string{"flags", "over", "packet", "pair_t", "particle", "sound", "tight"}, names); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

func TestAlignedStruct(t *testing.T) {
	f := open(t, compile(t, t.TempDir(), particles, "-g"))
	if s, err := f.Struct("over"); err != nil || s.Size != 32 || s.Align != 32 {
		t.Error(s, err)
	}
}
