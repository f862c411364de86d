package lsp_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// pipeline returns a pipeline of processes in a row, with about the given number of lines.
func pipeline(lines int) string {
	var b strings.Builder
	b.WriteString("config common\n  scale = 3\n\n")
	n := lines / 13
	for i := range n {
		fmt.Fprintf(&b, "process step_%d\n  :: image_filter\n  filter:type = vxl\n  filter:vxl:scale = $CONFIG{common:scale}\n  block filter:vxl\n", i)
		for k := range 4 {
			fmt.Fprintf(&b, "    option_%d = value of option %d\n", k, k)
		}
		b.WriteString("  endblock\n\n")
	}
	b.WriteString("process first\n  :: frame_list_input\n  image_list_file = list.txt\n\nprocess end\n  :: sink\n\n")
	last := "first"
	for i := range n {
		fmt.Fprintf(&b, "connect from %s.image\n        to   step_%d.image\n", last, i)
		last = fmt.Sprintf("step_%d", i)
	}
	fmt.Fprintf(&b, "connect from %s.image\n        to   end.sink\n", last)
	return b.String()
}

// traces returns a trace configuration with the given number of sections.
func traces(sections int) string {
	var b strings.Builder
	b.WriteString("[OpenMP.default]\n    omp_work = off\n\n")
	for i := range sections {
		fmt.Fprintf(&b, "[Lexgion(0x%x)] : OpenMP.default\n    tracing_rate = %d\n    OpenMP.omp_work = on\n\n", 0x400000+16*i, i%10+1)
	}
	return b.String()
}

// tree returns a specification tree with about the given number of lines.
func tree(lines int) string {
	var b strings.Builder
	b.WriteString("metadata:\n  n: int\ndata:\n")
	for i := range lines / 4 {
		fmt.Fprintf(&b, "  d%d:\n    type: array\n    subtype: double\n    size: [$n, %d]\n", i, i+1)
	}
	return b.String()
}

// BenchmarkKeystroke measures how long a user waits after a keystroke in a large file.
func BenchmarkKeystroke(b *testing.B) {
	for _, x := range []struct {
		name, file, text, word string // word is the text at which the cursor is
	}{
		{"pipe10000", "a.pipe", pipeline(10_000), "common:scale"},
		{"trace5000", "a.pinsight", traces(5_000), "tracing_rate"},
		{"tree10000", "a.yml", tree(10_000), "n, "},
	} {
		c := start(b, b.TempDir(), everything)
		c.open(x.file, x.text)
		middle := len(x.text)/2 + strings.Index(x.text[len(x.text)/2:], x.word)
		at := endOf(x.text[:middle])
		document := protocol.TextDocument{URI: c.uri(x.file)}
		params := protocol.PositionParams{DocumentParams: protocol.DocumentParams{TextDocument: document}, Position: at}
		end := endOf(x.text)
		on := false
		stroke := func() { // inserts or removes a character in a comment at the end
			r := protocol.Range{Start: end, End: end}
			text := "#"
			if on {
				r.End.Character++
				text = ""
			}
			on = !on
			c.change(x.file, &r, text)
		}
		b.Run(x.name+"/diagnostics", func(b *testing.B) {
			for b.Loop() {
				stroke()
				c.call("textDocument/diagnostic", protocol.DocumentParams{TextDocument: document}, nil)
			}
		})
		for _, method := range []string{"hover", "definition", "completion"} {
			c.call("textDocument/"+method, params, nil)
			b.Run(x.name+"/"+method, func(b *testing.B) {
				for b.Loop() {
					c.call("textDocument/"+method, params, nil)
				}
			})
		}
		if err := c.stop(); err != nil {
			b.Error(err)
		}
	}
}

// BenchmarkIncluded measures a keystroke in a file that 100 other files include.
func BenchmarkIncluded(b *testing.B) {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	write(b, dir, "common.conf", "config n\n  end = 3\n")
	for i := range 100 {
		write(b, dir, fmt.Sprintf("p%d/a.pipe", i), "include ../common.conf\nprocess a\n  :: numbers\n  end = $CONFIG{n:end}\nprocess s\n  :: sink\nconnect from a.number to s.sink\n")
	}
	c := start(b, dir, everything)
	c.call("workspace/symbol", protocol.WorkspaceSymbolParams{Query: "no such name"}, nil)
	c.open("common.conf", "config n\n  end = 3\n")
	document := protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("common.conf")}}
	n := 0
	for b.Loop() {
		n++
		c.change("common.conf", nil, fmt.Sprintf("config n\n  end = %d\n", n))
		c.call("textDocument/diagnostic", document, nil)
	}
	if err := c.stop(); err != nil {
		b.Error(err)
	}
}

// BenchmarkWorkspace measures the time until a workspace of 336 pipelines has been read.
func BenchmarkWorkspace(b *testing.B) {
	dir := b.TempDir()
	for i := range 336 {
		write(b, dir, fmt.Sprintf("p%d/a.pipe", i), pipeline(120))
	}
	var memory uint64
	for b.Loop() {
		c := start(b, dir, everything)
		c.call("workspace/symbol", protocol.WorkspaceSymbolParams{Query: "no such name"}, nil)
		b.StopTimer()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		memory = max(memory, m.HeapAlloc)
		if err := c.stop(); err != nil {
			b.Error(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(memory)/1e6, "MB")
}
