package trace

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// RegionID is a region's number in its engine.
type RegionID uint32

// Engine holds the current policy and the regions of one program. Its methods may be called concurrently.
type Engine struct {
	catalog *Catalog

	mu     sync.Mutex // held while something changes; decisions never lock it
	byName map[Region]RegionID

	regions atomic.Pointer[[]Region]
	version atomic.Pointer[version]

	// generation is the one word that all units read constantly: it has a cache line to
	// itself, and is written after version.
	_          [64]byte
	generation atomic.Uint64
	_          [56]byte
}

// version is the policy in use. It is immutable and replaced as a whole.
type version struct {
	policy     *Policy
	generation uint64
	modes      []Mode // by domain
	moved      []bool // by domain: whether the end of a window set its mode
}

// NewEngine returns an engine that decides by p, a policy made by Compile.
func NewEngine(p *Policy) *Engine {
	e := &Engine{catalog: p.catalog, byName: map[Region]RegionID{}}
	e.regions.Store(new([]Region))
	e.install(p)
	return e
}

// Region returns the number of a region. Equal regions have the same number.
func (e *Engine) Region(r Region) (RegionID, error) {
	if int(r.Domain) >= len(e.catalog.domains) {
		return 0, fmt.Errorf("the catalogue has no domain number %d", r.Domain)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	id, ok := e.byName[r]
	if !ok {
		regions := *e.regions.Load()
		id = RegionID(len(regions))
		regions = append(regions, r) // past the end of every slice that a reader has
		e.byName[r] = id
		e.regions.Store(&regions)
	}
	return id, nil
}

// Policy returns the current policy.
func (e *Engine) Policy() *Policy { return e.version.Load().policy }

// Swap makes p the current policy, in the modes that p starts with. Each unit sees it at
// its next Begin, Decide or End; counters continue.
func (e *Engine) Swap(p *Policy) error {
	if p.catalog == nil || !p.catalog.equal(e.catalog) {
		return errors.New("the policy was compiled for another catalogue of domains, events and units")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.install(p)
	return nil
}

// How is the way a reload treats existing settings.
type How int

const (
	Replace How = iota // discard them
	Merge              // keep those that the new layers do not change
)

// Reload compiles layers, makes them the current policy, and returns the changes. After an error nothing has changed.
func (e *Engine) Reload(layers Layers, how How) ([]Change, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	current := e.Policy().layers
	if how == Merge {
		merged, err := current.merge(layers)
		if err != nil {
			return nil, err
		}
		layers = merged
	}
	p, err := Compile(e.catalog, layers)
	if err != nil {
		return nil, fmt.Errorf("the current policy stays: %w", err)
	}
	e.install(p)
	return Diff(current, layers), nil
}

// Mode returns the current mode of a domain.
func (e *Engine) Mode(d DomainID) Mode { return e.version.Load().modes[d] }

// SetMode changes a domain's mode until the next policy.
func (e *Engine) SetMode(d DomainID, m Mode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := *e.version.Load()
	next.modes = slices.Clone(next.modes)
	next.modes[d] = m
	e.publish(next)
}

func (e *Engine) install(p *Policy) {
	next := version{
		policy: p,
		modes:  make([]Mode, len(p.domains)),
		moved:  make([]bool, len(p.domains)),
	}
	for i, d := range p.domains {
		next.modes[i] = d.mode
	}
	e.publish(next)
}

func (e *Engine) publish(next version) {
	next.generation = e.generation.Load() + 1
	e.version.Store(&next)
	e.generation.Store(next.generation)
}

// endWindow sets the modes of a window end, unless its policy has been replaced. Once an end has changed a domain, later
// ends leave it alone, and so does the same end on another unit.
func (e *Engine) endWindow(p *Policy, end uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := *e.version.Load()
	if next.policy != p || p.ends[end].introspect != nil {
		return
	}
	next.modes, next.moved = slices.Clone(next.modes), slices.Clone(next.moved)
	changed := false
	for d, m := range p.ends[end].modes {
		if m != NoMode && m != next.modes[d] && !next.moved[d] {
			next.modes[d], next.moved[d], changed = m, true, true
		}
	}
	if changed {
		e.publish(next)
	}
}
