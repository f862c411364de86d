package coil

// Lookup finds the setting that decides a key, or nil.
func (m *Model) Lookup(section, key string) *Setting { return m.get(section, key) }
