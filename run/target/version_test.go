package target

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/target/table"
)

// versions are the compilers that Debian 12 can install at the same time.
var versions = []Compiler{{Name: "gcc", Major: 11}, {Name: "gcc", Major: 12}, {Name: "clang", Major: 13}, {Name: "clang", Major: 14}, {Name: "clang", Major: 15}, {Name: "clang", Major: 16}, {Name: "clang", Major: 19}}

// TestOldest checks that the oldest version in the tables is one of the tested versions.
func TestOldest(t *testing.T) {
	for _, name := range []string{"gcc", "clang"} {
		if i := slices.IndexFunc(versions, func(c Compiler) bool { return c.Name == name }); versions[i].Major != Oldest(name) {
			t.Errorf("%s: %d is asked first, and %d is called the oldest; want the same", name, versions[i].Major, Oldest(name))
		}
	}
}

// eachVersion runs a test with each of the versions, or with the usual two unless all tests are asked for.
func eachVersion(t *testing.T, test func(t *testing.T, program string, c Compiler)) {
	for _, c := range versions {
		program := c.Name + "-" + strconv.Itoa(c.Major)
		t.Run(program, func(t *testing.T) {
			if c.Major != 12 && c.Major != 14 {
				need.Slow(t)
			}
			if ThisHost().Arch != "amd64" && c.Name == "gcc" {
				t.Skip("gcc serves its own architecture")
			}
			t.Parallel()
			need.Program(t, program, "--version")
			test(t, program, c)
		})
	}
}

// refuses gives a compiler many flags for x86-64 at once, and returns the flags that it rejects.
func refuses(t *testing.T, program string, flags []string) map[string]bool {
	t.Helper()
	args := flags
	if strings.HasPrefix(program, "clang") {
		args = append(slices.Clone(flags), "--target=x86_64-unknown-linux-gnu")
	}
	cmd := exec.Command(program, append(args, "-S", "-x", "c", os.DevNull, "-o", os.DevNull)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C") // the locale decides the quotes around names
	out, _ := cmd.CombinedOutput()
	refused := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		complaint, _, _ := strings.Cut(line, "did you mean")
		i := slices.IndexFunc(flags, func(flag string) bool { return strings.Contains(complaint, "'"+flag+"'") })
		if i < 0 {
			t.Errorf("%s complains of no flag: %s", program, line)
			continue
		}
		refused[flags[i]] = true
	}
	return refused
}

// TestFirstVersions: a version of a compiler has the flag of a feature exactly if the tables say so.
func TestFirstVersions(t *testing.T) {
	isa := builtIn.look(machine("x86", 64)).isa
	eachVersion(t, func(t *testing.T, program string, c Compiler) {
		var options []table.Option
		var flags []string
		for i := range isa.Features {
			f := &isa.Features[i]
			if o := f.For(c.Name == "clang"); strings.HasPrefix(o.Flag, "-") && !f.Obsolete && f.Works(64) {
				options, flags = append(options, o), append(flags, o.Flag)
			}
		}
		refused := refuses(t, program, flags)
		for _, o := range options {
			if refused[o.Flag] == o.In(c.Major) {
				t.Errorf("%s refuses %s: %v; the tables have it since %d until %d; want it refused exactly where they do not have it", program, o.Flag, refused[o.Flag], o.Since, o.Until)
			}
		}
	})
}

// TestNearest builds for processors of the tables and checks that the compiler defines exactly the
// processor's features. The tests of package coil check the presets of all processors.
func TestNearest(t *testing.T) {
	x := machine("x86", 64)
	isa := builtIn.look(x).isa
	eachVersion(t, func(t *testing.T, program string, c Compiler) {
		for i := 0; i < len(isa.Processors); i += 9 {
			p := &isa.Processors[i]
			x := x
			x.Features = p.Features.Names(isa)
			flags, _, err := builtIn.Flags(x, c, Compiling)
			if err != nil {
				t.Fatal(err)
			}
			got := macros(t, program, flags)
			has := builtIn.look(x).set
			for id := range isa.Features {
				f := &isa.Features[id]
				o := f.For(c.Name == "clang")
				if f.Group || len(o.Macros()) == 0 || !o.In(c.Major) {
					continue
				}
				defined := slices.ContainsFunc(o.Macros(), func(m string) bool { return got[m] })
				// crc32 has no flag and comes with SSE4.2, and no compiler uses SGX unless told to.
				if want := has.Has(table.ID(id)); defined != want && f.Key != "sgx" && f.Key != "crc32" {
					t.Errorf("%s for %s: %s has %s: %v, want %v", program, p.Name, strings.Join(flags, " "), f.Name, defined, want)
				}
			}
		}
	})
}
