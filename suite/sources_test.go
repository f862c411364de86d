package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
)

// sharing shares two data and triggers an event.
const sharing = `
#pragma weak PDI_init
#pragma weak PDI_expose
#pragma weak PDI_event
enum { PDI_OUT = 2 };
int PDI_init(void), PDI_expose(const char *, const void *, int), PDI_event(const char *);
int main(void)
{
	int i = 0;
	double u[4] = {0};
	if (!PDI_expose) return PDI_init ? PDI_init() : 0;
	PDI_expose("i", &i, PDI_OUT);
	PDI_expose("u", u, PDI_OUT);
	return PDI_event("finalization");
}
`

// TestSourcesOfPrograms: a plan names the program of a tree, and the program's debug information names the sources. If they are not known, or two
// programs read the tree, nothing is reported.
func TestSourcesOfPrograms(t *testing.T) {
	b := newBuilder(t)
	program := b.program(sharing, linkedAll...)
	code, err := filepath.EvalSymlinks(filepath.Join(b.dir, "wave.c"))
	if err != nil {
		t.Fatal(err)
	}
	run := func() map[string]string {
		files := waveRun(program)
		files["wave.pinsight"] = "[OpenMP.default]\n    omp_parallel_begin = on\n"
		files["wave.yml"] = strings.Replace(files["wave.yml"], "write: [u]", "on_event: finalisation, write: [u]", 1)
		return files
	}
	never := func(files map[string]string) diag.List {
		return slices.DeleteFunc(Diagnostics(open(t, files), programHost()), func(d *diag.Diagnostic) bool { return d.Code.ID != "pdi/never-triggered" })
	}
	list := never(run())
	if len(list) != 1 || filepath.Base(list[0].Span.File.Path()) != "wave.yml" || len(list[0].Labels) != 1 {
		t.Fatalf("found\n%s\nwant len(list) = 1, filepath.Base(list[0].Span.File.Path()) = %q and len(list[0].Labels) = 1", lines(list), "wave.yml")
	}
	at := list[0].Labels[0].Span
	if path, err := filepath.EvalSymlinks(at.File.Path()); err != nil || path != code || at.Text() != "finalization" {
		t.Errorf("the label is at %s of %s; want err nil, path = %v and at.Text() = %q", at.Text(), path, code, "finalization")
	}
	two := run()
	two["other"] = b.program(waveCode, linkedAll...)
	two["wave.psdl"] = strings.Replace(two["wave.psdl"], `command "./wave"`, `command "./other"`, 1)
	b.program(sharing, linkedAll...) // the source again
	if list := never(two); len(list) > 0 {
		t.Errorf("two programs read the tree, and found is\n%s\nwant at most 0", lines(list))
	}
	if err := os.Remove(code); err != nil {
		t.Fatal(err)
	}
	if list := never(run()); len(list) > 0 {
		t.Errorf("the source is gone, and found is\n%s\nwant at most 0", lines(list))
	}
}
