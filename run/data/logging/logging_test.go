package logging

import (
	"strings"
	"testing"
	"time"
)

func TestPattern(t *testing.T) {
	at := time.Date(2026, 3, 5, 14, 7, 9, 42_001_003, time.UTC)
	entry := Entry{Time: at, Level: Warn, Name: "PDI", Text: "hi", last: at.Add(-1500 * time.Millisecond)}
	for _, c := range []struct{ pattern, want string }{
		{DefaultPattern, "[14:07:09][PDI] *** warning: hi"},
		{"%v", "hi"},
		{"", ""},
		{"100%% %v", "100% hi"},
		{"%8n|%-8n|%=8n|%2!n|%2n", "     PDI|PDI     |  PDI   |PD|PDI"},
		{"%L %l", "W warning"},
		{"%Y-%m-%d %H:%M:%S.%e %f %F", "2026-03-05 14:07:09.042 042001 042001003"},
		{"%a %A %b %B %I %p %r %R %D %C", "Thu Thursday Mar March 02 PM 02:07:09 PM 14:07 03/05/26 26"},
		{"%c", "Thu Mar  5 14:07:09 2026"},
		{"%z", "+00:00"},
		{"%E", "1772719629"},
		{"%u %i %o %O", "1500000000 1500000 1500 1"},
		{"%Q%v", "%Qhi"},
		{"[%s:%#] %v", "[:] hi"},
		{"%+", "[2026-03-05 14:07:09.042] [PDI] [warning] hi"},
		{"%v %", "hi "},
		{"%v %-12", "hi "},
		{"%999v", strings.Repeat(" ", 62) + "hi"},
	} {
		if got := string(Compile(c.pattern).Append(nil, &entry, false)); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.pattern, got, c.want)
		}
	}
	if got := string(Compile("%^%l%$").Append(nil, &entry, true)); got != "\x1b[33m\x1b[1mwarning\x1b[m" {
		t.Errorf("with colour: %q, want %q", got, "\x1b[33m\x1b[1mwarning\x1b[m")
	}
}

func TestLogger(t *testing.T) {
	var out strings.Builder
	l := &Logger{Name: "PDI", Level: Info, Pattern: Compile("%n %l %v"), Sinks: []Sink{{Writer: &out}}}
	l.Debug("not %d", 1)
	l.Info("yes %d", 2)
	child := l.Named("Trace")
	child.Level = Off
	child.Error("never")
	child.Level = Trace
	child.Trace("seen")
	(*Logger)(nil).Error("nobody hears")
	if want := "PDI info yes 2\nTrace trace seen\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func FuzzPattern(f *testing.F) {
	f.Add(DefaultPattern)
	f.Add("%-8!v%=3l%")
	e := Entry{Time: time.Unix(0, 0), Level: Error, Name: "é", Text: "日本"}
	f.Fuzz(func(t *testing.T, pattern string) {
		got := Compile(pattern).Append(nil, &e, true)
		if len(got) > 100*(len(pattern)+1) {
			t.Errorf("%q grew to %d bytes, want at most %v", pattern, len(got), 100*(len(pattern)+1))
		}
	})
}
