package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/why"
)

// slow is a program with performance faults that make threads wait, each in a function named after
// its fault.
const slow = `#include <omp.h>
#include <unistd.h>
static void nap(void) { usleep(50000); }
void imbalance(void)
{
#pragma omp parallel
	if (omp_get_thread_num() == 0) nap();
}
void barrier(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 1) nap();
#pragma omp barrier
	}
}
void critical(void)
{
#pragma omp parallel
#pragma omp critical
	nap();
}
void lock(void)
{
	omp_lock_t l;
	omp_init_lock(&l);
#pragma omp parallel
	{ omp_set_lock(&l); nap(); omp_unset_lock(&l); }
	omp_destroy_lock(&l);
}
void tasks(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		nap();
#pragma omp task
		nap();
#pragma omp taskwait
	}
}
int main(void) { imbalance(); barrier(); critical(); lock(); tasks(); nap(); imbalance(); }
`

// TestTraceWhy: `trace why` finds each fault in the function that contains it. Durations are not
// checked, because they depend on the machine.
func TestTraceWhy(t *testing.T) {
	need.Slow(t)
	clang := need.Program(t, "clang", "--version")
	dir := t.TempDir()
	source, program, traced, config := filepath.Join(dir, "slow.c"), filepath.Join(dir, "slow"), filepath.Join(dir, "traced"), filepath.Join(dir, "config.txt")
	for path, text := range map[string]string{source: slow, config: "[OpenMP.default]\n    omp_mutex_acquire = on\n    omp_mutex_acquired = on\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(clang, "-g", "-fopenmp", source, "-o", program).CombinedOutput(); err != nil {
		need.Ability(t, "a compiler with OpenMP", err)
		t.Fatalf("%s; want none", out)
	}
	t.Setenv("OMP_NUM_THREADS", "2")
	t.Setenv("OMP_WAIT_POLICY", "passive")
	t.Setenv("XDG_RUNTIME_DIR", dir)
	var out, errs bytes.Buffer
	if code := Run(Options{}, []string{"trace", "record", "-o", traced, "--policy", config, "--", program}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("trace run ended with %d: %s", code, errs.String())
	}
	if code := Run(Options{}, []string{"trace", "why", "--format", "json", traced}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("trace why ended with %d: %s", code, errs.String())
	}
	var found why.Findings
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	at := map[why.Kind][]string{}
	for _, c := range found.Causes {
		at[c.Kind] = append(at[c.Kind], c.Where)
	}
	for kind, function := range map[why.Kind]string{
		why.Imbalance: "imbalance", why.ImplicitBarrier: "imbalance", why.ExplicitBarrier: "barrier", why.Critical: "critical", why.Lock: "lock",
		why.TaskWait: "tasks", why.Serial: "tasks", why.ForkJoin: "imbalance",
	} {
		if !strings.Contains(strings.Join(at[kind], "\n"), "slow.c:") || !strings.Contains(strings.Join(at[kind], "\n"), "in `"+function+"`") {
			t.Errorf("%s is not found in `%s`, but at %q", kind, function, at[kind])
		}
	}
}
