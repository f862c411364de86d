package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

func open(t testing.TB, text string) *recorded.Trace {
	t.Helper()
	dir := t.TempDir()
	if err := played.Write(dir, text); err != nil {
		t.Fatal(err)
	}
	trace, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

const places = `
place 0x10 relax /src/heat.c:12
place 0x20 relax /src/heat.c:20
place 0x30 exchange /src/halo.c:7
`

// sample has two ranks and a device: the program's own regions, parallel regions at two places, MPI calls, a
// kernel, an event outside of executions, and a region without an end.
const sample = places + `
rank 1
1000ns region_begin name=step
1100ns parallel_begin parallel_codeptr=0x10
1200ns MPI_other_begin function=MPI_Ibarrier mpi_codeptr=0x30
1250ns MPI_other_end function=MPI_Ibarrier mpi_codeptr=0x30
1900ns parallel_end parallel_codeptr=0x10
2001us region_end name=step
2001us mark name=half

rank 2 thread 5
1500ns MPI_Send_begin dest=1
2500ns MPI_Send_end
2600ns parallel_begin parallel_codeptr=0x20
2700ns parallel_end parallel_codeptr=0x20
2800ns region_begin name=cut

rank 2 thread 6
3000ns cudaKernelActivity kernelName=axpy start_gpu=70 end_gpu=170
3500ns cudaMemcpyActivity start_gpu=570 end_gpu=580
`

const all = `at >= 0ns`

// asked returns the regions of the rows that meet a condition.
func asked(t *testing.T, trace *recorded.Trace, condition string) (got []string) {
	t.Helper()
	q, err := Parse(condition)
	if err != nil {
		t.Fatalf("%s: %v", condition, err)
	}
	var out strings.Builder
	n, err := q.Run(&out, trace)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var row struct{ Region string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		name, _, _ := strings.Cut(row.Region, " in ")
		got = append(got, name)
	}
	if int(n) != len(got) {
		t.Errorf("%s: %d rows, and %d lines; want %v", condition, n, len(got), len(got))
	}
	return got
}

// Queries may use all columns and signs, and join tests in all ways.
func TestConditions(t *testing.T) {
	trace := open(t, sample)
	everything := []string{"MPI_other halo.c:7", "parallel heat.c:12", "step", "half", "MPI_Send", "parallel heat.c:20", "cut", "axpy", "cudaMemcpy"}
	for _, c := range []struct {
		condition string
		want      []string
	}{
		{all, everything},
		{`region = "step"`, []string{"step"}},
		{`region != "step"`, []string{"MPI_other halo.c:7", "parallel heat.c:12", "half", "MPI_Send", "parallel heat.c:20", "cut", "axpy", "cudaMemcpy"}},
		{`region ~ "heat.c:[0-9]*2 "`, []string{"parallel heat.c:12"}},
		{`region ~ 'relax' and dur > 100ns`, []string{"parallel heat.c:12"}},
		{`region !~ "^(p|M|c)"`, []string{"step", "half", "axpy"}},
		{`function = "relax"`, []string{"parallel heat.c:12", "parallel heat.c:20"}},
		{`not function = "relax"`, []string{"MPI_other halo.c:7", "step", "half", "MPI_Send", "cut", "axpy", "cudaMemcpy"}},
		{`function != "relax"`, []string{"MPI_other halo.c:7"}},
		{`call in "MPI_Ibarrier", "MPI_Send"`, []string{"MPI_other halo.c:7", "MPI_Send"}},
		{`call = "MPI_other"`, nil},
		{`kernel ~ ""`, []string{"axpy"}},
		{`event ~ ":region_begin$"`, []string{"step", "cut"}},
		{`event = "pentode:mark"`, []string{"half"}},
		{`file ~ "halo" and line = 7`, []string{"MPI_other halo.c:7"}},
		{`line in 10-15, 20`, []string{"parallel heat.c:12", "parallel heat.c:20"}},
		{`dur > 1ms`, []string{"step"}},
		{`dur >= 0.002s`, []string{"step"}},
		{`dur < 51ns`, []string{"MPI_other halo.c:7", "cudaMemcpy"}},
		{`dur <= 50ns`, []string{"MPI_other halo.c:7", "cudaMemcpy"}},
		{`dur != 2ms`, []string{"MPI_other halo.c:7", "parallel heat.c:12", "MPI_Send", "parallel heat.c:20", "axpy", "cudaMemcpy"}},
		{`dur in 100ns, 800ns-1us`, []string{"parallel heat.c:12", "MPI_Send", "parallel heat.c:20", "axpy"}},
		{`self = 750ns`, []string{"parallel heat.c:12"}},
		{`at = 500ns`, []string{"MPI_Send"}},
		{`rank in 0-1`, []string{"MPI_other halo.c:7", "parallel heat.c:12", "step", "half"}},
		{`thread = 5`, []string{"MPI_Send", "parallel heat.c:20", "cut"}},
		{`pid = 102 and not (thread = 6 or dur = 100ns)`, []string{"MPI_Send", "cut"}},
		{`host = "node" and rank = 1 or thread = 6 and at = 2us`, []string{"MPI_other halo.c:7", "parallel heat.c:12", "step", "half", "axpy"}},
		{`dur > 9223372036854775807ns`, nil},
		{`host = "it's \"far\""`, nil},
	} {
		if diff := cmp.Diff(c.want, asked(t, trace, c.condition)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.condition, diff)
		}
	}
}

