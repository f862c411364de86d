package builtin

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/target/table"
)

// llvmOnly lists names that LLVM uses internally and that are not features: bases of every machine, code
// generation switches, and parts of a feature.
var llvmOnly = map[string]map[string]bool{
	"x86":  {"x87": true, "evex512": true},
	"a64":  {"fp-armv8": true, "neon": true, "chk": true, "ete": true, "trbe": true, "v8a": true},
	"rv":   {"64bit": true, "relax": true, "experimental": true},
	"fpu":  {"d32": true, "fp64": true, "vfp2sp": true, "vfp3sp": true, "vfp4sp": true, "fp-armv8sp": true, "fp16": true},
	"none": {},
}

// ours maps LLVM's internal names to features.
var ours = map[string]map[string]string{
	"a64": {"complxnum": "fcma", "fullfp16": "fp16", "jsconv": "jscvt", "mte": "memtag", "rand": "rng", "perfmon": "pmuv3", "spe": "profile", "specres2": "predres2", "rcpc-immo": "rcpc2"},
	"fpu": {"vfp2": "vfpv2", "vfp3": "vfpv3", "vfp3d16": "vfpv3-d16", "vfp3d16sp": "vfpv3xd", "vfp4": "vfpv4", "vfp4d16": "vfpv4-d16", "vfp4d16sp": "fpv4-sp-d16", "fp-armv8d16": "fpv5-d16", "fp-armv8d16sp": "fpv5-sp-d16"},
}

// TestOracleFeatures: every feature of the oracle's ISA lists is known, and its closure is what the compiler switched on with it.
func TestOracleFeatures(t *testing.T) { golden.Oracle(t, "coil", oracleFeatures) }

func oracleFeatures(t *testing.T, set golden.Set) {
	var doc struct {
		Arch map[string]struct {
			Features   map[string]any
			Implies    map[string][]string
			Extensions []string
			FPU        map[string][]string
		}
	}
	set.Read(t, "tables.json", &doc)
	if doc.Arch == nil {
		t.Skip("the tables have no architectures")
	}
	cases := 0
	for _, c := range []struct {
		key, arch, kind string
		mode            int
	}{{"CPU/x86", "x86", "x86", 64}, {"CPU/ARM/64", "ARM", "a64", 64}, {"CPU/ARM/32", "ARM", "none", 32}, {"CPU/RISC-V", "RISC-V", "rv", 64}} {
		a, ok := doc.Arch[c.key]
		if !ok {
			continue
		}
		arch, _ := Tables().Arch("CPU", c.arch)
		isa, _ := arch.Mode(c.mode)
		keys := slices.Clone(a.Extensions)
		for k := range a.Features {
			keys = append(keys, k)
		}
		for k := range a.Implies {
			keys = append(keys, k)
		}
		for k := range a.FPU {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range slices.Compact(keys) {
			cases++
			t.Run(c.key+"/"+k, func(t *testing.T) {
				if implied, ok := a.FPU[k]; ok {
					closure(t, isa, k, implied, "fpu", false)
					return
				}
				implied, listed := a.Implies[k]
				closure(t, isa, k, implied, c.kind, listed)
			})
		}
	}
	if cases == 0 {
		t.Fatal("the oracle's tables.json has no feature lists we know how to read")
	}
}

// closure checks what one feature implies. If exact is set, it must imply exactly the features in implied.
func closure(t *testing.T, isa *table.ISA, key string, implied []string, kind string, exact bool) {
	t.Helper()
	m := isa.Feature(key)
	if m.Feature == nil || m.How == table.Prefixed {
		t.Fatalf("feature `%s` is not known", key)
	}
	got := m.Implies.Names(isa)
	for i := range got {
		got[i] = isa.Features[m.Implies[i]].Key
	}
	var want []string
	for _, n := range implied {
		if llvmOnly[kind][n] {
			continue
		}
		if o := ours[kind][n]; o != "" {
			n = o
		}
		if n != m.Key {
			want = append(want, n)
		}
	}
	for _, n := range want {
		if !slices.Contains(got, n) {
			t.Errorf("`%s` implies `%s`, missing from %v", key, n, got)
		}
	}
	if exact && len(got) != len(want) {
		slices.Sort(want)
		t.Errorf("closure of `%s` is %v, want %v", key, got, want)
	}
}

// TestOracleLayouts looks up the oracle's data layouts by triple and skips targets that COIL has no name for.
func TestOracleLayouts(t *testing.T) { golden.Oracle(t, "coil", oracleLayouts) }

func oracleLayouts(t *testing.T, set golden.Set) {
	for line := range strings.Lines(set.Text(t, "raw/datalayout.tsv")) {
		row := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(row) < 3 || row[2] == "" {
			continue // the compiler has no such target
		}
		prefix, _, _ := strings.Cut(row[0], "-")
		for _, a := range Tables().Archs {
			for i := range a.ISAs {
				for _, m := range a.ISAs[i].Modes {
					if !slices.ContainsFunc(m.Triples, func(v table.Variant) bool { first, _, _ := strings.Cut(v.Text, "-"); return first == prefix }) {
						continue
					}
					t.Run(row[0], func(t *testing.T) {
						if !slices.ContainsFunc(m.Layouts, func(v table.Variant) bool { return v.Text == row[2] }) {
							t.Errorf("%s %s %d has the layouts %v, not %s", a.PU, a.Name, m.Bits, m.Layouts, row[2])
						}
					})
				}
			}
		}
	}
}

// TestOracleRegisters checks that every name that the compiler accepts as a register is a register in the widest mode of its
// architecture. x86 is skipped: its modes follow COIL's document, while the compiler accepts wide names in narrow modes.
func TestOracleRegisters(t *testing.T) { golden.Oracle(t, "coil", oracleRegisters) }

func oracleRegisters(t *testing.T, set golden.Set) {
	var doc struct {
		Registers map[string][]string `json:"registers_clang_oracle"`
	}
	set.Read(t, "tables.json", &doc)
	if doc.Registers == nil {
		t.Skip("the tables have no registers")
	}
	for key, names := range doc.Registers {
		pu, machine, other := strings.Cut(key, " ")
		if !other {
			pu, machine = "CPU", key
		}
		name, mode, _ := strings.Cut(machine, "/")
		bits, _ := strconv.Atoi(mode)
		arch, _ := Tables().Arch(pu, name)
		if arch == nil || arch.Name == "x86" {
			continue
		}
		t.Run(key, func(t *testing.T) {
			_, m := arch.Mode(bits)
			if m == nil {
				t.Fatalf("%s has no mode %d", arch.Name, bits)
			}
			for _, r := range names {
				if !m.HasRegister(r) && r != "cc" { // "cc" is a condition, which no call can pass
					t.Errorf("`%s` is not a register", r)
				}
			}
		})
	}
}

// TestOracleProcessors compares which of LLVM's processors include the features of which others: our feature sets must give the same
// answer as LLVM's lists.
func TestOracleProcessors(t *testing.T) { golden.Oracle(t, "coil", oracleProcessors) }

func oracleProcessors(t *testing.T, set golden.Set) {
	arch, _ := Tables().Arch("CPU", "x86")
	isa, _ := arch.Mode(64)
	type cpu struct {
		name string
		list map[string]bool
		set  table.Set
	}
	var cpus []cpu
	for line := range strings.Lines(set.Text(t, "raw/x86.cpu-features.tsv")) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if !strings.HasPrefix(list, "+") {
			continue
		}
		c := cpu{name: name, list: map[string]bool{}}
		for f := range strings.SplitSeq(list, ",") {
			key, on := strings.CutPrefix(f, "+")
			if on && !llvmOnly["x86"][key] && isa.Feature(key).Feature != nil {
				c.list[key] = true
			}
		}
		set, ok := isa.Processor(name)
		if !ok {
			t.Errorf("processor `%s` is not known", name)
			continue
		}
		c.set = set
		cpus = append(cpus, c)
	}
	if len(cpus) == 0 {
		t.Fatal("the oracle's processor list holds nothing")
	}
	for _, a := range cpus {
		t.Run(a.name, func(t *testing.T) {
			for _, b := range cpus {
				want := true
				for f := range a.list {
					want = want && b.list[f]
				}
				if got := a.set.Within(b.set); got != want {
					t.Errorf("%s within %s: got %v, want %v", a.name, b.name, got, want)
				}
			}
		})
	}
}

