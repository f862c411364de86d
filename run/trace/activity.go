package trace

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// ActivityKey is the key of D.default that selects the processes that record device activity.
const ActivityKey = "device_activity"

// ActivityNames are the values of the key. All but the first two select one of the processes on a node.
var ActivityNames = []string{
	layout.ActivityOff: "off", layout.ActivityOn: "on",
	layout.ActivityAnyone: "anyone_per_node", layout.ActivityLeader: "leader_per_node", layout.ActivityRotate: "rotate_per_node",
}

// SiteKey is the key of D.default that turns on recording where kernels are launched.
const SiteKey = "launch_site"

// Activity is a value of ActivityKey, if it is set.
type Activity struct {
	Kind  uint8         // layout.ActivityOff and so on
	Turn  time.Duration // for layout.ActivityRotate: how long each process records
	Set   bool
	Place source.Span
}

// defaultTurn is the length of a turn if none is written.
const defaultTurn = time.Second

// ParseActivity reads a value, such as `rotate_per_node:250`. If the text is invalid, the result is not set.
func ParseActivity(text string) Activity {
	name, ms, _ := strings.Cut(text, ":")
	i := slices.IndexFunc(ActivityNames, func(known string) bool { return strings.EqualFold(known, strings.TrimSpace(name)) })
	if i < 0 {
		return Activity{}
	}
	a := Activity{Kind: uint8(i), Set: true}
	if i == layout.ActivityRotate {
		a.Turn = defaultTurn
		if n, err := strconv.Atoi(strings.TrimSpace(ms)); err == nil && n > 0 {
			a.Turn = time.Duration(n) * time.Millisecond
		}
	}
	return a
}

func (a Activity) String() string {
	if a.Kind == layout.ActivityRotate {
		return ActivityNames[a.Kind] + ":" + strconv.FormatInt(a.Turn.Milliseconds(), 10)
	}
	return ActivityNames[a.Kind]
}

// Switch is a key that may be set to on or off.
type Switch struct {
	On, Set bool
	Place   source.Span
}

// Activity returns which processes record the device activity of a domain.
func (p *Policy) Activity(d DomainID) Activity { return p.domains[d].activity }
