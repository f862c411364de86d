package sprokit

import "syscall"

// askSystem adds values that the kernel reports.
func askSystem(m *Machine) {
	var u syscall.Utsname
	if syscall.Uname(&u) == nil {
		m.OS, m.Version, m.Platform = text(u.Sysname[:]), text(u.Version[:]), text(u.Machine[:])
		m.Description = m.OS + " " + text(u.Release[:])
		m.Domain = inDomain(m.Hostname, text(u.Domainname[:]))
	}
	var s syscall.Sysinfo_t
	if syscall.Sysinfo(&s) == nil {
		kb := func(n uint64) uint64 { return n * uint64(max(1, s.Unit)) >> 10 }
		m.TotalMemory, m.FreeMemory = kb(uint64(s.Totalram)), kb(uint64(s.Freeram)+uint64(s.Bufferram))
		m.TotalVirtual, m.FreeVirtual = kb(uint64(s.Totalswap)), kb(uint64(s.Freeswap))
	}
}

// inDomain returns a host with its domain. The kernel reports an unset domain as `(none)`.
func inDomain(host, domain string) string {
	if domain == "" || domain == "(none)" {
		return host
	}
	return host + "." + domain
}

// text converts a C string from the kernel. Its characters are signed on some machines and
// unsigned on others.
func text[C int8 | uint8](chars []C) string {
	var b []byte
	for _, c := range chars {
		if c == 0 {
			break
		}
		b = append(b, byte(c))
	}
	return string(b)
}
