package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/need"
)

// messages is a C program that prints the return address of its call into a runtime, and waits.
const messages = `#include <stdio.h>
__attribute__((noinline)) void MPI_Barrier(void)
{
	printf("%p\n", __builtin_return_address(0));
	fflush(stdout);
}
int main(void)
{
	MPI_Barrier();
	return getchar() == 0;
}
`

// TestLoadedProgram: the region of a source line resolves to the address that a tracer in the
// running process reports, wherever a position-independent program was loaded.
func TestLoadedProgram(t *testing.T) {
	cc := need.Compiler(t, "cc", "-pie", "-fPIE")
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"a.c": messages, "t.pinsight": "[Lexgion(a.c:9)]\n    tracing_rate = 3\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, flag := range map[string]string{"app": "-pie", "fixed": "-no-pie"} {
		if out, err := exec.Command(cc, "-g", "-O1", "-fPIE", flag, "-o", name, "a.c").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	cmd := exec.Command("./app")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); cmd.Wait() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	pid := strconv.Itoa(cmd.Process.Pid)
	maps, err := os.ReadFile(filepath.Join("/proc", pid, "maps"))
	if err != nil {
		t.Fatal(err)
	}
	base, _, _ := strings.Cut(string(maps), "-") // the first mapping is the program's
	elsewhere := strings.ReplaceAll(string(maps), dir, "/other/folder")
	for name, text := range map[string]string{"maps": string(maps), "elsewhere": elsewhere, "nothing": "no map\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (code int, text, errs string) {
		var o, e bytes.Buffer
		code = cli.Run(cli.Options{}, args, strings.NewReader(""), &o, &e)
		return code, o.String(), e.String()
	}
	for _, flags := range []string{
		"--config pinsight.program=app --config pinsight.base=0x" + base, "--config pinsight.program=app --config pinsight.base=" + base, "--config pinsight.program=app --config pinsight.maps=maps", "--config pinsight.program=app --config pinsight.maps=elsewhere",
	} {
		flags := strings.Fields(flags)
		code, text, errs := run(append([]string{"show", "--origin", "t.pinsight"}, flags...)...)
		if want := "Lexgion(" + address + ").tracing_rate"; code != 0 || !strings.Contains(text, want) || !strings.Contains(text, "a.c:9 in `main`") {
			t.Errorf("show %s: exit %d, want %s\n%s%s", flags, code, want, text, errs)
		}
		code, text, errs = run(append([]string{"trace", "decide", "--explain", "--region", address, "--event", "MPI_Barrier", "t.pinsight"}, flags...)...)
		if code != 0 || !strings.Contains(text, "traced: 1 in 3 executions") || !strings.Contains(text, "a.c:9 in `main`") {
			t.Errorf("explain %s: exit %d\n%s%s", flags, code, text, errs)
		}
	}

	// Addresses are adjusted by the load address of the program.
	moved := fmt.Sprintf("[Lexgion(%s)]\n    tracing_rate = 3\n", address)
	if err := os.WriteFile("loaded.pinsight", []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	code, text, errs := run("trace", "retarget", "--from", "app", "--to", "app", "--config", "pinsight.program=app", "--config", "pinsight.maps=maps", "loaded.pinsight")
	if code != 0 || text != moved {
		t.Errorf("retarget: exit %d\n%s%s", code, text, errs)
	}

	// A source line without a call that begins a region cannot be used as one.
	if err := os.WriteFile("line.pinsight", []byte("[Lexgion(a.c:4)]\n    tracing_rate = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, text, errs := run("check", "--config", "pinsight.program=app", "line.pinsight"); code != 0 || !strings.Contains(text+errs, "`a.c:4` calls neither OpenMP nor MPI") {
		t.Errorf("check: exit %d\n%s%s", code, text, errs)
	}

	if code, text, errs := run("trace", "decide", "--explain", "--region", address, "--event", "MPI_Barrier", "--pid", pid, "t.pinsight"); code != 0 || !strings.Contains(text, "a.c:9 in `main`") {
		t.Errorf("a process: exit %d\n%s%s", code, text, errs)
	}
	if code, _, errs := run("trace", "decide", "--explain", "--region", address, "--event", "MPI_Barrier", "--pid", "2147483646", "t.pinsight"); code != 2 || !strings.Contains(errs, "there is no process 2147483646") {
		t.Errorf("a process that is not there: exit %d\n%s", code, errs)
	}

	for flags, want := range map[string]string{
		"--config pinsight.program=fixed --config pinsight.base=0x1000":                           "`fixed` is not position-independent",
		"--config pinsight.program=fixed --config pinsight.maps=maps":                             "`fixed` is not in the memory map, which begins with `app`, ",
		"--config pinsight.program=app --config pinsight.maps=nothing":                            "`nothing` cannot be used: this is not the memory map of a process",
		"--config pinsight.program=app --config pinsight.base=here":                               "`here` is not an address; write one such as 0x555555554000",
		"--config pinsight.program=app --config pinsight.base=0x1000 --config pinsight.maps=maps": "`pinsight.base`, `pinsight.maps` and --pid each say where the program is loaded; give one of them",
		"--config pinsight.base=0x1000":                                                           "say where a program is loaded, but `program` is not set",
	} {
		if code, text, errs := run(append([]string{"check", "t.pinsight"}, strings.Fields(flags)...)...); code == 0 || !strings.Contains(text+errs, want) {
			t.Errorf("%s: exit %d, want %s\n%s%s", flags, code, want, text, errs)
		}
	}
}
