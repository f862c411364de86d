package record

import (
	"fmt"
	"slices"
)

// Newest returns the record of the newest ended run, after skipping some.
func (s Store) Newest(skip int) (*Record, error) {
	list, err := s.List()
	list = slices.DeleteFunc(list, func(r *Record) bool { return r.Stage() != Ended })
	if err == nil && skip >= len(list) {
		err = fmt.Errorf("there is no record of an ended run in `%s`", s.Dir)
		if skip > 0 {
			err = fmt.Errorf("only %d of the needed runs is recorded in `%s`", len(list), s.Dir)
		}
	}
	if err != nil {
		return nil, err
	}
	return list[len(list)-1-skip], nil
}

// Made returns the record of the newest run that has written a file, even if the file was moved.
func (s Store) Made(path string) (*Record, error) {
	sum, err := Sum(path)
	if err != nil {
		return nil, fmt.Errorf("`%s` cannot be read", path)
	}
	list, err := s.List()
	if err != nil {
		return nil, err
	}
	for i := len(list) - 1; i >= 0 && sum != ""; i-- {
		for _, r := range list[i].Results {
			if r.Hash == sum {
				return list[i], nil
			}
		}
	}
	return nil, fmt.Errorf("no run recorded in `%s` has written `%s` with its current content", s.Dir, path)
}
