package debuginfo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// loaded prints the address of its function, and the map of its memory.
const loaded = `#include <stdio.h>
int main(void)
{
	printf("%lx\n", (unsigned long)&main);
	FILE *maps = fopen("/proc/self/maps", "r");
	for (int c; maps && (c = getc(maps)) != EOF;)
		putchar(c);
	return 0;
}
`

// TestLoadFromProcess checks that LoadFrom finds the functions of a program with
// the memory map of its process.
func TestLoadFromProcess(t *testing.T) {
	for _, flags := range [][]string{{"-fPIE", "-pie"}, {"-fno-pie", "-no-pie"}} {
		program := compile(t, t.TempDir(), loaded, flags...)
		out, err := exec.Command(program).Output()
		if err != nil {
			t.Fatal(err)
		}
		address, maps, _ := strings.Cut(string(out), "\n")
		want, err := strconv.ParseUint(address, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		f := open(t, program, Options{})
		if err := f.LoadFrom(strings.NewReader(maps)); err != nil {
			t.Fatal(err)
		}
		got, ok := f.Function("main")
		if !ok || got[0].Low != want {
			t.Errorf("%v: main is at %x, want %x", flags, got, want)
		}
		if frame, _ := f.Lookup(want); frame.Function != "main" {
			t.Errorf("%v: %x is %+v", flags, want, frame)
		}
		funcs, err := f.Functions()
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range funcs {
			if fn.Name == "main" && (fn.Low != got[0].Low || fn.High != got[0].High) {
				t.Errorf("%v: main is at %x and at %x, want one place", flags, got, fn)
			}
		}
	}
}

// TestLoadFrom checks maps from another machine, maps that begin with any piece of
// the program, maps of another program, and texts that are not a map.
func TestLoadFrom(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := compile(t, dir, loaded, "-fPIE", "-pie")
	line := func(start, offset uint64, path string) string {
		return fmt.Sprintf("%x-%x r--p %08x 08:01 1234    %s\n", start, start+0x1000, offset, path)
	}
	other := line(0x7000, 0, "/usr/lib/libc.so") + "8000-9000 rw-p 00000000 00:00 0 [stack]\n" + line(0x9000, 0, "/usr/lib/libm.so") + line(0xa000, 0, "/usr/lib/libm.so") + line(0xb000, 0, "/usr/lib/ld.so") + line(0xc000, 0, "/lib/z.so")
	for _, c := range []struct {
		name, maps string
		base       uint64
		err        string
	}{
		{name: "own path", maps: other + line(0x5500_0000, 0, path) + line(0x6600_0000, 0, "/elsewhere/program"), base: 0x5500_0000},
		{name: "a map that begins in the middle", maps: line(0x5500_3000, 0x1000, path), base: 0x5500_2000},
		{name: "a folder of another machine", maps: other + line(0x5500_0000, 0, "/nodes/1/program"), base: 0x5500_0000},
		{name: "a folder with a blank", maps: line(0x5500_0000, 0, "/my work/program"), base: 0x5500_0000},
		{name: "deleted", maps: line(0x5500_0000, 0, path+" (deleted)"), err: "`program` was built again since the process started"},
		{name: "two", maps: line(0x5500_0000, 0, "/a/program") + line(0x6600_0000, 0, "/b/program"),
			err: "the memory map has `/a/program` and `/b/program`: give the whole path of the program"},
		{name: "none", maps: other, err: "`program` is not in the memory map, which begins with `libc.so`, `libm.so`, `ld.so`"},
		{name: "one other", maps: line(0x7000, 0, "/usr/lib/libc.so"), err: "`program` is not in the memory map, which begins with `libc.so`"},
		{name: "another build", maps: line(0x5500_0000, 0x4000_0000, path), err: "the memory map is not one of this build of `program`"},
		{name: "nothing", maps: "", err: "this is not the memory map of a process; one has the form of /proc/PID/maps"},
		{name: "other numbers", maps: "x-y r--p 00000000 08:01 1 /a\n10-20 r--p offset 08:01 1 /a\n", err: "this is not the memory map of a process; one has the form of /proc/PID/maps"},
	} {
		f := open(t, path, Options{})
		err := f.LoadFrom(strings.NewReader(c.maps))
		if c.err != "" && (err == nil || err.Error() != c.err) || c.err == "" && err != nil {
			t.Errorf("%s: %v, want %s", c.name, err, c.err)
		}
		if f.Base != c.base {
			t.Errorf("%s: loaded at %x, want %x", c.name, f.Base, c.base)
		}
	}
	f := open(t, path, Options{})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := f.LoadFrom(strings.NewReader(other)); err == nil || err.Error() != "cannot read `"+path+"`" {
		t.Errorf("without its file: %v", err)
	}
}

// TestLoadFixed checks that a program that is not position-independent cannot be
// moved to another address.
func TestLoadFixed(t *testing.T) {
	f := open(t, compile(t, t.TempDir(), loaded, "-fno-pie", "-no-pie"), Options{})
	if err := f.Load(0); err != nil {
		t.Error(err)
	}
	if err := f.Load(0x1000); err == nil || err.Error() != "`program` is not position-independent: its addresses are the same wherever it runs" || f.Base != 0 {
		t.Errorf("got %v, base %x", err, f.Base)
	}
}

// TestLoadedAddresses: every address in a question or an answer counts from the
// load base.
func TestLoadedAddresses(t *testing.T) {
	path := compile(t, t.TempDir(), calls, "-fPIE", "-pie", "-g", "-O0", "-fno-builtin")
	file, memory := open(t, path, Options{}), open(t, path, Options{})
	const base = 0x5500_0000
	if err := memory.Load(base); err != nil {
		t.Fatal(err)
	}
	for line, wanted := range map[int]bool{6: true, 8: true, 9: false} {
		sites := func(f *File) []Site {
			found, err := f.Sites("main.c", line, func(string) bool { return wanted })
			if err != nil || len(found) == 0 {
				t.Fatalf("line %d: %v, %v", line, found, err)
			}
			return found
		}
		there := sites(memory)
		for i, s := range sites(file) {
			if there[i].Address != s.Address+base || there[i].Callee != s.Callee {
				t.Errorf("line %d: %x of the file is %x in memory, want %x with the same callee", line, s, there[i], s.Address+base)
			}
			a, _ := file.Region(s.Address)
			if b, ok := memory.Region(s.Address + base); !ok || b != a || b.Line != line {
				t.Errorf("line %d: %+v of the file is %+v in memory, want the same region, on that line", line, a, b)
			}
			if to, reason, ok := Retarget(file, memory, s.Address); !ok || to != s.Address+base {
				t.Errorf("line %d: %x, %s; want %x", line, to, reason, s.Address+base)
			}
			if to, reason, ok := Retarget(memory, file, s.Address+base); !ok || to != s.Address {
				t.Errorf("line %d: %x, %s; want %x", line, to, reason, s.Address)
			}
		}
		a, errA := file.Line("main.c", line)
		b, errB := memory.Line("main.c", line)
		if errA != nil || errB != nil || len(a) != len(b) || a[0]+base != b[0] {
			t.Errorf("line %d: %x, %v of the file is %x, %v in memory", line, a, errA, b, errB)
		}
	}
}
