package coil_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// TestPresets: every preset is a formatted configuration without findings, and the
// properties of configurations hold for it.
func TestPresets(t *testing.T) {
	for _, name := range preset.Names() {
		t.Run(name, func(t *testing.T) {
			f, ok := preset.File(name)
			if !ok {
				t.Fatal("it is listed and cannot be read")
			}
			if preset.Title(f) == "" {
				t.Error("it has no title")
			}
			env := &load.Env{Opener: source.Map{}, Dir: "."}
			doc := language.Parse(f)
			for _, d := range doc.Resolve(env).Diagnostics() {
				if d.Severity != diag.Info {
					t.Errorf("%s: %s: %s; want %v", d.Span, d.Code.ID, d.Message, diag.Info)
				} else {
					t.Logf("%s: %s: %s", d.Span, d.Code.ID, d.Message)
				}
			}
			if text, _ := doc.Format(); text != f.Text() {
				t.Errorf("the formatter would change it:\n%s\nwant it unchanged", text)
			}
			golden.Laws(t, language, env, f)
		})
	}
}

// TestSources checks that a preset that no installed compiler knows names the source of
// its data.
func TestSources(t *testing.T) {
	for _, name := range []string{"z17", "rva20u64", "rva22u64", "rva23u64", "apple-m1", "apple-m2", "apple-m3", "graviton", "graviton2", "graviton3", "graviton4", "grace",
		"esp32", "esp32-s3", "esp32-c3", "esp32-c6", "esp32-p4"} {
		f, ok := preset.File(name)
		if !ok || !strings.HasPrefix(f.Line(2), "# Source: ") {
			t.Errorf("%s exists: %v, and names no source", name, ok)
		}
	}
	f, _ := preset.File("apple-m1")
	if x := read(t, f); x.Linker.OutputFormat != "Mach-O" || x.ABI.Name != "Apple" {
		t.Errorf("%+v, want x.Linker.OutputFormat = %q and x.ABI.Name = %q", x.Linker, "Mach-O", "Apple")
	}
}

// TestLevels checks that the levels of x86-64 match the LLVM processors of the same
// names, and that code for each level runs on the next level but not on the previous one.
func TestLevels(t *testing.T) {
	arch, _ := builtin.Tables().Arch("CPU", "x86")
	isa, mode := arch.Mode(64)
	levels := []string{"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}
	targets := make([]target.Target, len(levels))
	var known target.Machines
	for i, name := range levels {
		f, _ := preset.File(name)
		targets[i] = read(t, f)
		have, unknown := isa.Meaning(targets[i].Features)
		want, ok := isa.Processor(name)
		if !ok || len(unknown) > 0 {
			t.Fatalf("%s: known to LLVM %v, unknown features %v", name, ok, unknown)
		}
		have, want = have.Union(isa.Always(mode, have)), want.Union(isa.Always(mode, want))
		if have != want {
			t.Errorf("%s has %v too much and lacks %v", name, have.Minus(want).List().Names(isa), want.Minus(have).List().Names(isa))
		}
		if i > 0 {
			if v := known.Compat(targets[i-1], targets[i], target.Run); !v.OK() {
				t.Errorf("%s does not run on %s: %s", levels[i-1], name, v)
			}
			if known.Compat(targets[i], targets[i-1], target.Run).OK() {
				t.Errorf("%s runs on %s, want a higher level refused on a lower one", name, levels[i-1])
			}
		}
	}
}

// TestProcessors: the preset of every processor in the tables has exactly the processor's
// features, even if they are few.
func TestProcessors(t *testing.T) {
	for _, arch := range builtin.Tables().Archs {
		for _, bits := range arch.Bits() {
			processors(t, arch, bits)
		}
	}
}

func processors(t *testing.T, arch *table.Arch, bits int) {
	isa, mode := arch.Mode(bits)
	for i := range isa.Processors {
		p := &isa.Processors[i]
		f, ok := preset.File(strings.ToLower(p.Name))
		if !ok {
			t.Errorf("%s of %s has no preset", p.Name, arch.Name)
			continue
		}
		x := read(t, f)
		if x.Mode != bits {
			continue // has another mode and the same features
		}
		have, unknown := isa.Meaning(x.Features)
		want, _ := isa.Processor(p.Name)
		have, want = have.Union(isa.Always(mode, have)), want.Union(isa.Always(mode, want))
		if have != want || len(unknown) > 0 {
			t.Errorf("%s has %v too much, lacks %v and names the unknown %v",
				p.Name, have.Minus(want).List().Names(isa), want.Minus(have).List().Names(isa), unknown)
		}
	}
}