// A line has every column of the row.
func TestLine(t *testing.T) {
	for condition, want := range map[string]string{
		`line = 12`:       `{"at_ns":100,"dur_ns":800,"self_ns":750,"region":"parallel heat.c:12 in ` + "`relax`" + `","function":"relax","event":"ompt_pinsight_lttng_ust:parallel_begin","file":"/src/heat.c","line":12,"rank":1,"thread":0,"pid":101,"host":"node"}`,
		`call ~ "Send"`:   `{"at_ns":500,"dur_ns":1000,"self_ns":1000,"region":"MPI_Send","call":"MPI_Send","event":"pmpi_pinsight_lttng_ust:MPI_Send_begin","rank":2,"thread":5,"pid":102,"host":"node"}`,
		`region = "half"`: `{"at_ns":2000000,"region":"half","event":"pentode:mark","rank":1,"thread":0,"pid":101,"host":"node"}`,
		`region = "cut"`:  `{"at_ns":1800,"region":"cut","event":"pentode:region_begin","rank":2,"thread":5,"pid":102,"host":"node"}`,
		`kernel = "axpy"`: `{"at_ns":2000,"dur_ns":100,"self_ns":100,"region":"axpy","kernel":"axpy","event":"cupti_pinsight_lttng_ust:cudaKernelActivity","rank":2,"thread":6,"pid":102,"host":"node"}`,
	} {
		q, err := Parse(condition)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if _, err := q.Run(&out, open(t, sample)); err != nil || out.String() != want+"\n" {
			t.Errorf("%s: %v\n%swant\n%s", condition, err, out.String(), want)
		}
	}
}

// An error is reported at its position, with advice.
func TestWrong(t *testing.T) {
	for _, c := range []struct{ condition, at, message, help string }{
		{`regoin ~ "relax"`, "regoin", "there is no column `regoin`", "did you mean `region`?"},
		{`bananas = 3`, "bananas", "there is no column `bananas`", "the columns are at, dur, self,"},
		{`dur > 5`, "5", "`5` has no unit", "write `5ns`, `5us`, `5ms` or `5s`"},
		{`dur > 5parsec`, "5parsec", "`dur` is a time, but `5parsec` is not", "a time has a unit"},
		{`dur > "5ms"`, `"5ms"`, "`dur` is a time, but `\"5ms\"` is not", "a time has a unit"},
		{`rank > 5ms`, "5ms", "`rank` is a number, but `5ms` is not", "a number has digits only"},
		{`rank = 99999999999999999999`, "99999999999999999999", "is a number, but", ""},
		{`rank ~ "3"`, "~", "`rank` is a number, which `~` cannot compare", "its signs are = != < <= > >= in"},
		{`region < "x"`, "<", "`region` is a text, which `<` cannot compare", "its signs are = != ~ !~ in"},
		{`region = relax`, "relax", "`region` is a text, but `relax` is not", `write "relax"`},
		{`region = 3`, "3", "`region` is a text, but `3` is not", `write "3"`},
		{`region "x"`, `"x"`, "a sign is expected after `region`", "its signs are"},
		{`region =`, "", "`region` is a text, but the end of the query is not", "write a text in quotes"},
		{`region ~ "a("`, `"a("`, "`a(` is not a regular expression: missing closing )", "a backslash"},
		{`region == "x"`, "==", "queries have no sign `==`", "write `=`"},
		{`rank = 1 && rank = 2`, "&&", "queries have no sign `&&`", "write `and`"},
		{`! rank = 1`, "!", "queries have no sign `!`", "write `not`"},
		{`rank = 1 adn rank = 2`, "adn", "`adn` cannot follow a test", "did you mean `and`?"},
		{`rank = 1 rank = 2`, "rank", "`rank` cannot follow a test", "join two tests"},
		{`rank = 1)`, ")", "this bracket was not opened", "remove it"},
		{`(rank = 1`, "(", "this bracket is not closed", "write `)`"},
		{`(rank = 1 rank`, "rank", "`rank` cannot follow a test", "close the bracket"},
		{`rank in 3-1`, "3-1", "this range runs backwards", "the smaller one first"},
		{`rank in 1,`, "", "`rank` is a number, but the end of the query is not", ""},
		{`rank = -1`, "-", "`rank` is a number, but `-` is not", ""},
		{`region = "x`, `"x`, "this text has no end", `close it with "`},
		{`rank = 1 and`, "", "a column is expected here, not the end of the query", "the columns are"},
		{`rank = 1 ; rm`, ";", "`;` has no meaning here", "write texts in quotes"},
		{``, "", "the query is empty", "such as `dur > 1ms`"},
		{strings.Repeat("(", 101) + "rank = 1", "(", "are nested more than 100 deep", ""},
		{strings.Repeat(" ", maxText+1), "", "the query has 65537 bytes; the limit is 65536", ""},
	} {
		_, err := Parse(c.condition)
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%.60q is not refused: %v", c.condition, err)
			continue
		}
		if at := c.condition[wrong.Start:wrong.End]; at != c.at || !strings.Contains(wrong.Message, c.message) || !strings.Contains(wrong.Help, c.help) {
			t.Errorf("%.60q: at %q %q, help %q; want at = %v, %q in wrong.Message and %q in wrong.Help", c.condition, at, wrong.Message, wrong.Help, c.at, c.message, c.help)
		}
	}
}

