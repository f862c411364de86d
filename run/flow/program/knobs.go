package program

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

const knobsKey = "knobs"

// judge reports settings of knobs that are not numbers. A knob is a variable of the program
// that the pipeline sets. Whether the program has it is known only when the program connects.
func judge(v pipe.Values) error {
	for name, text := range v.Under(knobsKey) {
		if _, err := strconv.ParseFloat(text, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
			return v.Errorf(knobsKey+":"+name, "the knob `%s` is `%s`, but must be a number", name, text)
		}
	}
	return nil
}

// Prepare checks whether the program would accept new values of its knobs.
func (p *program) Prepare(s *flow.Setup) error {
	taker, err := p.met()
	switch {
	case err != nil:
		return err
	case taker == nil:
		return errors.New("the program has not connected yet: it is not known which knobs it has")
	}
	_, err = items(&taker.Hello, s.Values())
	return err
}

// Reconfigure sends new values of knobs to the program, which takes them at its next event.
func (p *program) Reconfigure(s *flow.Setup) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tell(p.taker, s.Values()) // Prepare has checked that a program is connected
}

// tell sends the knobs in v to the program, and notes which of them the program has not seen.
// The caller holds mu.
func (p *program) tell(taker *handoff.Taker, v pipe.Values) error {
	list, err := items(&taker.Hello, v)
	if err != nil || len(list) == 0 {
		return err
	}
	if !taker.Pending() {
		p.unseen = nil
	}
	now := v.Under(knobsKey)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if key := knobsKey + ":" + name; p.told[name] != now[name] && !slices.Contains(p.unseen, key) {
			p.unseen = append(p.unseen, key)
		}
	}
	p.told = now
	return taker.Set(list)
}

// Pending returns the keys whose values the program has not seen yet.
func (p *program) Pending() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taker == nil || !p.taker.Pending() {
		return nil
	}
	return slices.Clone(p.unseen)
}

// items converts the knobs to the types that the program declares.
func items(h *handoff.Hello, v pipe.Values) (list []handoff.Item, err error) {
	set := v.Under(knobsKey)
	var names []string
	for _, k := range h.Knobs {
		names = append(names, k.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		key := knobsKey + ":" + name
		i := slices.Index(names, name)
		if i < 0 {
			return nil, v.Errorf(key, "%w", unknown(fmt.Sprintf("the program `%s` has no number `%s` among its metadata", h.Program, name), name, names))
		}
		kind := h.Knobs[i].KindOf()
		bytes, err := number(kind, set[name])
		if err != nil {
			return nil, v.Errorf(key, "the knob `%s` is `%s`, but %w", name, set[name], err)
		}
		list = append(list, handoff.Item{Index: i, Kind: kind, Size: len(bytes), Bytes: bytes})
	}
	return list, nil
}

// Fits returns an error if a text is not a number of this kind.
func Fits(kind tensor.Kind, text string) error {
	_, err := number(kind, text)
	return err
}

// number parses a text as a number of this kind, and returns its bytes.
func number(kind tensor.Kind, text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	t := tensor.New(kind)
	switch {
	case kind.IsFloat():
		f, err := strconv.ParseFloat(text, 8*kind.Size())
		if err != nil {
			return nil, fmt.Errorf("must be a number of %d bits", 8*kind.Size())
		}
		t.SetFloats(0, []float64{f})
	case kind == tensor.Uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("must be a whole number from 0 to %d", uint64(math.MaxUint64))
		}
		binary.LittleEndian.PutUint64(t.Data, n)
	default:
		low, high := kind.Range()
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || float64(n) < low || float64(n) > high {
			return nil, fmt.Errorf("must be a whole number from %.0f to %.0f", low, high)
		}
		t.SetInt(0, n)
	}
	return t.Data, nil
}
