package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/internal/played"
)

// TestJSONAnswers runs each verb that prints JSON, in each way that `pentode schema --of` lists, and validates the
// output against the schema.
func TestJSONAnswers(t *testing.T) {
	s := &jsonBench{bench: newBench(t), verbs: map[string]*verbSchema{}}
	s.files()

	s.answer("check", "check", "--format", "json", "a.pipe", "bad.pipe")
	s.answer("check", "check", "--format", "json", "heat")
	s.answer("check", "check", "--host", "--format", "json", "x86-64")
	s.answer("check", "check", "--host", "--format", "json", "cuda")
	s.answer("show", "show", "--format", "json", "--all", "--origin", "a.pipe")
	s.answer("show", "show", "--format", "json", "t.pinsight")
	s.answer("show", "show", "--format", "json", "heat")
	s.answer("show", "show", "--fingerprint", "--format", "json", "a.pipe")
	s.answer("show", "show", "--fingerprint", "--format", "json", "heat")
	s.answer("run", "run", "--dry-run", "--format", "json", "a.pipe")
	s.answer("run", "run", "--dry-run", "--format", "json", "a.psdl")
	s.answer("run", "run", "--dry-run", "--format", "json", "heat")
	s.answer("data layout", "data", "layout", "--format", "json", "--target", "x86-64", "--target", "arm32", "tree.yml")
	s.answer("data decode", "data", "decode", "--format", "json", "--spec", "tree.yml", "--type", "pair", "memory.bin")
	s.answer("data eval", "data", "eval", "--format", "json", "2 * 21")
	s.answer("data eval", "data", "eval", "--format", "json", "a<b")
	s.answer("data eval", "data", "eval", "--format", "json", "--set", "list=[1.5, 1.0e400]", "$list")
	s.answer("target detect", "target", "detect", "--format", "json")
	s.answer("target compat", "target", "compat", "--format", "json", "x86-64-v2", "x86-64-v3")
	s.answer("target compat", "target", "compat", "--format", "json", "aarch64", "x86-64")
	s.answer("target compat", "target", "compat", "--meet", "--format", "json", "x86-64-v2", "x86-64-v3")
	s.answer("types list", "types", "list", "--format", "json")

	s.answer("trace report", "trace", "report", "--format", "json", "traced")
	s.answer("trace report", "trace", "report", "--format", "json", "--by", "call", "traced")
	s.answer("trace report", "trace", "report", "--format", "json", "--compare", "slower", "traced")
	s.answer("trace why", "trace", "why", "--format", "json", "traced")
	s.answer("trace query", "trace", "query", "traced", "at >= 0ns")
	region := []string{"trace", "decide", "--format", "json", "--region", "0x10", "t.pinsight", "--event"}
	s.answer("trace decide", append(region, "omp_work")...)
	s.answer("trace decide", append(region, "omp_work,omp_masked", "--unit", "MPI.rank=0-2")...)
	s.answer("trace decide", "trace", "decide", "--format", "json", "--all", "t.pinsight")
	s.answer("trace forecast", "trace", "forecast", "--record", "recorded", "--format", "json", "steps.pinsight")

	s.answer("run", "run", "--stats=json", "-o", "one", "a.pipe")
	s.answer("run", "run", "--stats=json", "-o", "two", "-s", "count:end=5", "a.pipe")
	s.ask("run", "a.psdl")
	s.answer("logs", "logs", "--format", "json")
	s.answer("ps", "ps", "--all", "--format", "json")
	s.answer("runs list", "runs", "list", "--format", "json")
	s.answer("runs show", "runs", "show", "--format", "json")
	s.ask("run", "-o", "three", "-s", "count:end=5", "a.pipe")
	s.answer("runs show", "runs", "show", "--format", "json")
	s.answer("runs diff", "runs", "diff", "--format", "json")
	s.answer("origin", "origin", "--format", "json", "one/numbers.txt")

	live := s.steerable(livePlate)
	s.answer("ps", "ps", "--format", "json")
	s.answer("control", "control", "stats", "--format", "json")
	s.answer("control", "control", "set", "--format", "json", "paint:high=60")
	s.answer("control", "control", "peek", "--format", "json", "paint.field")
	s.ask("stop")
	s.end(live, 130)

	skipped := "status" // `control status` needs a traced program
	t.Run("traced program", func(t *testing.T) {
		need.Slow(t)
		program := filepath.Join(t.TempDir(), "program")
		buildTraced(t, need.Compiler(t, "cc"), "faults.c", program, "-lpthread")
		skipped = ""
		r := startTraced(t, program)
		r.begun()
		r.file("count.txt", "[User.default]\n    trace_mode = MONITORING\n")
		if code, said := r.reload("count.txt"); code != 0 {
			t.Fatalf("the policy is not taken, exit %d: %s", code, said)
		}
		var out []byte
		r.wait("a region that is monitored", func() bool {
			out, _ = r.pentode("control", "status", "--format", "json").Output()
			return bytes.Contains(out, []byte(`"work"`))
		})
		s.holds("control", "control status", out)
		r.end()
	})

	for _, verb := range s.answering() {
		v := s.schema(verb)
		for i, shape := range v.shapes {
			if !v.seen[i] && (skipped == "" || shape.title != skipped) {
				t.Errorf("no answer of `%s` %s was tried", verb, shape.title)
			}
		}
	}
}

