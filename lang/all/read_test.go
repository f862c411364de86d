package all_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
)

// reader is the function with which a Go program reads a file of a language.
type reader struct {
	language *lang.Language
	read     func(*source.File, *load.Env) (model, error)
	path     string
	sound    string   // a file with a warning, but without an error
	broken   []string // files that each have an error
}

type model interface{ Diagnostics() diag.List }

// opened turns a typed reader into one that returns any model.
func opened[M model](read func(*source.File, *load.Env) (M, error)) func(*source.File, *load.Env) (model, error) {
	return func(f *source.File, env *load.Env) (model, error) {
		m, err := read(f, env)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}

func readers() []reader {
	target := "[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\n\n[Optimization]\nLevel = 3\n\n" +
		"[Memory]\nModel = Protected\nAlignment = 16\nStackGrowth = Down\nEndianness = Little\n"
	pipe := "process a :: numbers\nprocess s :: sink\nconnect from a.number to s.sink\n"
	return []reader{
		{coil.New(coil.Options{}), opened(coil.Read), "a.coilcfg", target + "\n[Nonsense]\nkey = 1\n", []string{
			target + "~~ ~~\n", "@include nowhere.coilcfg\n" + target, target + "\x00",
		}},
		{paradyn.New(paradyn.Options{}), opened(paradyn.Read), "a.psdl", "tunable_constant \"n\" 1;\ntunable_constant \"n\" 2;\n", []string{
			"tunable_constant \"n\" 1;\n~~ ~~\n", "daemon { command \"d\"; nmae \"d\"; }\n", "tunable_constant \"n\" 1;\x00",
		}},
		{sprokit.New(sprokit.Options{}), opened(sprokit.Read), "a.pipe", pipe + "config a\n  nonsense = 1\n", []string{
			pipe + "~~ ~~\n", "include nowhere.pipe\n" + pipe, pipe + "\x00",
		}},
		{pdi.New(pdi.Options{}), opened(pdi.Read), "a.yml", "metadata: {n: int}\nnonsense: 1\n", []string{
			"metadata: {n: int}\n~~ ~~\n", "include: nowhere.yml\nmetadata: {n: int}\n", "metadata: {n: int}\n\x00",
		}},
		{pinsight.New(pinsight.Options{}), opened(pinsight.Read), "a.pinsight", "[OpenMP.default]\n    omp_work = on\n    omp_work = off\n", []string{
			"[OpenMP.default]\n~~ ~~\n", "[Lexgion(solver)]\n    tracing_rate = often\n", "[OpenMP.default]\n\x00",
		}},
	}
}

// TestReadRefuses checks that a Go program gets all findings of a check. If the file has an error, it gets them as an error, so that
// a broken file cannot run; otherwise it gets them from the model.
func TestReadRefuses(t *testing.T) {
	env := func() *load.Env { return &load.Env{Opener: source.Map{}, Dir: "."} }
	for _, d := range readers() {
		t.Run(d.language.Name, func(t *testing.T) {
			for _, text := range d.broken {
				f := source.NewFile(d.path, text)
				m, err := d.read(f, env())
				var found diag.List
				if !errors.As(err, &found) || m != nil {
					t.Errorf("%q: the error is %v, the model %v", text, err, m)
					continue
				}
				if want := messages(d.language.Parse(f).Resolve(env()).Diagnostics()); !slices.Equal(messages(found), want) {
					t.Errorf("%q: the error carries %q, check finds %q", text, messages(found), want)
				}
				if got := err.Error(); strings.Contains(got, "\n") || !strings.HasPrefix(got, d.path+":") {
					t.Errorf("%q: the error is no sentence with a place: %s", text, got)
				}
			}
			f := source.NewFile(d.path, d.sound)
			m, err := d.read(f, env())
			if err != nil {
				t.Fatal(err)
			}
			want := messages(d.language.Parse(f).Resolve(env()).Diagnostics())
			if got := messages(m.Diagnostics()); len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("the model has %q, check finds %q", got, want)
			}
		})
	}
}

// TestReadWithoutEnvironment: without an environment, Read uses the environment of this process. An empty environment has no files
// and no variables.
func TestReadWithoutEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, d := range readers() {
		for name, env := range map[string]*load.Env{"none": nil, "an empty one": {}} {
			if m, err := d.read(source.NewFile(d.path, d.sound), env); err != nil || m == nil {
				t.Errorf("%s, %s: %v; want a model", d.language.Name, name, err)
			}
			for _, text := range d.broken {
				if _, err := d.read(source.NewFile(d.path, text), env); err == nil {
					t.Errorf("%s, %s, %q: no error, want what is wrong with it", d.language.Name, name, text)
				}
			}
		}
	}
}

func messages(list diag.List) []string {
	var all []string
	for _, d := range list {
		all = append(all, d.Severity.String()+" "+d.Span.String()+" "+d.Message)
	}
	return all
}
