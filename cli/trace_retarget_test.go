package cli_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/need"
)

const before = `int work(int n) {
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += i * n;
	return sum;
}
int gone(int n) { return n * 3; }
int main(int argc, char **argv) { return work(argc) + gone(argc); }
`

// after is the program of `before` with a function moved to the front, a line added, and another
// function removed.
const after = `int helper(int n) {
	int product = 1;
	while (n > 1)
		product *= n--;
	return product;
}
int work(int n) {
	/* one line more */
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += i * n;
	return sum;
}
int main(int argc, char **argv) { return work(argc) + helper(argc); }
`

func TestRetargetFollowsARebuild(t *testing.T) {
	cc := need.Compiler(t, "cc")
	dir := t.TempDir()
	build := func(name, text string) string {
		src, program := filepath.Join(dir, "main.c"), filepath.Join(dir, name)
		if err := os.WriteFile(src, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(cc, "-g", "-O0", "-o", program, src).CombinedOutput(); err != nil {
			t.Fatalf("cc: %v\n%s", err, out)
		}
		return program
	}
	old := build("old", before)
	rebuilt := build("new", after)
	work, gone, now := symbol(t, old, "work"), symbol(t, old, "gone"), symbol(t, rebuilt, "work")

	run := func(args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = cli.Run(cli.Options{}, args, strings.NewReader(""), &o, &e)
		return code, o.String(), e.String()
	}
	config := filepath.Join(dir, "t.pinsight")
	write := func(text string) {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	write(fmt.Sprintf("[Lexgion(0x%x)] # the work\n    tracing_rate = 10\n", work))
	code, out, errs := run("trace", "retarget", "--from", old, "--to", rebuilt, config)
	if want := fmt.Sprintf("[Lexgion(0x%x)] # the work\n    tracing_rate = 10\n", now); code != 0 || out != want {
		t.Errorf("exit %d\n got %q\nwant %q\n%s", code, out, want, errs)
	}

	write(fmt.Sprintf("[Lexgion(0x%x, 0x%x)]\n    tracing_rate = 10\n", work, gone))
	code, _, errs = run("trace", "retarget", "--from", old, "--to", rebuilt, "-w", config)
	if text, _ := os.ReadFile(config); code != 1 || !strings.Contains(string(text), fmt.Sprintf("0x%x, 0x%x", now, gone)) {
		t.Errorf("exit %d, file %q; want code = 1 and %q in text", code, text, fmt.Sprintf("0x%x, 0x%x", now, gone))
	}
	if !strings.Contains(errs, "stays") || !strings.Contains(errs, "gone") {
		t.Errorf("the report does not say what could not be mapped:\n%s", errs)
	}

	if code, _, errs := run("trace", "retarget", "--from", old, "--to", rebuilt, "-w", "-"); code != 2 || !strings.Contains(errs, "-w needs a file") {
		t.Errorf("exit %d\n%s", code, errs)
	}

	// retarget converts a source line to an address, and shows an address as a source line.
	write("[Lexgion(main.c:5)]\n    tracing_rate = 3\n")
	code, out, errs = run("show", "--origin", "--config", "pinsight.program="+old, config)
	if code != 0 || !strings.Contains(out, "main.c:5 in `work`") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	write("[Lexgion(main.c:4)]\n    tracing_rate = 3\n")
	code, out, errs = run("show", "--config", "pinsight.program="+old, config)
	if code != 0 || !strings.HasPrefix(out, "Lexgion(0x") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = run("trace", "decide", "--explain", "--config", "pinsight.program="+old, "--region", "main.c:4", "--event", "omp_work", config)
	if code != 0 || !strings.Contains(out, "main.c:4 in `work`") || !strings.Contains(out, "traced: 1 in 3") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

func symbol(t *testing.T, path, name string) uint64 {
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name {
			return s.Value
		}
	}
	t.Fatalf("%s has no %s", path, name)
	return 0
}
