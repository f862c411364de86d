package pipe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// A Provider observes the processes whose `_instrumentation:type` names it.
// The engine has `logger`, `timer` and `trace`; a program can add its own to a
// Registry.
type Provider struct {
	Name string
	Doc  string
	Keys []Key // of its block: `_instrumentation:NAME:KEY`

	// New makes the observer of one process, with the settings of the block.
	New func(e *Env, settings map[string]string) (Observer, error)
}

// AddProvider puts a provider in. A second one of the same name is an error.
func (r *Registry) AddProvider(p *Provider) error {
	if r.providers[p.Name] != nil || slices.Contains(ownProviders, p.Name) || p.Name == "" {
		return fmt.Errorf("the instrumentation provider `%s` cannot be added: it needs a name that no other has", p.Name)
	}
	if r.providers == nil {
		r.providers = map[string]*Provider{}
	}
	r.providers[p.Name] = p
	return nil
}

// Providers are the names that `_instrumentation:type` may have.
func (r *Registry) Providers() []string {
	if r == nil {
		return ownProviders
	}
	return append(slices.Clip(ownProviders), slices.Sorted(maps.Keys(r.providers))...)
}

var ownProviders = []string{"none", "logger", "timer", "trace"}

// Settings are the settings of the provider's block in a configuration, and its defaults.
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

// provider checks the name of a process's provider. Without one that is not
// known the process runs as well, so that is a warning.
func (c *checker) provider(n *Node) {
	names := c.reg.Providers()
	value := strings.TrimSpace(n.Config[InstrumentKey].Value)
	if slices.Contains(names, value) {
		return
	}
	p := c.atKey(n, InstrumentKey, BadValue, "there is no instrumentation provider `%s` here: process `%s` runs without it", value, n.Name)
	p.Severity = problem.Warning
	c.suggest(p, value, func() []string { return names }, "there are")
}

// providerKey reports whether a key belongs to the provider that the process
// names, where that is not one of the engine's: then what the provider
// declares decides.
func (c *checker) providerKey(n *Node, name string) (k *Key, owned bool) {
	provider, key, ok := strings.Cut(strings.TrimPrefix(name, InstrumentPrefix), ":")
	if !ok || !strings.HasPrefix(name, InstrumentPrefix) || slices.Contains(ownProviders, provider) {
		return nil, false
	}
	if p := c.reg.Provider(provider); p != nil {
		for i := range p.Keys {
			if p.Keys[i].covers(key) {
				return &p.Keys[i], true
			}
		}
		return nil, false
	}
	return nil, provider == strings.TrimSpace(n.Config[InstrumentKey].Value)
}

// unknownProviderKey reports a key below `_instrumentation` that no provider has.
func (c *checker) unknownProviderKey(n *Node, name string) {
	provider, key, ok := strings.Cut(strings.TrimPrefix(name, InstrumentPrefix), ":")
	if names := c.reg.Providers(); !ok || !slices.Contains(names, provider) {
		p := c.atKey(n, name, UnknownKey, "there is no instrumentation provider `%s`: nothing reads `%s` of process `%s`", provider, name, n.Name)
		p.Severity = problem.Warning
		c.suggest(p, provider, func() []string { return names }, "there are")
		return
	}
	p := c.atKey(n, name, UnknownKey, "the instrumentation provider `%s` has no key `%s`", provider, key)
	p.Severity = problem.Warning
	c.suggest(p, key, func() []string { return c.reg.providerKeys(provider) }, "it has")
}

// providerKeys are the keys of a provider, without its prefix.
func (r *Registry) providerKeys(provider string) []string {
	var names []string
	if p := r.Provider(provider); p != nil {
		for _, k := range p.Keys {
			names = append(names, k.Name)
		}
	}
	for _, k := range processKeys {
		if key, ok := strings.CutPrefix(k.Name, InstrumentPrefix+provider+":"); ok {
			names = append(names, key)
		}
	}
	return names
}

// Provider finds a provider that a program added.
func (p *Plan) Provider(name string) *Provider { return p.providers[name] }

// Provider finds a provider that a program added.
func (r *Registry) Provider(name string) *Provider {
	if r == nil {
		return nil
	}
	return r.providers[name]
}
