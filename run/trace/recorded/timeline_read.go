package recorded

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// chromeEvent is an event of the file.
type chromeEvent struct {
	Name, Cat, Ph string
	Pid, Tid      int64
	Ts, Dur       moment
	Args          chromeArgs
}

// moment is a time in nanoseconds; in the file it is in microseconds.
type moment int64

func (m *moment) UnmarshalJSON(text []byte) error {
	*m = nanoseconds(string(bytes.Trim(text, `"`)))
	return nil
}

// nanoseconds parses a time; an invalid one counts as 0.
func nanoseconds(text string) moment {
	whole, part, _ := strings.Cut(text, ".")
	us, err := strconv.ParseInt(whole, 10, 64)
	if len(part) <= 3 && err == nil && us < 1<<50 {
		rest, err := strconv.ParseInt((part + "000")[:3], 10, 64)
		if err == nil && !strings.HasPrefix(whole, "-") {
			return moment(1000*us + rest)
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f > 1<<50 || f < -1<<50 {
		return 0
	}
	return moment(1000 * f)
}

type chromeArgs struct {
	Name, Place, Edge string
	Step              uint64
	Data              json.Number // of a counter
	MPIRank           *int        `json:"mpirank"`
}

// readEvents calls add with each event of a file; the event is valid during the call. It returns whether the file has a list of events, and the
// byte at which it stops being JSON, or -1 if it is valid or cut off.
//
// Our own files have one event per line, with little variation in form, and such lines are read by a fast reader. For anything else readEvents
// uses a reader of general JSON.
func readEvents(f io.Reader, add func(*chromeEvent)) (found bool, damaged int64) {
	in := json.NewDecoder(f)
	if !toEvents(in) {
		return false, -1
	}
	at := in.InputOffset()
	lines := bufio.NewReaderSize(io.MultiReader(in.Buffered(), f), 1<<16)
	before := "[" // the text read so far, as short as possible
	var e chromeEvent
	var seen texts
	for {
		line, err := lines.ReadSlice('\n')
		text, more := bytes.CutSuffix(bytes.Trim(line, " \t\r\n"), []byte(","))
		blank := len(text) == 0 && !more
		if err != nil || before == "[{}" && !blank || !blank && !e.read(text, &seen) {
			damaged := readAny(io.MultiReader(strings.NewReader(before), bytes.NewReader(bytes.Clone(line)), lines), add)
			if damaged >= 0 {
				damaged += at - int64(len(before))
			}
			return true, damaged
		}
		at += int64(len(line))
		if blank {
			continue
		}
		add(&e)
		if before = "[{}"; more {
			before = "[{},"
		}
	}
}

// toEvents goes to the list of events, which is the whole text or a member of an object.
func toEvents(in *json.Decoder) bool {
	for first := true; ; first = false {
		token, err := in.Token()
		switch {
		case err != nil:
			return false
		case token == json.Delim('[') && first:
			return true
		case token == "traceEvents":
			token, err := in.Token()
			return err == nil && token == json.Delim('[')
		}
	}
}

// read reads the event of a line; it returns false if the line does not have exactly one event.
func (e *chromeEvent) read(line []byte, seen *texts) bool {
	if *e = (chromeEvent{}); e.quick(line, seen) {
		return true
	}
	*e = chromeEvent{}
	err := json.Unmarshal(line, e)
	return err == nil || ofAnother(err)
}

// ofAnother reports whether a member has an unexpected type, as in events of other programs.
func ofAnother(err error) bool {
	_, ok := errors.AsType[*json.UnmarshalTypeError](err)
	return ok
}

// readAny reads a list of events in any layout. It returns where the text stops being JSON, or -1.
func readAny(text io.Reader, add func(*chromeEvent)) (damaged int64) {
	in := json.NewDecoder(text)
	_, _ = in.Token() // the bracket
	for in.More() {
		var e chromeEvent
		switch err := in.Decode(&e); {
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			return -1
		case err != nil && !ofAnother(err):
			return in.InputOffset()
		}
		add(&e)
	}
	return -1
}

// quick reads an event in the form that we write: without blanks, escapes and exponents.
func (e *chromeEvent) quick(line []byte, seen *texts) bool {
	c := cursor{line, seen}
	return c.members(func(key []byte) bool {
		switch string(key) {
		case "name":
			return c.text(&e.Name)
		case "cat":
			return c.text(&e.Cat)
		case "ph":
			return c.text(&e.Ph)
		case "pid":
			return c.integer(&e.Pid)
		case "tid":
			return c.integer(&e.Tid)
		case "ts":
			return c.moment(&e.Ts)
		case "dur":
			return c.moment(&e.Dur)
		case "args":
			return c.members(func(key []byte) bool { return e.Args.quick(&c, key) })
		}
		return c.other(key)
	}) && len(c.rest) == 0
}

func (a *chromeArgs) quick(c *cursor, key []byte) bool {
	var n int64
	switch string(key) {
	case "name":
		return c.text(&a.Name)
	case "place":
		return c.text(&a.Place)
	case "edge":
		return c.text(&a.Edge)
	case "step":
		ok := c.integer(&n) && n >= 0
		a.Step = uint64(n)
		return ok
	case "data":
		return c.number(&a.Data)
	case "mpirank":
		ok := c.integer(&n)
		rank := int(n)
		a.MPIRank = &rank
		return ok
	}
	return c.other(key)
}

// cursor reads a line. Its methods report whether they could read the expected form; otherwise the reader of general JSON takes over.
type cursor struct {
	rest []byte
	seen *texts
}

// texts caches recent texts, since most occur again and again.
type texts [256]string

func (c *cursor) is(b byte) bool {
	if len(c.rest) == 0 || c.rest[0] != b {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

// members reads an object. It calls value for the value after each key.
func (c *cursor) members(value func(key []byte) bool) bool {
	if !c.is('{') {
		return false
	}
	if c.is('}') {
		return true
	}
	for {
		key, ok := c.quoted()
		if !ok || !c.is(':') || !value(key) {
			return false
		}
		if c.is('}') {
			return true
		}
		if !c.is(',') {
			return false
		}
	}
}

// quoted reads a text without escapes.
func (c *cursor) quoted() (text []byte, ok bool) {
	if !c.is('"') {
		return nil, false
	}
	end := bytes.IndexByte(c.rest, '"')
	if end < 0 {
		return nil, false
	}
	text, c.rest = c.rest[:end], c.rest[end+1:]
	plain := true // only ASCII
	for _, b := range text {
		if b == '\\' || b < ' ' {
			return nil, false
		}
		plain = plain && b < utf8.RuneSelf
	}
	return text, plain || utf8.Valid(text)
}

func (c *cursor) text(into *string) bool {
	text, ok := c.quoted()
	if !ok || len(text) == 0 {
		*into = ""
		return ok
	}
	same := &c.seen[(31*len(text)+7*int(text[0])+int(text[len(text)-1]))%len(c.seen)]
	if *same != string(text) {
		*same = string(text)
	}
	*into = *same
	return true
}

// digits reads a number without an exponent.
func (c *cursor) digits() (number []byte, ok bool) {
	end, begin, points := 0, 0, 0
	for ; end < len(c.rest); end++ {
		switch b := c.rest[end]; {
		case b == '-' && end == 0:
			begin = 1
		case b == '.' && points == 0 && end > begin:
			points, begin = 1, end+1
		case b < '0' || b > '9':
			number, c.rest = c.rest[:end], c.rest[end:]
			whole := bytes.TrimPrefix(number, []byte("-"))
			return number, end > begin && (len(whole) == 1 || whole[0] != '0' || whole[1] == '.')
		}
	}
	return nil, false
}

func (c *cursor) number(into *json.Number) bool {
	digits, ok := c.digits()
	*into = json.Number(digits)
	return ok
}

// moment reads a time, with a fast path for few digits.
func (c *cursor) moment(into *moment) bool {
	digits, ok := c.digits()
	if !ok {
		return false
	}
	n, behind := moment(0), -1
	for _, b := range digits {
		if b == '.' {
			behind = 0
			continue
		}
		if n = 10*n + moment(b-'0'); behind >= 0 {
			behind++
		}
	}
	for behind = max(behind, 0); behind < 3; behind++ {
		n *= 10
	}
	if len(digits) > 15 || behind > 3 || digits[0] == '-' {
		n = nanoseconds(string(digits))
	}
	*into = n
	return true
}

// integer reads a number of at most 18 digits, which always fits into an int64.
func (c *cursor) integer(into *int64) bool {
	digits, ok := c.digits()
	whole, negative := bytes.CutPrefix(digits, []byte("-"))
	if !ok || len(whole) > 18 {
		return false
	}
	n := int64(0)
	for _, b := range whole {
		if b == '.' {
			return false
		}
		n = 10*n + int64(b-'0')
	}
	if *into = n; negative {
		*into = -n
	}
	return true
}

// other skips a member that is a text or a number. It refuses keys with unusual letters, because encoding/json matches keys regardless of case.
func (c *cursor) other(key []byte) bool {
	for _, b := range key {
		if (b < 'a' || b > 'z') && b != '_' {
			return false
		}
	}
	if len(c.rest) > 0 && c.rest[0] == '"' {
		_, ok := c.quoted()
		return ok
	}
	_, ok := c.digits()
	return ok
}
