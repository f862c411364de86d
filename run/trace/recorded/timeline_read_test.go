package recorded

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// events returns the events of a text, and whether it is damaged.
func events(text string, read func(text string, add func(*chromeEvent)) bool) (list []chromeEvent, damaged bool) {
	damaged = read(text, func(e *chromeEvent) {
		if *e != (chromeEvent{}) { // an empty event is ignored
			list = append(list, *e)
		}
	})
	return list, damaged
}

// FuzzEvents: whatever its line breaks, a list of events is read as by the reader of general JSON.
func FuzzEvents(f *testing.F) {
	list := strings.TrimPrefix(joined, `{"displayTimeUnit":"ns","traceEvents":`)
	f.Add(list + "\n]}\n")
	f.Add(list[:len(list)-20])
	for _, line := range []string{
		`{"name":"a","ts":1,"dur":0.5,"pid":-3,"tid":12}`, `{"name":"\u0061\n","ts":1e3}`, `{"NAME":"a","Pid":2}`, `{"pid":1.5,"tid":99999999999999999999}`, `{"args":{"step":-1,"mpirank":0}}`,
		`{"args":{"mpirank":null}}`, `{"name":"é","cat":"` + "\xff" + `"}`, `{"ts":01}`, `{"ts":-}`, `{"ts":1.}`, `{"ts":-0.5,"dur":0}`, `{"id":"0x1","bp":"e","s":[1]}`, `{ "name" : "a" }`, `{"name":"a"} `, `null`, `1`, `"a"`, `{}`, `{"a":1,}`,
		`{"name":"a"}{"name":"b"}`, `{"name":"a"},{"name":"b"}`, "{\"name\":\"a\"}\v", "{\"name\":\n\"a\"}", `{"args":1,"name":"b"}`, `{"args":{"data":3},"args":{"edge":"x"}}`, `{"name":"` + strings.Repeat("x", 70_000) + `"}`,
	} {
		for _, form := range []string{"[\n%s\n]", "[\n%[1]s,\n%[1]s\n]\n", "[%s,\n\n{\"name\":\"z\"}\n]", "[\n%s\n{\"name\":\"z\"}]", "[\n%s,\n]", "[\n%s\n,{\"name\":\"z\"}", "[\n%s,"} {
			f.Add(fmt.Sprintf(form, line))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.HasPrefix(text, "[") {
			t.Skip("no list")
		}
		got, damaged := events(text, func(text string, add func(*chromeEvent)) bool {
			_, at := readEvents(strings.NewReader(text), add)
			if at > int64(len(text)) {
				t.Errorf("the damage is at byte %d of %d, want at most %v", at, len(text), int64(len(text)))
			}
			return at >= 0
		})
		want, expected := events(text, func(text string, add func(*chromeEvent)) bool { return readAny(strings.NewReader(text), add) >= 0 })
		if !reflect.DeepEqual(got, want) || damaged != expected {
			t.Errorf("damaged %v, want %v, -want +got:\n%s", damaged, expected, cmp.Diff(want, got))
		}
	})
}

// TestQuickEvents: the fast reader reads everything that we write.
func TestQuickEvents(t *testing.T) {
	for line := range strings.Lines(joined) {
		line = strings.TrimRight(line, ",\n")
		if e := new(chromeEvent); strings.HasPrefix(line, `{"name"`) && !strings.Contains(line, `"other"`) && !e.quick([]byte(line), new(texts)) {
			t.Errorf("%s is not read quickly, want it read so", line)
		}
	}
}

// BenchmarkReadEvents reads a file in the form that we write.
func BenchmarkReadEvents(b *testing.B) {
	var text strings.Builder
	text.WriteString("[")
	for i := range 1000 {
		fmt.Fprintf(&text, "\n"+`{"name":"solver step %d","cat":"flow_step","ph":"X","pid":1,"tid":1,"ts":%d.250,"dur":40.125,"args":{"step":%[1]d}},`, i, 100*i)
		fmt.Fprintf(&text, "\n"+`{"name":"solver.field → paint.field","cat":"flow_push","ph":"C","pid":1,"tid":1,"ts":%d.500,"args":{"data":%d}},`, 100*i, i%7)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		readEvents(strings.NewReader(text.String()), func(*chromeEvent) {})
	}
}
