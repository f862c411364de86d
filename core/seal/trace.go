package seal

import (
	"bytes"
	"io"
)

// The seal of a JSON trace is the last member of the file's object.

const (
	traceEnd    = "]}\n"
	traceMember = `],"` + Name + `":`
)

func isTrace(head []byte) bool {
	return bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"traceEvents"`))
}

func addTrace(f File, size int64, text []byte) (bool, error) {
	at := size - int64(len(traceEnd))
	if at < 0 || string(part(f, at, int64(len(traceEnd)))) != traceEnd {
		return false, nil
	}
	end := append([]byte(traceMember), text...)
	return overwrite(f, at, []byte(traceEnd), append(end, "}\n"...))
}

func findTrace(r io.ReaderAt, size int64) (found, error) {
	from := max(0, size-maxTail)
	end := part(r, from, size-from)
	i := bytes.LastIndex(end, []byte(traceMember+"{"))
	if i < 0 {
		return found{}, nil
	}
	text := textOf(end[i:])
	at := from + int64(i) + 1
	return found{text, []span{{at: at, end: at + int64(len(traceMember)-1+len(text))}}}, nil
}
