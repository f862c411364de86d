package launch

// Severity orders problems of a plan.
type Severity int

const (
	Info Severity = iota
	Warning
	Error
)

func (s Severity) String() string { return [...]string{"info", "warning", "error"}[s] }

// Problem is something NewPlan found. Kind is a stable name of the cause;
// Place is the Place of the declaration.
type Problem struct {
	Severity Severity
	Kind     string
	Place    string
	Message  string
	Help     string
}

func (p Problem) Error() string {
	s := p.Message
	if p.Place != "" {
		s = p.Place + ": " + s
	}
	if p.Help != "" {
		s += "; " + p.Help
	}
	return s
}

// report adds a problem, once for each cause at a place.
func (b *planner) report(s Severity, kind, place, message, help string) {
	key := kind + "\x00" + place + "\x00" + message
	if !b.warned[key] {
		b.warned[key] = true
		b.problems = append(b.problems, Problem{s, kind, place, message, help})
	}
}
