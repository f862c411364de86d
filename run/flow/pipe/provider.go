package pipe

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Provider observes the processes whose `_instrumentation:type` names it. The engine has
// `logger`, `timer` and `trace`; a program can add others to a Registry.
type Provider struct {
	Name string
	Doc  string
	Keys []Key // keys of the provider's block, `_instrumentation:NAME:KEY`

	// New makes an observer for one process. settings are the settings of the provider's block.
	New func(e *Env, settings map[string]string) (Observer, error)
}

// AddProvider adds a provider. A second provider of the same name is an error.
func (r *Registry) AddProvider(p *Provider) error {
	if r.providers[p.Name] != nil || slices.Contains(ownProviders, p.Name) || p.Name == "" {
		return fmt.Errorf("the instrumentation provider `%s` cannot be added: it needs a name that no other provider has", p.Name)
	}
	if r.providers == nil {
		r.providers = map[string]*Provider{}
	}
	r.providers[p.Name] = p
	return nil
}

// Providers lists the names that `_instrumentation:type` may have.
func (r *Registry) Providers() []string {
	if r == nil {
		return ownProviders
	}
	return append(slices.Clip(ownProviders), slices.Sorted(maps.Keys(r.providers))...)
}

var ownProviders = []string{"none", "logger", "timer", "trace"}

// Settings returns the settings in the provider's block of a configuration, with defaults for
// those that are missing.
func (p *Provider) Settings(c Config) map[string]string {
	all := map[string]string{}
	for _, k := range p.Keys {
		if k.Default != "" {
			all[k.Name] = k.Default
		}
	}
	for name, s := range c {
		if key, ok := strings.CutPrefix(name, InstrumentPrefix+p.Name+":"); ok {
			all[key] = s.Value
		}
	}
	return all
}

// Provider returns the provider with this name that a program added, or nil.
func (p *Plan) Provider(name string) *Provider { return p.providers[name] }

// Provider returns the provider with this name that a program added, or nil.
func (r *Registry) Provider(name string) *Provider {
	if r == nil {
		return nil
	}
	return r.providers[name]
}
