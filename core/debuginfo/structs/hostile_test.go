package structs

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/internal/need"
)

// everything calls every function of the package and returns the results. It checks that they agree: a
// function is at the address found by its name, and retargeting an address to the same program returns the
// same address.
func everything(t *testing.T, f *debuginfo.File) string {
	var answers strings.Builder
	funcs, err := f.Functions()
	fmt.Fprintln(&answers, funcs, err)
	for i, fn := range funcs {
		if i == 20 {
			break
		}
		frame, found := f.Lookup(fn.Low)
		ranges, _ := f.Function(fn.Name)
		if !slices.Contains(ranges, debuginfo.Range{Low: fn.Low, High: fn.High}) {
			t.Fatalf("%+v is not among the functions of its name: %v", fn, ranges)
		}
		to, reason, ok := debuginfo.Retarget(f, f, fn.Low+1)
		if ok && to != fn.Low+1 {
			t.Fatalf("%#x of a program is %#x in the same program: %s; want %v", fn.Low+1, to, reason, fn.Low+1)
		}
		fmt.Fprintln(&answers, frame, found, to, reason, ok)
	}
	at, err := f.Line("main.c", 5)
	fmt.Fprintln(&answers, at, err)
	p := Of(f)
	names, err := p.Names()
	fmt.Fprintln(&answers, names, err)
	for i, name := range names {
		if i == 20 {
			break
		}
		s, err := p.Struct(name)
		if err == nil && s.Name != name {
			t.Fatalf("struct %q is called %q, want %v", name, s.Name, name)
		}
		fmt.Fprintln(&answers, s != nil, err)
	}
	return answers.String()
}

// FuzzOpen changes bytes of a real program. Nothing may panic or hang, and the results must be the same each
// time.
func FuzzOpen(f *testing.F) {
	program, err := os.ReadFile(compile(f, f.TempDir(), particles, "-g", "-nostdlib", "-static", "-Wl,-e,main"))
	if err != nil {
		f.Fatal(err)
	}
	for i := range 64 {
		f.Add(uint32(i*len(program)/64), uint64(0xffffffff), uint32(64), uint64(1)<<i)
	}
	f.Fuzz(func(t *testing.T, at uint32, value uint64, at2 uint32, value2 uint64) {
		data := append([]byte(nil), program...)
		for _, change := range []struct {
			at    uint32
			value uint64
		}{{at, value}, {at2, value2}} {
			i := int(change.at) % (len(data) - 8)
			binary.LittleEndian.PutUint64(data[i:], change.value)
		}
		checkHostile(t, data)
	})
}

func checkHostile(t *testing.T, data []byte) {
	t.Helper()
	path := t.TempDir() + "/program"
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var answers [2]string
	for i := range answers {
		f, err := debuginfo.Open(path, debuginfo.Options{DebugDirs: []string{}})
		if err != nil {
			return
		}
		answers[i] = everything(t, f)
		f.Close()
	}
	if answers[0] != answers[1] {
		t.Fatalf("the answers are\n%s\nand another time\n%s\nwant %v", answers[0], answers[1], answers[1])
	}
}

// TestDamagedPrograms overwrites every part of a program in turn.
func TestDamagedPrograms(t *testing.T) {
	need.Slow(t)
	program, err := os.ReadFile(compile(t, t.TempDir(), particles, "-g", "-nostdlib", "-static", "-Wl,-e,main"))
	if err != nil {
		t.Fatal(err)
	}
	for _, fill := range []byte{0, 0x7f, 0xff} {
		for at := 0; at < len(program); at += max(len(program)/200, 1) {
			data := append([]byte(nil), program...)
			for i := at; i < min(at+7, len(data)); i++ {
				data[i] = fill
			}
			checkHostile(t, data)
		}
	}
	for cut := 0; cut < len(program); cut += max(len(program)/100, 1) {
		checkHostile(t, program[:cut])
	}
}
