// Package seal records in a result which run made it. A seal is a small JSON object in the file,
// or in a separate file next to it if its format has no place for one.
//
//	run ──New──▶ Maker ──By(process)──▶ Text ──▶ Add: PNG, JPEG, GIF, TIFF, trace.json
//	                ▲                        └──▶ WriteBeside: NAME.seal.json
//	files that the run reads ──Reads──┘ parents
//	any file ──Read──▶ Seal
//
// A seal does not change the data: pixels, events and rows are the same as without it. A seal
// read from a file is not trusted: its size is limited, and its texts may contain anything.
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

// Name is the name of a seal in its container: a keyword, an attribute or a member.
const Name = "pentode_seal"

// Variable is the environment variable that asks a program of a run to add seals. Its value is
// the text of the seal for the results of this process, or Off.
const Variable = "PENTODE_SEAL"

// Off is the value of Variable in a run whose results get no seals.
const Off = "off"

// Max is the largest size of a seal's text.
const Max = 4096

// maxParents is the largest number of parents that a seal names.
const maxParents = 16

// Whole is the key of the fingerprint of the whole run. The other keys are its parts.
const Whole = "whole"

// Seal describes the run that made a result.
type Seal struct {
	Version      int               `json:"pentode_seal"` // 1
	Run          string            `json:"run,omitempty"`
	Time         time.Time         `json:"time"` // the start of the run
	Fingerprints map[string]string `json:"fingerprints,omitempty"`
	Target       string            `json:"target,omitempty"`
	Program      string            `json:"program,omitempty"`
	Build        string            `json:"build_id,omitempty"` // the build ID of the program
	Host         string            `json:"host,omitempty"`
	Process      string            `json:"process,omitempty"` // the process of the pipeline that wrote the file
	Record       string            `json:"record,omitempty"`  // the folder of the run's record, on the host of the run
	Parents      []Parent          `json:"parents,omitempty"`
	More         int               `json:"more_parents,omitempty"` // number of parents that are not named
	Of           *Data             `json:"of,omitempty"`           // only in a separate seal file
}

// Parent is an earlier run whose results the run read.
type Parent struct {
	Run   string `json:"run"`
	File  string `json:"file"`            // the first result that was read
	Files int    `json:"files,omitempty"` // how many results were read, if several
}

// Data is a separate seal file's description of its result. It shows whether the result has
// changed since.
type Data struct {
	Size int64  `json:"bytes"`
	Sum  string `json:"crc32c,omitempty"` // empty if unknown
}

// Text returns the seal as it is written to files: JSON in ASCII, with at most Max bytes. If
// it is too long, parents are left out first, then the fingerprints of parts.
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

// clip shortens a text that is too long for a seal.
func clip(s string) string { return string([]rune(s)[:min(len([]rune(s)), 64)]) }

// ascii returns the JSON of a seal in bytes that are the same in every encoding.
func ascii(s Seal) []byte {
	text := jsontext.Append(nil, s) // cannot fail: a seal has only texts, numbers and a time
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

// ErrNone is the error for a file that has no seal.
var ErrNone = errors.New("it has no seal")

// Bad is the error for an invalid seal.
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
		return nil, &Bad{fmt.Sprintf("it has version %d, and this program reads version 1", s.Version)}
	}
	return &s, nil
}
