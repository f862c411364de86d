package all_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/data"
)

// benched has for each language a function that makes a correct file of any size.
var benched = []struct {
	language *lang.Language
	name     string // of the file
	write    func(b *strings.Builder, n int)
}{
	{coil.New(coil.Options{}), "bench.coilcfg", sections},
	{paradyn.New(paradyn.Options{}), "bench.psdl", processes},
	{sprokit.New(sprokit.Options{}), "bench.pipe", chain},
	{pdi.New(pdi.Options{}), "bench.yml", arrays},
	{pinsight.New(pinsight.Options{}), "bench.pinsight", regions},
}

// sections writes a target with n vendors' sections of five keys.
func sections(b *strings.Builder, n int) {
	f, _ := preset.File("x86-64-linux")
	b.WriteString(f.Text())
	for i := range n {
		fmt.Fprintf(b, "\n[NVIDIA_Device%d]\nSharedMemorySize = 49152  # bytes\nMaxRegistersPerThread = 255\nWarpSize = 32\nNames = a,b,\"c d\"\nFast = true\n", i)
	}
}

// processes writes n processes on n/10 hosts.
func processes(b *strings.Builder, n int) {
	for i := range n {
		if i%10 == 0 {
			fmt.Fprintf(b, "daemon {\n    command \"paradynd -z %d\";\n    host \"node%d\";\n}\n\n", i, i/10)
		}
		fmt.Fprintf(b, "// process %d\nprocess {\n    command \"/opt/app/bin/solver\";\n    host \"node%d\";\n    daemon \"paradynd -z %d\";\n    name \"solver%d\";\n    args { \"--rank\" \"%d\" };\n}\n\n", i, i/10, i-i%10, i, i)
	}
}

// chain writes a pipeline of n processes in a row with ten entries each, some of
// them with macros.
func chain(b *strings.Builder, n int) {
	b.WriteString("config common\n  scale = 3\n\n")
	for i := range n {
		fmt.Fprintf(b, "process step_%d\n  :: image_filter\n", i)
		b.WriteString("  :filter:type vxl\n  filter:vxl:scale = $CONFIG{common:scale}\n  block filter:vxl\n")
		for k := range 8 {
			fmt.Fprintf(b, "    option_%d = value of option %d\n", k, k)
		}
		b.WriteString("  endblock\n\n")
	}
	b.WriteString("process first :: frame_list_input\n  image_list_file = list.txt\nprocess end :: sink\n\n")
	last := "first"
	for i := range n {
		fmt.Fprintf(b, "connect from %s.image\n        to   step_%d.image\n", last, i)
		last = fmt.Sprintf("step_%d", i)
	}
	fmt.Fprintf(b, "connect from %s.image\n        to   end.sink\n", last)
}

// arrays writes a tree of n three-dimensional arrays.
func arrays(b *strings.Builder, n int) {
	b.WriteString("metadata:\n  nx: int\n  ny: int\n  nz: int\nlogging: error\ndata:\n")
	for i := range n {
		fmt.Fprintf(b, "  field_%d:\n    type: array\n    subtype: double\n    size: [$nx, '$ny + 2', \"$nz\"]\n", i)
	}
}

// regions writes a header and three keys for each of n regions.
func regions(b *strings.Builder, n int) {
	for i := range n {
		fmt.Fprintf(b, "[Lexgion(0x%x)]\n    trace_starts_at = %d\n    max_num_traces = 100\n    tracing_rate = 10\n", 0x400000+16*i, i)
	}
}

// each runs a benchmark for every language and size.
func each(b *testing.B, sizes []int, run func(b *testing.B, l *lang.Language, f *source.File)) {
	for _, c := range benched {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/%d", c.language.Name, n), func(b *testing.B) {
				var text strings.Builder
				c.write(&text, n)
				f := source.NewFile(c.name, text.String())
				b.SetBytes(int64(f.Len()))
				b.ReportAllocs()
				run(b, c.language, f)
			})
		}
	}
}

func benchEnv() *load.Env { return &load.Env{Opener: source.Map{}, Dir: "."} }

func BenchmarkParse(b *testing.B) {
	each(b, []int{10_000}, func(b *testing.B, l *lang.Language, f *source.File) {
		for b.Loop() {
			l.Parse(f)
		}
	})
}

func BenchmarkFormat(b *testing.B) {
	each(b, []int{10_000}, func(b *testing.B, l *lang.Language, f *source.File) {
		doc := l.Parse(f)
		for b.Loop() {
			doc.Format()
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	each(b, []int{10_000}, func(b *testing.B, l *lang.Language, f *source.File) {
		doc := l.Parse(f)
		for b.Loop() {
			doc.Resolve(benchEnv())
		}
	})
}

// BenchmarkCheck measures parsing, resolving and checking.
func BenchmarkCheck(b *testing.B) {
	each(b, []int{100, 1_000, 10_000, 100_000}, checkAll)
	f, _ := preset.File("x86-64-linux")
	b.Run("coil/preset", func(b *testing.B) { checkAll(b, coil.New(coil.Options{}), f) })
}

func checkAll(b *testing.B, l *lang.Language, f *source.File) {
	for b.Loop() {
		if found := l.Parse(f).Resolve(benchEnv()).Diagnostics(); found.HasErrors() {
			b.Fatalf("%s: %s; want no errors", found[0].Span, found[0].Message)
		}
	}
}

func BenchmarkShow(b *testing.B) {
	each(b, []int{10_000}, func(b *testing.B, l *lang.Language, f *source.File) {
		c := l.Parse(f).Resolve(benchEnv())
		for b.Loop() {
			for range c.Values() {
			}
		}
	})
}

// BenchmarkStart measures everything from the text of a PDI tree to a store that is
// ready.
func BenchmarkStart(b *testing.B) {
	var text strings.Builder
	arrays(&text, 10_000)
	f := source.NewFile("bench.yml", text.String())
	l := pdi.New(pdi.Options{})
	b.ReportAllocs()
	for b.Loop() {
		m, _ := lang.Model[*pdi.Model](l.Parse(f).Resolve(benchEnv()))
		s, err := data.New(m.Spec(), data.Options{})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}
