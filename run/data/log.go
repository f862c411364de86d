package data

import (
	"cmp"
	"os"
	"strings"

	"github.com/pentode-dev/pentode/run/data/logging"
)

// openLog opens the store's log as the root `logging` node configures it. References in its
// pattern are filled in later.
func (s *Store) openLog(n *Node) (err error) {
	host := &s.options.Host
	s.Log = &logging.Logger{
		Name: "PDI", Level: logging.Info, Now: host.Now,
		Pattern: logging.Compile(logging.DefaultPattern),
		Sinks:   []logging.Sink{{Writer: host.Console}},
	}
	s.pattern, err = s.configureLog(s.Log, n)
	return err
}

// configureLog applies a `logging` node to a log. The node is a level, or a mapping with several
// settings.
func (s *Store) configureLog(l *logging.Logger, n *Node) (pattern string, err error) {
	switch {
	case n.Blank():
		return "", nil
	case n.Kind == ScalarNode:
		return "", s.setLevel(l, n)
	case n.Kind != MappingNode && s.options.Dialect == Upstream:
		return "", nil
	case n.Kind != MappingNode:
		return "", Errorf(StatusSpecTree, n, "expected a level or a mapping after `logging`, found a sequence")
	}
	if level := n.Lookup("level"); level != nil {
		if _, err := level.Scalar("a level"); err != nil {
			return "", err
		}
		if err := s.setLevel(l, level); err != nil {
			return "", err
		}
	}
	if p := n.Lookup("pattern"); p != nil {
		if pattern, err = p.Scalar("a pattern"); err != nil {
			return "", err
		}
		l.Pattern = logging.Compile(pattern)
	}
	return pattern, s.setOutput(l, n.Lookup("output"))
}

func (s *Store) setLevel(l *logging.Logger, n *Node) error {
	level, ok := logging.ParseLevel(n.Text)
	if !ok {
		all := strings.Join(logging.Levels[:], "`, `")
		if s.options.Dialect != Upstream {
			return Errorf(StatusSpecTree, n, "`%s` is not a logging level: the levels are `%s`", n.Text, all)
		}
		plain := l.Named(l.Name)
		plain.Pattern = logging.Compile(logging.Full)
		plain.Warn("Invalid logging level: %s. Available: '%s'.", n.Text, strings.Join(logging.Levels[:], "', '"))
		return nil
	}
	l.Level = level
	return nil
}

// setOutput sends a log to a file, to the console, or to both. If only a file is set, nothing is
// written to the console. Upstream's dialect ignores invalid values, except for the file.
func (s *Store) setOutput(l *logging.Logger, n *Node) error {
	upstream := s.options.Dialect == Upstream
	if n.Blank() || upstream && n.Kind != MappingNode {
		return nil
	}
	if n.Kind != MappingNode {
		return Errorf(StatusSpecTree, n, "expected a mapping with `file` or `console` after `output`, found %s", n.name())
	}
	file, console := n.Lookup("file"), n.Lookup("console")
	for _, v := range []*Node{file, console} {
		if v != nil && (v == file || !upstream) {
			if _, err := v.Scalar("a text in `output`"); err != nil {
				return err
			}
		}
	}
	if console != nil && console.Text != "on" && console.Text != "off" && !upstream {
		return Errorf(StatusSpecTree, console, "expected `on` or `off` after `console`, found %s", console.name())
	}
	var sinks []logging.Sink
	if console != nil && console.Text != "off" || console == nil && file == nil {
		sinks = append(sinks, logging.Sink{Writer: s.options.Host.Console})
	}
	if file != nil {
		f, err := s.options.Host.Open(file.Text, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		switch {
		case err == nil:
			s.files = append(s.files, f)
			sinks = append(sinks, logging.Sink{Writer: f})
		case !upstream:
			return Errorf(StatusSystem, file, "cannot write the log `%s`: %v", file.Text, err)
		}
	}
	l.Sinks = sinks
	return nil
}

// SetLevel sets the level of the store's log, and of plugins without their own level.
func (s *Store) SetLevel(level logging.Level) {
	s.Log.Level = level
	for _, c := range s.plugins {
		if !c.ownLevel {
			c.Log.Level = level
		}
	}
}

// SetPattern sets the pattern of the store's log, and of plugins without their own pattern.
// References `%{…}` in it are replaced by the current values. An empty pattern means the previous
// pattern, again with the current values.
func (s *Store) SetPattern(pattern string) error {
	if pattern != "" {
		s.pattern, s.block = pattern, ""
	}
	return s.fillPatterns()
}

// AddPatternBlock adds a block in brackets after the time to every line of the log. If the tree
// sets a pattern, the block is not added; the original program then still adds it to the store's
// own lines.
func (s *Store) AddPatternBlock(block string) error {
	s.block += "[" + block + "]"
	return s.fillPatterns()
}

// fillPatterns replaces the references `%{…}` in all patterns by values. Before that, plugins may
// share the data that the references name.
func (s *Store) fillPatterns() error {
	common := s.pattern
	if common == "" && s.block != "" {
		common = logging.WithBlock(s.block)
	}
	own := common
	if s.block != "" && s.options.Dialect == Upstream {
		own = logging.WithBlock(s.block)
	}
	var err error
	if s.common, err = s.fillPattern(common, nil); err != nil {
		return err
	}
	if s.Log.Pattern, err = s.fillPattern(own, s.Log.Pattern); err != nil {
		return err
	}
	for _, c := range s.plugins {
		if c.Log.Pattern, err = s.fillPattern(cmp.Or(c.pattern, common), c.Log.Pattern); err != nil {
			return err
		}
	}
	return nil
}

// fillPattern compiles a pattern. An empty pattern means the pattern before.
func (s *Store) fillPattern(pattern string, before *logging.Pattern) (*logging.Pattern, error) {
	if pattern == "" {
		return before, nil
	}
	filled, err := s.evaluatePattern(pattern)
	if err != nil {
		return before, err
	}
	return logging.Compile(filled), nil
}

// evaluatePattern replaces each `%{reference}` by its value.
func (s *Store) evaluatePattern(pattern string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "%{")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		reference, after, closed := strings.Cut(rest, "}")
		if !closed {
			after = ""
		}
		v, err := s.env.ParseReference(nil, reference)
		if err == nil && !closed {
			err = Errorf(StatusValue, nil, "`%%{%s` has no closing brace", reference)
		}
		var text string
		if err == nil {
			text, err = v.Text()
		}
		if err != nil {
			return "", Within(err, "in the pattern of the log")
		}
		out.WriteString(strings.ReplaceAll(text, "%", "%%"))
		pattern = after
	}
}
