package expr_test

import (
	"testing"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// FuzzCompile reads any text in both dialects and in every way. Nothing may panic,
// positions must lie in the text, and results must stay within limits.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{"", "42", "$i + $d * ($arr[1] - 3) % 7", "data_${i:05d}_${sc:>10.3s}.h5", `a\$b\\$(1 + 2) c`,
		"$rec.a.b[$i][0]", "${i:999999999d}", "1e400 | 0x1.8p1 & nan.", "!$i <= -$d ** 2", "${d:+#020.15g}", "((((", "$", "${", "$("} {
		f.Add(text)
	}
	s := formatScope(f)
	for name, c := range stdScope(f).cells {
		s.cells[name] = c
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range []expr.Dialect{expr.Documented, expr.Upstream} {
			check := func(err error) {
				if e, ok := err.(*expr.Error); ok && (e.Offset < 0 || e.Offset > e.End || e.End > len(text) || e.Msg == "") {
					t.Errorf("%q: error at %d to %d: %q, want e.Offset at least 0, e.Offset at most %v, e.End at most %v and e.Msg other than nothing", text, e.Offset, e.End, e.Msg, e.End, len(text))
				}
			}
			p, err := expr.Compile(text, d)
			if err != nil {
				check(err)
				continue
			}
			for r := range p.Refs() {
				if text[r.NameOffset:r.NameOffset+len(r.Name)] != r.Name || text[r.Offset] != '$' || r.End > len(text) {
					t.Errorf("%q: reference %+v, want text[r.NameOffset : r.NameOffset+len(r.Name)] = %v, text[r.Offset] = %v and r.End at most %v", text, r, r.Name, '$', len(text))
				}
			}
			for _, l := range p.Lints() {
				if l.Offset > l.End || l.End > len(text) {
					t.Errorf("%q: lint %+v, want l.Offset at most %v and l.End at most %v", text, l, l.End, len(text))
				}
			}
			b := p.Bind(s)
			_, err = b.Long()
			check(err)
			_, err = b.Double()
			check(err)
			out, err := b.Text()
			check(err)
			if len(out) > len(text)*10000+1000 {
				t.Errorf("%q: a text of %d bytes, want at most %v", text, len(out), len(text)*10000+1000)
			}
			_, err = b.Ref()
			check(err)
		}
	})
}
