package declhdf5

import (
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
)

// policy says what to do with a file or dataset that already exists. The empty policy is
// the default: write into it.
type policy string

const (
	skip      = "skip"
	refuse    = "error"
	writeInto = "write_into"
	replace   = "replace"
)

var policies = []string{skip, skip + "_and_warn", refuse, writeInto, writeInto + "_and_warn", replace, replace + "_and_warn"}

var policyRule = &config.Rule{Scalar: config.Text, Words: policies, Fold: true}

func (p *policy) key() config.Key {
	return config.Key{Name: "collision_policy", Rule: policyRule, Default: writeInto, Doc: "How to treat an existing file or dataset.", Read: into.ScalarFunc("a collision policy", func(n *data.Node) error {
		for _, word := range policies {
			if strings.EqualFold(n.Text, word) {
				*p = policy(word)
				return nil
			}
		}
		return data.Errorf(data.StatusValue, n, "expected a collision policy, one of `%s`", strings.Join(policies, "`, `")).
			Upstream("Unknown collision policy: %s", strings.ToUpper(n.Text))
	})}
}

func (p policy) kind() string {
	if p == "" {
		return writeInto
	}
	return strings.TrimSuffix(string(p), "_and_warn")
}

func (p policy) warn() bool { return strings.HasSuffix(string(p), "_and_warn") }

func (p policy) does() string {
	switch p.kind() {
	case skip:
		return "nothing is written"
	case replace:
		return "it is replaced"
	}
	return "it is written into"
}
