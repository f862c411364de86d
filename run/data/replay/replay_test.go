package replay_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
	"github.com/pentode-dev/pentode/run/data/replay"
)

type sequence struct {
	Group, Spec string
	Result      struct {
		Steps []step
		Log   string
	}
}

// step is one call of a sequence with upstream's result.
type step struct {
	Op         json.RawMessage
	Status     string
	Errmsg     string
	Error      *struct{ Status, What string }
	Long, Int  *json.Number
	String     *string
	Null, Same *bool
}

// TestOracleStore plays every call sequence of the oracle and compares the class
// of each call's outcome, its values, and the log.
func TestOracleStore(t *testing.T) {
	golden.Oracle(t, "pdi", func(t *testing.T, set golden.Set) {
		for i, c := range golden.List[sequence](t, set, "store.json") {
			t.Run(fmt.Sprintf("%s/%d", c.Group, i), c.play)
		}
	})
}

func (c *sequence) play(t *testing.T) {
	var log bytes.Buffer
	p, err := replay.NewPlayer(func() (*data.Store, error) {
		return data.New(data.Tree(datatest.Tree(t, c.Spec)), data.Options{
			Dialect: data.Upstream,
			Plugins: plugin.List(plugin.Program{Functions: usercode.Functions(functions(&log))}),
			Host:    data.Host{Console: &log},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Result.Steps {
		script, err := replay.Parse(datatest.Tree(t, "["+string(s.Op)+"]"))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, p.Play(script[0]), s)
	}
	if got := log.String(); got != c.Result.Log {
		t.Errorf("log\n%s\nupstream\n%s\nwant %v", got, c.Result.Log, c.Result.Log)
	}
}

// functions are the user functions that the sequences call.
func functions(log *bytes.Buffer) map[string]usercode.Function {
	return map[string]usercode.Function{
		"uc_hello": func(*data.Store) error { log.WriteString("UC hello\n"); return nil },
		"uc_fn": func(s *data.Store) error {
			memory, err := s.Access("in", data.In)
			if err != nil {
				return err
			}
			fmt.Fprintf(log, "UC in=%d status=%d\n", int32(binary.NativeEndian.Uint32(memory)), data.StatusOK)
			return s.Release("in")
		},
	}
}

func compare(t *testing.T, got replay.Result, want step) {
	t.Helper()
	if s := data.StatusOf(got.Err).String(); s != want.Status {
		t.Errorf("%s; upstream has %s %s", got, want.Status, want.Errmsg)
	}
	noPlace := func(source.Span) string { return "" }
	if want.Errmsg != "" && data.UpstreamMessage(got.Err, noPlace) != want.Errmsg {
		t.Errorf("in upstream's words\n%s\nupstream says\n%s", data.UpstreamMessage(got.Err, noPlace), want.Errmsg)
	}
	class := "OK"
	if want.Error != nil {
		class = want.Error.Status
	}
	if s := data.StatusOf(got.Failed).String(); s != class {
		t.Errorf("%s; upstream has %+v", got, want.Error)
	}
	if want.Long != nil && fmt.Sprint(got.Value) != want.Long.String() {
		t.Errorf("%s; upstream has %s", got, want.Long)
	}
	if want.String != nil && got.Value != *want.String {
		t.Errorf("%s; upstream has %q", got, *want.String)
	}
	if want.Int != nil && (got.First == nil || fmt.Sprint(*got.First) != want.Int.String()) {
		t.Errorf("%s; upstream has %s", got, want.Int)
	}
	if want.Null != nil && *want.Null == got.Memory || want.Same != nil && *want.Same != got.Same {
		t.Errorf("%s: memory %v, same %v; upstream has null %v, same %v", got, got.Memory, got.Same, *want.Null, *want.Same)
	}
}

// TestPlay checks the output of a script that uses every operation.
func TestPlay(t *testing.T) {
	p, err := replay.NewPlayer(func() (*data.Store, error) {
		return data.New(data.Tree(datatest.Tree(t, `
logging: off
metadata: {n: int, r: {type: struct, members: [{a: int}, {b: double}]}}
data: {v: {type: array, subtype: int, size: $n}, x: double}
`)), data.Options{})
	})
	if err != nil {
		t.Fatal(err)
	}
	script, err := replay.Parse(datatest.Tree(t, `
- [expose, n, OUT, 2]
- [expose, r, OUT, {a: 6, b: 1.5}]
- [double, '$r.b * $r.a']
- [str, 'n=${n:03d}']
- [share, v, INOUT, [4, 5]]
- [expr, '10 * $v[0] + $v[1]']
- [poke, v, [7, 8]]
- [access, v, IN]
- [access, v, OUT]
- [release, v]
- [expr, '$v[2]']
- [reclaim, v]
- [reclaim, v]
- [poke, none, 3]
- [multi, step, [v, OUT, [1, 2]], [x, OUT, 2.5]]
- [multi2, step, v, undeclared]
- [multi2, step, x, v]
- [tbegin, t]
- [tend]
- [share, x, SIDEWAYS, 1.5]
- [share, v, OUT, [1, 2, 3]]
- [sharenull, x, NONE]
- [finalize]
- [event, e]
- [init]
- [event, e]
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range script {
		got = append(got, p.Play(c).String())
	}
	want := []string{
		"expose n OUT 2: ok",
		"expose r OUT {a: 6, b: 1.5}: ok",
		"double $r.b * $r.a = 9",
		"str n=${n:03d} = n=002",
		"share v INOUT [4, 5]: ok",
		"expr 10 * $v[0] + $v[1] = 45",
		"poke v [7, 8]: ok",
		"access v IN: 7",
		"access v OUT: PERMISSION cannot access `v`: it is being read",
		"release v: ok",
		"expr $v[2]: VALUE ",
		"reclaim v: ok",
		"reclaim v: STATE cannot reclaim `v`: it is not shared",
		"poke none 3: STATE spec.yml:15:3: `none` was never shared by this script",
		"multi step [v, OUT, [1, 2]] [x, OUT, 2.5]: ok",
		"multi2 step v undeclared: ok",
		"multi2 step x v: ok",
		"tbegin t: ok",
		"tend: ok",
		"share x SIDEWAYS 1.5: SPECTREE spec.yml:21:14: expected `NONE`, `IN`, `OUT` or `INOUT`, found SIDEWAYS",
		"share v OUT [1, 2, 3]: VALUE ",
		"sharenull x NONE: ok",
		"finalize: ok",
		"event e: STATE the store is closed",
		"init: ok",
		"event e: ok",
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
}

// TestFirstInteger checks that an integer goes into the first bytes of any shared memory, as in a C
// program that shares the address of an int.
func TestFirstInteger(t *testing.T) {
	p, err := replay.NewPlayer(func() (*data.Store, error) {
		return data.New(data.Tree(datatest.Tree(t, `
logging: off
data: {c: char, s: short, i: int, l: long, d: double, a: {type: array, subtype: short, size: 4}}
`)), data.Options{Dialect: data.Upstream})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ script, want string }{
		{"[[share, c, OUT, 65], [expr, $c]]", "expr $c = 65"},
		{"[[access, c, IN]]", "access c IN: 65"},
		{"[[share, s, OUT, 7], [expr, $s]]", "expr $s = 7"},
		{"[[share, i, OUT, -1], [expr, $i]]", "expr $i = -1"},
		{"[[share, l, OUT, -1], [expr, $l]]", "expr $l = 4294967295"},
		{"[[share, d, OUT, 3], [expr, $d]]", "expr $d = 0"},
		{"[[poke, d, 1.5], [double, $d]]", "double $d = 1.5"},
		{"[[share, a, OUT, 65537], [expr, '$a[1]']]", "expr $a[1] = 1"},
	} {
		script, err := replay.Parse(datatest.Tree(t, c.script))
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, call := range script {
			got = p.Play(call).String()
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestTypedIntegers checks that integers are accepted in a list of floats, in both dialects: a script
// provides memory of the program, which no dialect reads.
func TestTypedIntegers(t *testing.T) {
	for _, dialect := range []data.Dialect{data.Documented, data.Upstream} {
		p, err := replay.NewPlayer(func() (*data.Store, error) {
			return data.New(data.Tree(datatest.Tree(t, `
logging: off
data: {f: {type: array, subtype: double, size: [1, 3]}, r: {type: struct, members: [{a: float}, {b: char}]}}
`)), data.Options{Dialect: dialect})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ script, want string }{
			{"[[share, f, OUT, [[1, 2, 3]]], [double, '$f[0][2]']]", "double $f[0][2] = 3"},
			{"[[poke, f, [[4, 5.5, 6]]], [double, '$f[0][0]']]", "double $f[0][0] = 4"},
			{"[[share, r, OUT, {a: 2, b: 65}], [double, $r.a]]", "double $r.a = 2"},
		} {
			script, err := replay.Parse(datatest.Tree(t, c.script))
			if err != nil {
				t.Fatal(err)
			}
			for i, call := range script {
				r := p.Play(call)
				if i == 0 && r.Err != nil || i > 0 && r.String() != c.want {
					t.Errorf("dialect %v: %s; want %s", dialect, r, c.want)
				}
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"x", "expected a list of calls like `[share, name, OUT, 3]`, found a scalar"},
		{"[x]", "expected a call like `[share, name, OUT, 3]`, found x"},
		{"[[]]", "expected a call like"},
		{"[[shore, x]]", "unknown call `shore`: the calls are `share`, `sharenull`"},
		{"[[share, x]]", "`share` takes NAME ACCESS VALUE, found 1 words"},
		{"[[share, [x], OUT, 1]]", "expected a name or an expression after `share`, found [x]"},
		{"[[tend, x]]", "`tend` takes no words, found 1 words"},
	} {
		_, err := replay.Parse(datatest.Tree(t, c.script))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.script, err, c.want)
		}
	}
	for _, op := range replay.Operations() {
		if op.Doc == "" {
			t.Errorf("`%s` says nothing of itself", op.Name)
		}
	}
}

// TestOperationsDocumented checks that the page lists every call of scripts.
func TestOperationsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(golden.Root(t), "docs", "for-pdi-users.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range replay.Operations() {
		row := fmt.Sprintf("| `%s` | %s |\n", strings.TrimSpace(op.Name+" "+op.Args), op.Doc)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/for-pdi-users.md lacks the row %s", row)
		}
	}
}
