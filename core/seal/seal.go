// Package seal is what a result says of the run that made it: a small JSON object inside
// the file, or beside it where its format has no place for one.
//
//	run ──New──▶ Maker ──By(process)──▶ Text ──▶ Add: PNG, JPEG, GIF, TIFF, trace.json
//	                ▲                        └──▶ WriteBeside: NAME.seal.json
//	files that the run reads ──Reads──┘ parents
//	any file ──Read──▶ Seal
//
// A seal changes nothing of the data: pixels, events and rows are those of a file without.
// What is read from a file is another's word: it is bounded, and its texts may hold anything.
package seal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf16"

	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// Name is that of a seal in its container: a keyword, an attribute, a member.
const Name = "pentode_seal"

// Variable names the variable of the environment that asks the programs of a run for seals: the seal of what this process
// of the run writes, or Off.
const Variable = "PENTODE_SEAL"

// Off is the value of Variable in a run whose results get no seals.
const Off = "off"

// Max is how long the text of a seal may be.
const Max = 4096

// maxParents is how many runs a seal names whose results were read.
const maxParents = 16

// Whole is the key of the fingerprint of a whole run, among those of its parts.
const Whole = "whole"

// Seal says which run made a result.
type Seal struct {
	Version      int               `json:"pentode_seal"` // 1
	Run          string            `json:"run,omitempty"`
	Time         time.Time         `json:"time"` // when the run began
	Fingerprints map[string]string `json:"fingerprints,omitempty"`
	Target       string            `json:"target,omitempty"`
	Program      string            `json:"program,omitempty"`
	Build        string            `json:"build_id,omitempty"` // of the program
	Host         string            `json:"host,omitempty"`
	Process      string            `json:"process,omitempty"` // of the pipeline, which wrote the file
	Record       string            `json:"record,omitempty"`  // the folder of the run's record, on its host
	Parents      []Parent          `json:"parents,omitempty"`
	More         int               `json:"more_parents,omitempty"` // that are not named
	Of           *Data             `json:"of,omitempty"`           // of a seal that is a file of its own
}

// Parent is another run of which results were read.
type Parent struct {
	Run   string `json:"run"`
	File  string `json:"file"`            // the first of them
	Files int    `json:"files,omitempty"` // how many, where there are several
}

// Data is what a seal beside a file says of it, by which it is known whether the file is still
// the same.
type Data struct {
	Size int64  `json:"bytes"`
	Sum  string `json:"crc32c,omitempty"` // empty: not known
}

// Text is the seal as it stands in files: JSON in ASCII, of at most Max bytes. What is too much
// is left out, first parents, then the fingerprints of parts.
func (s Seal) Text() []byte {
	s.Version = 1
	for {
		text := ascii(s)
		if len(text) <= Max {
			return text
		}
		switch {
		case len(s.Parents) > 0:
			s.Parents, s.More = s.Parents[:len(s.Parents)-1], s.More+1
		case len(s.Fingerprints) > 1:
			parts := slices.Sorted(maps.Keys(s.Fingerprints))
			last := parts[len(parts)-1]
			if last == Whole {
				last = parts[len(parts)-2]
			}
			s.Fingerprints = maps.Clone(s.Fingerprints)
			delete(s.Fingerprints, last)
		default:
			for _, t := range []*string{&s.Run, &s.Target, &s.Program, &s.Build, &s.Host, &s.Process, &s.Record} {
				*t = clip(*t)
			}
			s.Fingerprints = nil
		}
	}
}

// clip shortens a text that no seal has room for.
func clip(s string) string { return string([]rune(s)[:min(len([]rune(s)), 64)]) }

// ascii is the JSON of a seal in bytes that mean the same in every encoding.
func ascii(s Seal) []byte {
	text := jsontext.Append(nil, s) // texts, numbers and a time of this millennium
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// ErrNone is the error of a file that has no seal.
var ErrNone = errors.New("it has no seal")

// Bad is the error of a seal that cannot be one.
type Bad struct{ Why string }

func (b *Bad) Error() string { return "its seal cannot be read: " + b.Why }

// Parse reads the text of a seal.
func Parse(text []byte) (*Seal, error) {
	text = bytes.TrimRight(text, "\x00 \r\n\t")
	if len(text) > Max {
		return nil, &Bad{fmt.Sprintf("it has %d bytes, and a seal has at most %d", len(text), Max)}
	}
	var s Seal
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, &Bad{"it is not the JSON of a seal"}
	}
	if s.Version != 1 {
		return nil, &Bad{fmt.Sprintf("it has the version %d, and this program knows 1", s.Version)}
	}
	return &s, nil
}
