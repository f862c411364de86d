package table

import (
	"maps"
	"slices"
	"strconv"
)

// merge merges one instruction set of a user's file into the first known set that shares a mode, or appends it.
func merge(isas []fileISA, add fileISA) []fileISA {
	for i := range isas {
		if shares(isas[i], add) {
			isas[i].take(add)
			return isas
		}
	}
	return append(isas, add)
}

func shares(a, b fileISA) bool {
	return slices.ContainsFunc(a.Modes, func(m fileMode) bool {
		return slices.ContainsFunc(b.Modes, func(n fileMode) bool { return m.Bits == n.Bits })
	})
}

// take adds another description of the same instruction set. If both describe a feature or
// mode, the new description wins.
func (fi *fileISA) take(o fileISA) {
	for _, f := range o.Features {
		fi.Features = replace(fi.Features, f, func(x fileFeature) bool { return x.Key == f.Key })
	}
	for _, m := range o.Modes {
		// A mode without a description only says which instruction set the features belong to.
		if len(m.Endianness) == 0 && slices.ContainsFunc(fi.Modes, func(x fileMode) bool { return x.Bits == m.Bits }) {
			continue
		}
		fi.Modes = replace(fi.Modes, m, func(x fileMode) bool { return x.Bits == m.Bits })
	}
	fi.Base = append(fi.Base, o.Base...)
	fi.SIMD = append(fi.SIMD, o.SIMD...)
	fi.NotSIMD = append(fi.NotSIMD, o.NotSIMD...)
	fi.Crypto = append(fi.Crypto, o.Crypto...)
	fi.Conflicts = append(fi.Conflicts, o.Conflicts...)
	if fi.Processors == nil {
		fi.Processors = map[string]fileProcessor{}
	}
	maps.Copy(fi.Processors, o.Processors)
	fi.Open = fi.Open || o.Open
	fi.SIMT = fi.SIMT || o.SIMT
}

func replace[T any](list []T, x T, same func(T) bool) []T {
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = x
		return list
	}
	return append(list, x)
}

// file converts a compiled set back to the file form, so that it can be merged and compiled again.
func (s *ISA) file() fileISA {
	keys := func(fs Features) []string {
		var out []string
		for _, id := range fs {
			out = append(out, s.Features[id].Key)
		}
		return out
	}
	fi := fileISA{Base: keys(s.Base), SIMD: keys(s.SIMD), NotSIMD: keys(s.NotSIMD), Crypto: keys(s.Crypto), Open: s.Open, SIMT: s.SIMT, Processors: map[string]fileProcessor{}}
	for _, f := range s.Features {
		fi.Features = append(fi.Features, fileFeature{Key: f.Key, Name: f.Name, Aliases: f.Aliases, Doubtful: f.Doubtful, Implies: keys(f.Implies), Modes: f.Modes,
			Group: f.Group, Obsolete: f.Obsolete, Experimental: f.Experimental, GCC: fileOption(f.GCC), Clang: fileOption(f.Clang), NVCC: fileOption(f.NVCC), LLVM: f.LLVM, Rust: f.Rust, Unstable: f.Unstable, Linux: f.Linux})
	}
	for _, c := range s.Conflicts {
		fi.Conflicts = append(fi.Conflicts, [2]string{s.Features[c.A].Key, s.Features[c.B].Key})
	}
	for _, p := range s.Processors {
		fi.Processors[p.Name] = fileProcessor{keys(p.Features), p.Numbers, p.Level, p.Source, fileOption(p.GCC), fileOption(p.Clang), fileOption(p.LLVM), fileOption(p.GCCTune), fileOption(p.ClangTune)}
	}
	for _, m := range s.Modes {
		fi.Modes = append(fi.Modes, fileMode{Bits: m.Bits, Runs: m.Runs, Endianness: m.Endianness, Rare: m.Rare, RareNote: m.RareNote, Note: m.Note, Alignment: m.Alignment, Stack: m.Stack,
			Pointer: m.Pointer, Models: m.Models, Base: keys(m.Base), CPU: m.CPU, March: m.March, Triples: texts(m.Triples), Layouts: texts(m.Layouts),
			Registers: m.Registers, NoRegisters: m.NoRegisters})
	}
	return fi
}

func texts(vs []Variant) map[string]string {
	if len(vs) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, v := range vs {
		if v.Until != 0 {
			v.For += "@" + strconv.Itoa(v.Until)
		}
		out[v.For] = v.Text
	}
	return out
}
