package sprokit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

// place is where a pipeline is read: a machine and an environment.
type place struct {
	host    string
	env     map[string]string
	dialect load.Dialect
}

// sum writes files to a new folder and returns the fingerprint of the first.
func (p place) sum(t *testing.T, text string, others ...string) fingerprint.Sum {
	t.Helper()
	dir := t.TempDir()
	main := filepath.Join(dir, "in.pipe")
	for i, name := range append([]string{"in.pipe"}, others...) {
		if i > 0 {
			name, text, _ = strings.Cut(name, "\n")
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := source.Disk{}.Open(main)
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (string, bool) { v, ok := p.env[name]; return v, ok }
	l := sprokit.New(sprokit.Options{Types: catalog.Standard(), Machine: func() sprokit.Machine { return sprokit.Machine{Hostname: p.host} }})
	c := l.Parse(file).Resolve(&load.Env{Opener: source.Disk{}, Dir: dir, Lookup: lookup, Dialect: p.dialect})
	if found := c.Found(); found.HasErrors() {
		t.Fatalf("%v\n%s\nwant no errors", found, text)
	}
	sum, err := c.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

const numbers = "process a :: numbers\n  end = %\nprocess w :: print_number\n  output = @\nconnect from a.number to w.number\n"

func pipeText(end, output string) string {
	return strings.NewReplacer("%", end, "@", output).Replace(numbers)
}

const doubling = `cluster doubling
  -- Doubles.
  factor = 2
  -- By what.
  imap from number to multiply.factor1
  -- in
  omap from multiply.product to number
  -- out
process const :: const_number
  value[ro] = $CONFIG{doubling:factor}
process multiply :: multiplication
connect from const.number to multiply.factor2
`

const clustered = "process a :: numbers\nprocess d :: doubling\nprocess w :: print_number\n  output = y\nconnect from a.number to d.number\nconnect from d.number to w.number\n"

// TestFingerprintPlaces: all processes of a run have the same fingerprint, wherever its folder is. Other variables count by their values.
func TestFingerprintPlaces(t *testing.T) {
	both := func(a, b string) [2]place {
		return [2]place{{host: a, env: map[string]string{"PENTODE_RANK": a, "OMPI_COMM_WORLD_RANK": a, "HOME": a}}, {host: b, env: map[string]string{"PENTODE_RANK": b, "OMPI_COMM_WORLD_RANK": b, "HOME": b}}}
	}
	for name, c := range map[string]struct {
		text   []string
		differ bool
	}{
		"SYSENV":              {text: []string{pipeText("9", "$SYSENV{hostname}.txt")}},
		"rank":                {text: []string{pipeText("$ENV{PENTODE_RANK}", "x")}},
		"rank of an MPI":      {text: []string{pipeText("9", "out_$ENV{OMPI_COMM_WORLD_RANK}.txt")}},
		"through a macro":     {text: []string{"config n\n  r = $ENV{PENTODE_RANK}\n  s = <$CONFIG{n:r}>\n" + pipeText("9", "$CONFIG{n:s}$CONFIG{n:r}")}},
		"folder":              {text: []string{"process a :: numbers\nprocess w :: print_number\n  relativepath output = sub/x\nconnect from a.number to w.number\n"}},
		"through a cluster":   {text: []string{strings.Replace(clustered, ":: doubling\n", ":: doubling\n  factor = $ENV{PENTODE_RANK}\n", 1), "doubling.cluster\n" + doubling}},
		"any other variable":  {text: []string{pipeText("9", "$ENV{HOME}/x")}, differ: true},
		"a text like a macro": {text: []string{pipeText("9", "$ENV{HOME}$ENV{PENTODE_RANK}")}, differ: true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, dialect := range []load.Dialect{load.Documented, load.Upstream} {
				places := both("1", "22")
				places[0].dialect, places[1].dialect = dialect, dialect
				if equal := places[0].sum(t, c.text[0], c.text[1:]...) == places[1].sum(t, c.text[0], c.text[1:]...); equal == c.differ {
					t.Errorf("equal at both places: %v (dialect %v), want other than %v", equal, dialect, c.differ)
				}
			}
		})
	}
}

// TestFingerprintMeaning: texts that mean the same to the engine have the same fingerprint, others do not.
func TestFingerprintMeaning(t *testing.T) {
	here := place{host: "deck", env: map[string]string{"PENTODE_RANK": "3"}}
	group := func(ports ...string) string {
		text := "process a :: numbers\nprocess d :: distribute\nprocess s :: sink\nconnect from a.number to d.src/x\nconnect from d.status/x to s.sink\n"
		for _, p := range ports {
			text += "process w" + p + " :: sink\nconnect from d.dist/x/" + p + " to w" + p + ".sink\n"
		}
		return text
	}
	cluster := func(from, to string) []string {
		return []string{clustered, "doubling.cluster\n" + strings.Replace(doubling, from, to, 1)}
	}
	for name, c := range map[string]struct {
		a, b []string
		same bool
	}{
		"include":                {[]string{pipeText("9", "x")}, []string{"include inner/rest.pipe\n", "inner/rest.pipe\n" + pipeText("9", "x")}, true},
		"folder of an include":   {[]string{"include inner/rest.pipe\n", "inner/rest.pipe\n" + strings.Replace(pipeText("9", "x"), "output", "relativepath output", 1)}, []string{strings.Replace(pipeText("9", "x"), "output", "relativepath output", 1)}, false},
		"relative or not":        {[]string{pipeText("9", "x")}, []string{strings.Replace(pipeText("9", "x"), "output", "relativepath output", 1)}, false},
		"symbol or its value":    {[]string{pipeText("$ENV{PENTODE_RANK}", "x")}, []string{pipeText("3", "x")}, false},
		"two symbols":            {[]string{pipeText("9", "x$SYSENV{hostname}")}, []string{pipeText("9", "x$SYSENV{domainname}")}, false},
		"number":                 {[]string{pipeText("9", "x")}, []string{pipeText("09", "x")}, true},
		"text like a number":     {[]string{pipeText("9", "9")}, []string{pipeText("9", "09")}, false},
		"read-only":              {[]string{pipeText("9", "x")}, []string{strings.Replace(pipeText("9", "x"), "end", "end[ro]", 1)}, false},
		"order of chosen ports":  {[]string{group("1", "2")}, []string{group("2", "1")}, false},
		"scheduler":              {[]string{pipeText("9", "x")}, []string{pipeText("9", "x") + "config _scheduler\n  type = sync\n"}, false},
		"comment in a cluster":   {cluster("", ""), cluster("-- Doubles.", "-- It doubles."), true},
		"default of a cluster":   {cluster("", ""), cluster("factor = 2", "factor = 3"), false},
		"inside a cluster":       {cluster("", ""), cluster("$CONFIG{doubling:factor}", "5"), false},
		"edge inside a cluster":  {cluster("", ""), cluster("connect from const.number to multiply.factor2", "process other :: numbers\nprocess sink :: sink\nconnect from const.number to sink.sink\nconnect from other.number to multiply.factor2"), false},
		"number inside":          {cluster("$CONFIG{doubling:factor}", "5"), cluster("$CONFIG{doubling:factor}", "005"), true},
		"type":                   {[]string{"process a :: numbers\n" + "process s :: sink\nconnect from a.number to s.sink\n"}, []string{"process a :: const_number\n  value = 1\n" + "process s :: sink\nconnect from a.number to s.sink\n"}, false},
		"heading of the process": {[]string{pipeText("9", "x")}, []string{"config a\n  end = 9\n" + strings.Replace(pipeText("9", "x"), "  end = 9\n", "", 1)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if same := here.sum(t, c.a[0], c.a[1:]...) == here.sum(t, c.b[0], c.b[1:]...); same != c.same {
				t.Errorf("the same: %v, want %v", same, c.same)
			}
		})
	}
}

// TestFingerprintOfCluster: a cluster alone cannot run, so it has no fingerprint.
func TestFingerprintOfCluster(t *testing.T) {
	l := sprokit.New(sprokit.Options{Types: catalog.Standard()})
	c := l.Parse(source.NewFile("doubling.cluster", doubling)).Resolve(&load.Env{Opener: source.Map{}, Dir: "."})
	if _, err := c.Fingerprint(); err == nil || !strings.Contains(err.Error(), "runs only as a part of a pipeline") {
		t.Errorf("the error is %v", err)
	}
}

// TestFingerprintBounded: macros that repeat each other do not cost more than their values.
func TestFingerprintBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("config n\n  k0 = $ENV{PENTODE_RANK}\n")
	for i := range 40 {
		k := "$CONFIG{n:k" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "}"
		if i == 0 {
			k = "$CONFIG{n:k0}"
		}
		b.WriteString("  k" + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10)) + " = " + k + k + "\n")
	}
	text := b.String() + pipeText("9", "x$CONFIG{n:k40}")
	p := place{env: map[string]string{"PENTODE_RANK": ""}}
	if first, again := p.sum(t, text), p.sum(t, text); first != again {
		t.Error("two fingerprints of one text")
	}
}