// TestEveryJSONHasSchema: each verb with --format json has a schema, and is therefore tested by TestJSONAnswers.
func TestEveryJSONHasSchema(t *testing.T) {
	s := &jsonBench{bench: newBench(t)}
	verbs := s.answering()
	seen := 0
	var walk func(*cobra.Command)
	walk = func(verb *cobra.Command) {
		for _, sub := range verb.Commands() {
			walk(sub)
		}
		name := strings.TrimPrefix(verb.CommandPath(), "pentode ")
		verb.Flags().VisitAll(func(f *pflag.Flag) {
			values, _ := pflag.UnquoteUsage(f)
			if !slices.Contains(strings.Split(values, "|"), "json") || name == "schema" { // `schema` prints schemas themselves
				return
			}
			seen++
			if !slices.Contains(verbs, name) {
				t.Errorf("`pentode %s --%s json` has no schema: add its type to the answers of `schema --of`", name, f.Name)
			}
		})
	}
	walk(cli.Command())
	if seen < 20 {
		t.Errorf("%d flags offer JSON, expected at least 20", seen)
	}
}

// TestSchemaOf: `schema --of` with an unknown verb lists the verbs that print JSON.
func TestSchemaOf(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--of", "runs dif"}, "`runs dif` prints no JSON; did you mean `runs diff`?; these verbs do: check, show, run, "},
		{[]string{"--of", "fmt"}, "`fmt` prints no JSON; these verbs do: check, "},
		{[]string{"--of", ""}, "`` prints no JSON; these verbs do: check, "},
		{[]string{"--of", "check", "pdi"}, "`check pdi` prints no JSON; these verbs do: check, "},
		{nil, "expected `pentode schema LANGUAGE | --of VERB`, but found no arguments"},
		{[]string{"--of", "check", "--format", "markdown"}, "there is no reference for the output of a verb: leave --format out"},
	} {
		if code, out := b.code(append([]string{"schema"}, c.args...)...); code != 2 || !strings.Contains(out, c.want) {
			t.Errorf("schema %q: exit %d, %s\nwant exit 2 and %q", c.args, code, out, c.want)
		}
	}
	for _, verb := range [][]string{{"trace report"}, {"pentode trace  report"}, {"trace", "report"}} {
		if out := b.ask(append([]string{"schema", "--of"}, verb...)...); !strings.HasPrefix(out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": \"pentode trace report\",\n") {
			t.Errorf("schema --of %q begins with %.200s", verb, out)
		}
	}
}

