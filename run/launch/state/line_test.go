package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"
)

// stampedRun is a run whose common log has lines of three nodes, ten seconds apart.
func stampedRun(t *testing.T) *Dir {
	t.Helper()
	d, err := Create(t.TempDir(), Run{ID: "r", Started: time.Now(), Nodes: []Node{{ID: "a"}, {ID: "long name"}, {ID: "a | b"}}})
	if err != nil {
		t.Fatal(err)
	}
	labels := Labels(d.Run.IDs())
	at := time.Date(2026, 3, 4, 5, 6, 0, 8000, time.UTC)
	var log []byte
	for i, line := range []struct {
		node         int
		stream, text string
	}{{0, "out", "one"}, {1, "err", "error: two | three"}, {2, "out", "b | four"}, {0, "out", "\xff five\r"}, {0, "err", ""}} {
		log = AppendStamp(log, at.Add(time.Duration(i)*10*time.Second), line.stream)
		log = append(append(log, labels[line.node]...), line.text+"\n"...)
	}
	if err := os.WriteFile(d.LogFile("", ""), log, 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestQuery: lines are selected by node, time and text, and written plainly, with their time, or as JSON with every byte.
func TestQuery(t *testing.T) {
	d := stampedRun(t)
	for _, c := range []struct {
		query Query
		want  string
	}{
		{Query{}, "a         | one\nlong name | error: two | three\na | b     | b | four\na         | \xff five\r\na         | \n"},
		{Query{Node: "a", Form: Stamped}, "2026-03-04T05:06:00.000008Z one\n2026-03-04T05:06:30.000008Z \xff five\r\n2026-03-04T05:06:40.000008Z \n"},
		{Query{Node: "a | b", Form: Stamped}, "2026-03-04T05:06:20.000008Z b | four\n"},
		{Query{Since: time.Date(2026, 3, 4, 7, 6, 30, 8000, time.FixedZone("", 7200))}, "a         | \xff five\r\na         | \n"},
		{Query{Grep: regexp.MustCompile("three$|five$")}, "long name | error: two | three\na         | \xff five\r\n"},
		{Query{Grep: regexp.MustCompile("^a")}, ""},
		{Query{Node: "a", Grep: regexp.MustCompile("^$"), Form: JSON}, `{"time":"2026-03-04T05:06:40.000008Z","node":"a","stream":"err","text":""}` + "\n"},
		{Query{Node: "long name", Form: JSON}, `{"time":"2026-03-04T05:06:10.000008Z","node":"long name","stream":"err","text":"error: two | three"}` + "\n"},
		{Query{Grep: regexp.MustCompile("five"), Form: JSON}, `{"time":"2026-03-04T05:06:30.000008Z","node":"a","stream":"out","text":"","bytes":"/yBmaXZlDQ=="}` + "\n"},
	} {
		var got strings.Builder
		if err := d.Logs(t.Context(), &got, c.query); err != nil || got.String() != c.want {
			t.Errorf("%+v: %v\n%s\nwant\n%s", c.query, err, got.String(), c.want)
		}
	}
}

// TestQueryDivided: the lines are the same however the log is split; lines that are not from a program are passed on.
func TestQueryDivided(t *testing.T) {
	d := stampedRun(t)
	log, err := os.ReadFile(d.LogFile("", ""))
	if err != nil {
		t.Fatal(err)
	}
	log = append([]byte("(a piece of this log was dropped before it could be read)\n"), log...)
	log = append(log, "2026-03-04T05:06:50.000008Z out a         | unfinished"...)
	for _, form := range []Form{Plain, Stamped, JSON} {
		var want, got bytes.Buffer
		for to, from := range map[*bytes.Buffer]io.Reader{&want: bytes.NewReader(log), &got: iotest.OneByteReader(bytes.NewReader(log))} {
			l := newLineWriter(to, d.Run.IDs(), Query{Form: form})
			if _, err := io.Copy(struct{ io.Writer }{l}, struct{ io.Reader }{from}); err != nil {
				t.Fatal(err)
			}
			if err := l.end(); err != nil {
				t.Fatal(err)
			}
		}
		if want.String() != got.String() || bytes.Count(got.Bytes(), []byte("\n")) != 7 || !strings.Contains(got.String(), "was dropped") {
			t.Errorf("%q:\n%s\nwant\n%s", form, &got, &want)
		}
	}
}

// TestQueryExact: JSON has every byte of every line, whatever the names of programs and the content of lines.
func TestQueryExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab |]{1,30}`), 1, 4, rapid.ID).Draw(t, "ids")
		labels := Labels(ids)
		for i, a := range labels {
			for k, b := range labels {
				if i != k && strings.HasPrefix(b, a) {
					t.Skip("a name that begins like the line of another")
				}
			}
		}
		node := rapid.IntRange(0, len(ids)-1).Draw(t, "node")
		text := string(rapid.SliceOf(rapid.Byte()).Filter(func(b []byte) bool { return bytes.IndexByte(b, '\n') < 0 }).Draw(t, "text"))
		var got strings.Builder
		l := newLineWriter(&got, ids, Query{Form: JSON})
		fmt.Fprintf(l, "%s%s%s\n", AppendStamp(nil, time.Unix(0, 0), "out"), labels[node], text)
		var line JSONLine
		if err := json.Unmarshal([]byte(got.String()), &line); err != nil || line.Node != ids[node] || line.Text+string(line.Bytes) != text {
			t.Fatalf("%q of %q: %v, %s", text, ids[node], err, got.String())
		}
	})
}

func BenchmarkQuery(b *testing.B) {
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprintf("node.%d", i)
	}
	labels := Labels(ids)
	var log []byte
	for i := range 1000 {
		log = AppendStamp(log, time.Unix(int64(i), 0), "out")
		log = fmt.Appendf(log, "%sthis is line number %d of some program\n", labels[i], i)
	}
	l := newLineWriter(io.Discard, ids, Query{Node: "node.7", Since: time.Unix(1, 0)})
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		l.Write(log)
	}
}
