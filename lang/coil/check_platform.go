package coil

import (
	"github.com/pentode-dev/pentode/run/target"
)

// platform holds the extension for systems against the machine and the other sections.
func (c *checker) platform() {
	if c.machine.mode == nil || c.section(platformSect) == nil || c.opts.Validator {
		return
	}
	for _, p := range (target.Machines{Tables: c.tables}).Unfit(c.Target()) {
		s := c.good(platformSect, p.Subject.Key)
		if s == nil {
			continue
		}
		if _, sure := c.has(); !sure && p.Subject.Key == string(target.KeyAtomicWidth) {
			continue // the feature may be the one that is misspelt
		}
		d := c.report(platformUnfit, s.Text, "%s", p.Message)
		if p.Expected != "" {
			d.Helped("%s", p.Expected)
		}
	}
}
