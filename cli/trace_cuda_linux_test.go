package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// newPlayer builds a program in the current folder that replays CUDA calls on a stand-in for CUDA and CUPTI (see
// run/trace/collect), and returns its source.
func newPlayer(t *testing.T) string {
	t.Helper()
	cc := need.Compiler(t, "cc")
	folder, err := filepath.Abs(filepath.Join("..", "run", "trace"))
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(folder, "collect", "testdata", "cuda")
	t.Chdir(t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-I" + filepath.Join(folder, "agent", "src"), filepath.Join(source, "standin.c"), "-Wl,-soname,libcupti.so", "-o", "libcupti.so", "-ldl"},
		{filepath.Join(source, "player.c"), "./libcupti.so", "-Wl,-rpath,$ORIGIN", "-ldl", "-o", "player"},
	} {
		if out, err := exec.Command(cc, append([]string{"-O1", "-g", "-pthread"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	text, err := os.ReadFile(filepath.Join(source, "player.c"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// playTraced traces the player with a configuration, and returns the messages of the tracer.
func playTraced(t *testing.T, config string, args ...string) string {
	t.Helper()
	if err := os.WriteFile("c.txt", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll("traced"); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	args = append([]string{"trace", "record", "-o", "traced", "--policy", "c.txt", "--", "./player"}, args...)
	if code := Run(Options{}, args, strings.NewReader(""), &bytes.Buffer{}, &errs); code != 0 {
		t.Fatalf("%q ended with %d: %s", args, code, errs.String())
	}
	return errs.String()
}

// lineOf returns the number of the first line that contains a text.
func lineOf(t *testing.T, source, text string) int {
	t.Helper()
	before, _, ok := strings.Cut(source, text)
	if !ok {
		t.Fatalf("there is no `%s`", text)
	}
	return 1 + strings.Count(before, "\n")
}

// TestTraceLaunchSite: with `launch_site = on`, the trace has the source line that launched each kernel, even though
// functions of the CUDA runtime lie between them, or functions were inlined.
func TestTraceLaunchSite(t *testing.T) {
	need.Slow(t)
	source := newPlayer(t)
	want := []string{
		fmt.Sprintf("player.c:%d in `launch`", lineOf(t, source, "axpy is launched here")),
		fmt.Sprintf("player.c:%d in `launch`", lineOf(t, source, "plain here")),
		fmt.Sprintf("player.c:%d in `launch`", lineOf(t, source, "scale<double> here")),
		fmt.Sprintf("player.c:%d in `launch`", lineOf(t, source, "the others here")),
	}
	playTraced(t, "[CUDA.default]\n    launch_site = on\n", "1", "100", "2")
	var got []string
	regions := recorded.ReadRegions("traced").Regions
	for i := range regions {
		got = append(got, regions[i].Where())
	}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("kernels were launched at %q, want %q", got, want)
	}
	if code := Run(Options{}, []string{"trace", "export", "-o", "trace.json", "traced"}, strings.NewReader(""), io.Discard, io.Discard); code != 0 {
		t.Fatalf("export ended with %d", code)
	}
	text, err := os.ReadFile("trace.json")
	if err != nil {
		t.Fatal(err)
	}
	for i, kernel := range []string{"axpy", "plain"} {
		found := 0
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, `{"name":"launch `+kernel+`","ph":"B"`) {
				if found++; !strings.Contains(line, `"place":"`+want[i]+`"`) {
					t.Fatalf("the launch has another place: %s; want %q in it", line, `"place":"`+want[i]+`"`)
				}
			}
		}
		if found == 0 {
			t.Errorf("no launch of %s is shown", kernel)
		}
	}
	playTraced(t, "[CUDA.default]\n    launch_site = off\n", "1", "100", "2")
	if list := recorded.ReadRegions("traced").Regions; len(list) != 0 {
		t.Errorf("places of launches that nobody asked for: %v", list)
	}
}

// TestTraceCudaIsShown: the report, every export and a merged trace show what the host did, and the device's streams
// with their kernels.
func TestTraceCudaIsShown(t *testing.T) {
	need.Slow(t)
	newPlayer(t)
	playTraced(t, "[CUDA.default]\n    device_activity = on\n", "1", "100", "2")
	said := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := Run(Options{}, args, strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%q ended with %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	said("trace", "merge", "-o", "merged", "traced")
	for _, folder := range []string{"traced", "merged"} {
		shown := map[string]string{
			"by region": said("trace", "report", "--by", "region", "--all", folder),
			"by thread": said("trace", "report", "--by", "thread", "--all", folder),
		}
		for _, format := range []string{"perfetto", "speedscope", "folded", "otlp", "csv"} {
			file := folder + "." + format
			said("trace", "export", "--to", format, "-o", file, folder)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			shown[format] = string(text)
		}
		const host, stream, launch, kernel = "thread 1", "CUDA device 0, stream 8", "launch app::scale<float>", "app::scale<float>"
		for what, wanted := range map[string][]string{
			"by region": {launch, kernel, "cudaMemcpy"}, "by thread": {host, stream},
			"perfetto": {host, stream, launch, kernel}, "speedscope": {host, stream, launch, kernel}, "folded": {host, stream, launch, kernel},
			"otlp": {host, stream, launch, kernel}, "csv": {"cudaKernelLaunch_begin", "cudaKernelActivity", kernel},
		} {
			for _, text := range wanted {
				if !strings.Contains(shown[what], text) && !strings.Contains(shown[what], strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(text)) {
					t.Errorf("%s, %s: `%s` is not shown in\n%.1500s", folder, what, text, shown[what])
				}
			}
		}
	}
}

// TestTraceCudaOverhead: --overhead changes the rates of CUDA calls and kernels. The overhead is computed once a
// second, so the test makes runs longer until one is long enough.
func TestTraceCudaOverhead(t *testing.T) {
	need.Slow(t)
	newPlayer(t)
	for steps := 100_000; ; steps *= 4 {
		if err := os.RemoveAll("traced"); err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		args := []string{"trace", "record", "-o", "traced", "--overhead", "0.001%", "--config=trace.gaps=false", "--config", "trace.ring=65536", "--", "./player", "1", fmt.Sprint(steps), "1"}
		if code := Run(Options{}, args, strings.NewReader(""), &bytes.Buffer{}, &errs); code != 0 {
			t.Fatalf("%q ended with %d: %s", args, code, errs.String())
		}
		text, err := os.ReadFile(filepath.Join("traced", "overhead.log"))
		if err != nil {
			t.Fatal(err)
		}
		if len(text) == 0 && steps < 1e9 {
			continue
		}
		for _, section := range []string{"Lexgion(CUDA:CUDA_memcpy_HtoD)", "Lexgion(CUDA:app::scale<float>)"} {
			if !strings.Contains(string(text), "  "+section+" tracing_rate ") || !strings.Contains(errs.String(), "+["+section+"]\n") {
				t.Errorf("nothing is said of %s:\n%s%s", section, text, errs.String())
			}
		}
		return
	}
}
