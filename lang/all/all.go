// Package all lists the languages.
package all

import (
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
)

// Options are the options of each language.
type Options struct {
	Coil     coil.Options
	Paradyn  paradyn.Options
	Sprokit  sprokit.Options
	PDI      pdi.Options
	PInsight pinsight.Options
}

// Languages returns the languages.
func Languages(o Options) []*lang.Language {
	return []*lang.Language{
		coil.New(o.Coil), paradyn.New(o.Paradyn), sprokit.New(o.Sprokit), pdi.New(o.PDI), pinsight.New(o.PInsight),
	}
}
