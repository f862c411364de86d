package figures

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// AppendJSON appends the same text that encoding/json writes, but several times faster: a web
// page gets it ten times a second for every run that it shows. A test checks that the texts are
// the same.
func (f *Figures) AppendJSON(b []byte) []byte {
	b = appendText(b, `{"state":`, string(f.State))
	b = appendTime(b, `,"wall_ns":`, f.Wall)
	if f.Rest != 0 {
		b = appendTime(b, `,"rest_ns":`, f.Rest)
	}
	b = appendCount(b, `,"taken":`, f.Taken)
	b = appendCount(b, `,"dropped":`, f.Dropped)
	b = appendNumber(b, `,"rate":`, f.Rate)
	b = appendNumber(b, `,"busiest":`, f.Busiest)
	b = appendNumber(b, `,"fullest":`, f.Fullest)
	b = appendList(b, `,"processes":`, f.Processes, (*Process).appendJSON)
	b = appendList(b, `,"edges":`, f.Edges, (*Edge).appendJSON)
	b = appendRare(b, `,"sites":`, f.Sites)
	if len(f.Errors) > 0 {
		b = appendRare(b, `,"errors":`, f.Errors)
	}
	return append(b, '}')
}

func (p *Process) appendJSON(b []byte) []byte {
	b = appendText(b, `{"name":`, p.Name)
	if p.Site != "" {
		b = appendText(b, `,"site":`, p.Site)
	}
	b = appendText(b, `,"type":`, p.Type)
	b = appendCount(b, `,"steps":`, p.Steps)
	if p.Total != 0 {
		b = appendCount(b, `,"total":`, p.Total)
	}
	b = appendNumber(b, `,"rate":`, p.Rate)
	b = appendTime(b, `,"step_ns":`, p.Step)
	b = appendBool(b, `,"has_in":`, p.HasIn)
	b = appendBool(b, `,"has_out":`, p.HasOut)
	b = appendNumber(b, `,"in":`, p.In)
	b = appendNumber(b, `,"out":`, p.Out)
	b = appendCount(b, `,"dropped":`, p.Dropped)
	b = appendNumber(b, `,"busy":`, p.Busy)
	b = appendNumber(b, `,"blocked":`, p.Blocked)
	b = appendNumber(b, `,"waits":`, p.Waits)
	b = appendText(b, `,"on":`, p.On)
	if p.Program {
		b = appendBool(b, `,"program":`, p.Program)
	}
	b = appendBool(b, `,"done":`, p.Done)
	b = appendBool(b, `,"bottleneck":`, p.Bottleneck)
	return append(b, '}')
}

func (e *Edge) appendJSON(b []byte) []byte {
	b = appendText(b, `{"from":`, e.From)
	b = appendText(b, `,"to":`, e.To)
	b = strconv.AppendInt(append(b, `,"capacity":`...), int64(e.Capacity), 10)
	b = appendCount(b, `,"held":`, e.Held)
	b = appendNumber(b, `,"fill":`, e.Fill)
	b = appendText(b, `,"level":`, string(e.Level))
	b = appendCount(b, `,"high":`, e.High)
	b = appendNumber(b, `,"mean":`, e.Mean)
	b = appendNumber(b, `,"rate":`, e.Rate)
	b = appendCount(b, `,"taken":`, e.Taken)
	b = appendCount(b, `,"dropped":`, e.Dropped)
	return append(b, '}')
}

func appendList[T any](b []byte, key string, all []T, one func(*T, []byte) []byte) []byte {
	b = append(b, key...)
	if all == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(&all[i], b)
	}
	return append(b, ']')
}

func appendCount(b []byte, key string, n uint64) []byte {
	return strconv.AppendUint(append(b, key...), n, 10)
}

func appendTime(b []byte, key string, d time.Duration) []byte {
	return strconv.AppendInt(append(b, key...), int64(d), 10)
}

func appendBool(b []byte, key string, v bool) []byte {
	return strconv.AppendBool(append(b, key...), v)
}

// appendNumber appends a number. It leaves numbers that need an exponent to encoding/json.
func appendNumber(b []byte, key string, x float64) []byte {
	if abs := math.Abs(x); abs == 0 || 1e-6 <= abs && abs < 1e21 {
		return strconv.AppendFloat(append(b, key...), x, 'f', -1, 64)
	}
	return appendRare(b, key, x)
}

// appendText appends a text. It leaves texts that need escaping to encoding/json.
func appendText(b []byte, key, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return appendRare(b, key, s)
		}
	}
	b = append(append(b, key...), '"')
	return append(append(b, s...), '"')
}

func appendRare(b []byte, key string, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		text = []byte("null") // JSON has no infinite numbers; they do not occur in figures
	}
	return append(append(b, key...), text...)
}