// TestShapesInDocs: each field name in docs/interface.md exists in the schema of its verb.
func TestShapesInDocs(t *testing.T) {
	b := newBench(t)
	page, err := os.ReadFile(filepath.Join(golden.Root(t), "docs", "interface.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| answer | shape |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if len(rows) < 5 {
		t.Fatalf("the table has %d rows, want at least 5", len(rows))
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	for _, row := range rows {
		words := quoted.FindAllStringSubmatch(row, -1)
		verb, _, _ := strings.Cut(words[0][1], " --")
		schema := b.ask("schema", "--of", verb)
		for _, word := range words[1:] {
			if !strings.Contains(schema, strconv.Quote(word[1])) {
				t.Errorf("`%s` is not in the schema of `%s`, but in this row: %s", word[1], verb, row)
			}
		}
	}
}

// livePlate is a pipeline that does not end by itself.
const livePlate = `process plate :: heat
  rows  = 16
  cols  = 16
  steps = 1000000000000
process paint :: colormap
process view :: image_viewer
connect from plate.field to paint.field
connect from paint.image to view.image
`

// jsonBench validates JSON output against the schemas of the verbs.
type jsonBench struct {
	*bench
	verbs map[string]*verbSchema
}

// verbSchema is the output of `schema --of` for a verb.
type verbSchema struct {
	whole  *jsonschema.Schema
	shapes []jsonShape
	seen   []bool
	lines  bool
}

type jsonShape struct {
	title  string
	schema *jsonschema.Schema
}

// files writes the files that the verbs read. Their names and texts contain <, > and &, which JSON output must not
// escape.
func (s *jsonBench) files() {
	s.t.Helper()
	for name, text := range map[string]string{
		"a.pipe":         "process count :: numbers\n  start = 1\n  end = 3\nprocess lines :: text_write\n  file_name = numbers.txt\nconnect from count.number to lines.text\n",
		"bad.pipe":       "process n :: num<&>\n  end = <a>\n",
		"a.psdl":         "process { name \"p\"; command \"./p.sh\"; host \"localhost\"; daemon \"sleep 60\"; }\n",
		"p.sh":           "#!/bin/sh\necho '<a> & b'\nprintf 'no \\377 text\\n'\n",
		"t.pinsight":     "[Lexgion(<a>)]\n    omp_work = on\n[Lexgion(0x10)] : : MPI.rank(2)\n    tracing_rate = 10\n",
		"steps.pinsight": "[Lexgion.default]\n    tracing_rate = 3\n[Lexgion(User:<step>)] : : MPI.rank(0)\n",
		"tree.yml":       "types: {pair: {type: struct, members: [{c: {type: array, subtype: char, size: 3}}, {d: double}]}}\ndata: {pair: pair}\n",
		"memory.bin":     "<a>\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0\x7f", // d is infinite
	} {
		s.file(name, text)
	}
	if err := os.CopyFS(filepath.Join(s.dir, "heat"), os.DirFS(filepath.Join(golden.Root(s.t), "examples", "heat"))); err != nil {
		s.t.Fatal(err)
	}
	const first = "place 0x30 exchange<int> /src/halo.c:7\nrank 0\n0ms MPI_Recv_begin mpi_codeptr=0x30 source=1 bytes=2000\n4ms MPI_Recv_end mpi_codeptr=0x30 source=1 bytes=1500\n" +
		"5ms region_begin name=<b>bold\n6ms region_end name=<b>bold\nrank 1\n0ms region_begin name=step\n3ms MPI_Send_begin dest=0 bytes=1500\n4ms MPI_Send_end\n6ms region_end name=step\n"
	for dir, text := range map[string]string{
		"traced":   first,
		"slower":   "rank 0\n0ms region_begin name=step\n12ms region_end name=step\n",
		"recorded": "rank 0\n0s clock end=0\n1ms region_begin name=<step> execution=0\n2ms region_end name=<step> execution=0\n",
	} {
		if err := played.Write(filepath.Join(s.dir, dir), text); err != nil {
			s.t.Fatal(err)
		}
	}
	s.file("recorded/trace_config.txt", "")
}

// answering returns the verbs that print JSON.
func (s *jsonBench) answering() []string {
	s.t.Helper()
	_, said := s.code("schema", "--of", "")
	_, list, ok := strings.Cut(strings.TrimSpace(said), "these verbs do: ")
	if !ok {
		s.t.Fatalf("the verbs are not listed: %s", said)
	}
	return strings.Split(list, ", ")
}

// schema returns the schema of a verb's output.
func (s *jsonBench) schema(verb string) *verbSchema {
	s.t.Helper()
	if v := s.verbs[verb]; v != nil {
		return v
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(s.ask("schema", "--of", verb)))
	if err != nil {
		s.t.Fatal(err)
	}
	top := document.(map[string]any)
	compile := func(part string) *jsonschema.Schema {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("mem:///answer.json", document); err != nil {
			s.t.Fatal(err)
		}
		compiled, err := c.Compile("mem:///answer.json" + part)
		if err != nil {
			s.t.Fatalf("the schema of %s: %v", verb, err)
		}
		return compiled
	}
	title, _ := top["title"].(string)
	v := &verbSchema{whole: compile(""), lines: strings.HasPrefix(title, "A line of ")}
	parts, several := top["anyOf"].([]any)
	for i := range parts {
		part := parts[i].(map[string]any)
		title, _ := part["title"].(string)
		v.shapes = append(v.shapes, jsonShape{title, compile(fmt.Sprintf("#/anyOf/%d", i))})
	}
	if !several {
		v.shapes = []jsonShape{{"", v.whole}}
	}
	v.seen = make([]bool, len(v.shapes))
	s.verbs[verb] = v
	return v
}

// answer runs a verb and validates its output.
func (s *jsonBench) answer(verb string, args ...string) {
	s.t.Helper()
	cmd := s.command(args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if code := exitOf(s.t, err); code > 1 || len(out) == 0 {
		s.t.Errorf("pentode %s: exit %d, no answer: %s", strings.Join(args, " "), code, &errs)
		return
	}
	s.holds(verb, strings.Join(args, " "), out)
}

// holds validates the output of a verb against its schema.
func (s *jsonBench) holds(verb, command string, answer []byte) {
	s.t.Helper()
	v := s.schema(verb)
	if bytes.Contains(answer, []byte(`\u003`)) || bytes.Contains(answer, []byte(`\u0026`)) {
		s.t.Errorf("pentode %s: signs of HTML are escaped: %s", command, answer)
	}
	isFile := verb == "types list" || verb == "target detect" || strings.Contains(command, "--meet") // these print a file format, which has no version field
	if !v.lines && !isFile && !bytes.HasPrefix(answer, []byte("{\n  \"version\": 1,\n")) {
		s.t.Errorf("pentode %s begins with %.40q, want {\"version\": 1", command, answer)
	}
	objects := [][]byte{answer}
	if v.lines {
		objects = bytes.Split(bytes.TrimSpace(answer), []byte("\n"))
	}
	for _, text := range objects {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			s.t.Errorf("pentode %s: %v\n%s", command, err, text)
			continue
		}
		fits := 0
		for i := range v.shapes {
			if v.shapes[i].schema.Validate(value) == nil {
				v.seen[i] = true
				fits++
			}
		}
		if fits != 1 {
			s.t.Errorf("pentode %s is %d of the %d answers of `schema --of %q`, want one: %v\n%s", command, fits, len(v.shapes), verb, v.whole.Validate(value), text)
		}
	}
}
