// Package played writes traces for tests, in the form that `trace record` writes. A text lists what
// each thread does at exact times.
//
//	place 0x10 relax /src/heat.c:12
//	rank 0 thread 1
//	1ms parallel_begin parallel_codeptr=0x10
//	3ms parallel_end parallel_codeptr=0x10
//	lost 7
package played

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Write writes a trace into a folder.
func Write(dir, text string) error {
	p := &player{
		trace: collect.Schema(), kinds: map[string]int{},
		regions: recorded.Regions{Version: 1, Program: "bin/heat", Regions: []recorded.Region{}},
	}
	for i, e := range p.trace.Events {
		_, name, _ := strings.Cut(e.Name, ":")
		p.kinds[name] = i
	}
	if err := ctf.Create(filepath.Join(dir, "ctf"), p.trace); err != nil {
		return err
	}
	if err := p.trace.Describe(ctf.Clock{Frequency: 1e9}); err != nil {
		return err
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := p.line(words); err != nil {
			return fmt.Errorf("line %d, `%s`: %w", number, strings.TrimSpace(line), err)
		}
	}
	if err := p.end(); err != nil {
		return err
	}
	file, err := p.regions.Text()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, recorded.RegionsFile), []byte(file), 0o666)
}

type player struct {
	trace        *ctf.Trace
	kinds        map[string]int // event numbers by name, without the provider
	regions      recorded.Regions
	stream       *ctf.Stream
	rank, thread uint64
}

func (p *player) line(words []string) error {
	switch words[0] {
	case "place":
		if len(words) < 4 {
			return fmt.Errorf("a place is `place ADDRESS FUNCTION FILE:LINE`")
		}
		file, line, _ := strings.Cut(strings.Join(words[3:], " "), ":") // the path may contain blanks
		n, err := strconv.Atoi(line)
		p.regions.Regions = append(p.regions.Regions, recorded.Region{Address: words[1], Function: words[2], File: file, Line: n})
		return err
	case "rank":
		return p.begin(words)
	case "lost":
		n, err := strconv.ParseUint(words[len(words)-1], 0, 64)
		p.stream.Discarded = n
		return err
	}
	at, err := time.ParseDuration(words[0])
	if err != nil || len(words) < 2 || p.stream == nil {
		return fmt.Errorf("an event is `TIME NAME FIELD=VALUE…`, below the `rank` of its thread")
	}
	return p.event(uint64(at), words[1], words[2:])
}

// begin opens the stream of a thread.
func (p *player) begin(words []string) (err error) {
	if err := p.end(); err != nil {
		return err
	}
	p.thread = 0
	if len(words) == 4 && words[2] == "thread" {
		if p.thread, err = strconv.ParseUint(words[3], 10, 16); err != nil {
			return err
		}
	}
	if len(words) < 2 {
		return fmt.Errorf("a thread is `rank RANK thread NUMBER`")
	}
	if p.rank, err = strconv.ParseUint(words[1], 10, 16); err != nil {
		return err
	}
	pid := uint32(100 + p.rank)
	p.stream, err = p.trace.Stream(fmt.Sprintf("stream_%d_%d", p.rank, p.thread), pid, 100*pid+uint32(p.thread))
	return err
}

// end closes the stream.
func (p *player) end() error {
	if p.stream == nil {
		return nil
	}
	s := p.stream
	p.stream = nil
	return s.Close()
}

// event writes an event. Missing fields are 0.
func (p *player) event(at uint64, name string, given []string) error {
	id, ok := p.kinds[name]
	if !ok {
		return fmt.Errorf("traces have no such event")
	}
	values := map[string]string{}
	for _, g := range given {
		key, value, _ := strings.Cut(g, "=")
		values[key] = value
	}
	if err := p.stream.Event(id, at); err != nil {
		return err
	}
	p.stream.Text("node")
	for _, n := range []uint64{100 + p.rank, p.rank, p.thread, 0, p.thread} {
		p.stream.Put(ctf.U32, n)
	}
	for _, f := range p.trace.Events[id].Fields {
		value, ok := values[f.Name]
		delete(values, f.Name)
		if f.Type == ctf.Text {
			p.stream.Text(value)
			continue
		}
		n := int64(0)
		if ok {
			var err error
			if n, err = strconv.ParseInt(value, 0, 64); err != nil {
				return err
			}
		}
		p.stream.Put(f.Type, uint64(n))
	}
	if len(values) > 0 {
		return fmt.Errorf("the event has other fields than %v", values)
	}
	return nil
}