// TestOracleABI compares our argument registers with the registers that the compiler assigned.
func TestOracleABI(t *testing.T) { golden.Oracle(t, "coil", oracleABI) }

func oracleABI(t *testing.T, set golden.Set) {
	var doc struct {
		ABI map[string]struct {
			FI struct{ In []string }
		} `json:"abi_llvm_oracle"`
	}
	set.Read(t, "tables.json", &doc)
	if doc.ABI == nil {
		t.Skip("the tables have no ABIs")
	}
	seen := 0
	for name, row := range doc.ABI {
		for i := range Tables().ABIs {
			a := &Tables().ABIs[i]
			// If LLVM writes registers in its own table language, only their count can be compared.
			if !named(a, name) || a.Any || len(row.FI.In) == 0 || row.FI.In[0] == "arguments" || a.Arch == "AVR" || a.Arch == "AMD" {
				continue
			}
			seen++
			t.Run(name, func(t *testing.T) {
				if len(a.Parameters) != len(row.FI.In) {
					t.Fatalf("parameters %v, the compiler uses %v; want %v", a.Parameters, row.FI.In, len(row.FI.In))
				}
				if a.Arch == "x86" || a.Arch == "ARM" || a.Arch == "MSP430" || a.Arch == "Hexagon" {
					if !slices.Equal(a.Parameters, row.FI.In) {
						t.Errorf("parameters %v, the compiler uses %v; want %v", a.Parameters, row.FI.In, row.FI.In)
					}
				}
			})
		}
	}
	if seen == 0 {
		t.Fatal("the oracle has no ABI that we know")
	}
}

func named(a *table.ABI, name string) bool {
	n := table.Normal(name)
	return table.Normal(a.Name) == n || slices.ContainsFunc(a.Aliases, func(x string) bool { return table.Normal(x) == n })
}
