//go:build !linux

package launch

// start returns an error: groups, sessions and the death of a parent are implemented for Linux only.
func (s *system) start(c Command) (Proc, error) {
	if _, err := c.find(); err != nil {
		return nil, err
	}
	return nil, &StartError{126, "programs can be started only on Linux so far: `" + c.Argv[0] + "` is not started"}
}

func (s *system) adopt(string) (release func(), err error) { return func() {}, nil }

func (s *system) strays(run, node string) []Proc { return nil }