// FuzzParse: a text is a condition or gives an error with a position in it; a condition and its opposite never agree.
func FuzzParse(f *testing.F) {
	for _, s := range []string{all, `region ~ "relax" and dur > 1ms and rank in 0-3`, `not (call in "a", 'b\'') or at <= 1h2m`, `dur >= .5µs`, "rank = \xff", `region !~ "("`} {
		f.Add(s)
	}
	thread := &recorded.Thread{Process: &recorded.Process{Rank: 2}, Number: -1}
	var rows []*row
	if err := open(f, sample).Walk(recorded.Handler{Leave: func(t *recorded.Thread, fr *recorded.Frame, end int64, whole bool, _ *recorded.Event) error {
		frame := *fr // the next frame overwrites this one
		rows = append(rows, &row{thread: thread, kind: fr.Kind, region: fr.Region, frame: &frame, took: end - fr.Begin, ended: whole, titles: map[[2]string]string{}})
		return nil
	}}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, condition string) {
		q, err := Parse(condition)
		var wrong *Error
		if errors.As(err, &wrong) {
			if wrong.Start < 0 || wrong.End < wrong.Start || wrong.End > len(condition) || wrong.Message == "" {
				t.Fatalf("%+v, want a message, and a place within the %d bytes", wrong, len(condition))
			}
			return
		}
		meets, opposite := q.root.compile(), negation{q.root}.compile()
		for _, r := range rows {
			if meets(r) == opposite(r) {
				t.Errorf("%s and its opposite agree, want one of them met", condition)
			}
		}
	})
}

// many returns a thread with a number of parallel regions.
func many(regions int) string {
	var b strings.Builder
	b.WriteString(places + "rank 1\n")
	for i := range regions {
		code := 0x10 + 0x10*(i%2)
		fmt.Fprintf(&b, "%dns parallel_begin parallel_codeptr=%d\n%dns parallel_end parallel_codeptr=%d\n", 10*i, code, 10*i+5+i%3, code)
	}
	return b.String()
}

const typical = `region ~ "relax" and dur > 5ns and rank in 0-3`

// No memory is allocated per row, even for written rows.
func TestRunAllocates(t *testing.T) {
	q, err := Parse(typical)
	if err != nil {
		t.Fatal(err)
	}
	var allocs []float64
	for _, regions := range []int{100, 5000} {
		trace := open(t, many(regions))
		allocs = append(allocs, testing.AllocsPerRun(2, func() {
			if n, err := q.Run(io.Discard, trace); err != nil || n == 0 {
				t.Fatal(n, err)
			}
		}))
	}
	if allocs[1] > allocs[0]+60 { // the buffer grows step by step
		t.Errorf("%.0f allocations for 100 regions, %.0f for 5000; want at most %v", allocs[0], allocs[1], allocs[0]+60)
	}
}

// BenchmarkRun runs queries that select few and many rows of a trace of four threads with PENTODE_EVENTS events.
func BenchmarkRun(b *testing.B) {
	dir, events := b.TempDir(), played.Events()
	if err := played.Large(dir, events); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, condition string }{{"few", `region ~ "parallel" and dur > 100ns and at < 1us`}, {"many", `region ~ "parallel" and dur > 100ns`}} {
		b.Run(c.name, func(b *testing.B) {
			q, err := Parse(c.condition)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				t, err := recorded.Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				if n, err := q.Run(io.Discard, t); err != nil || n == 0 {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events*b.N), "ns/event")
		})
	}
}

func ExampleParse() {
	_, err := Parse(`dur > 5`)
	fmt.Println(err)
	// Output: `5` has no unit: write `5ns`, `5us`, `5ms` or `5s`
}
