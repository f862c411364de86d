package pipe

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// provider checks the name of a process's instrumentation provider. An unknown name is only a
// warning, because the process can run without the provider.
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

// providerKey looks for a key below `_instrumentation` among the keys that a provider declares.
// owned is true if the key belongs to a provider of this name. k is nil if the provider is not
// known here, so that its keys cannot be checked.
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

// unknownProviderKey reports a key below `_instrumentation` that no known provider has.
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

// providerKeys returns the names of a provider's keys, without its prefix.
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
