package record

import (
	"fmt"
	"slices"
)

// Newest is the record of the newest run that has ended but for so many.
func (s Store) Newest(skip int) (*Record, error) {
	list, err := s.List()
	list = slices.DeleteFunc(list, func(r *Record) bool { return r.Stage() != Ended })
	if err == nil && skip >= len(list) {
		err = fmt.Errorf("no run that has ended is recorded in `%s`", s.Dir)
		if skip > 0 {
			err = fmt.Errorf("only %d of the runs that are needed is recorded in `%s`", len(list), s.Dir)
		}
	}
	if err != nil {
		return nil, err
	}
	return list[len(list)-1-skip], nil
}

// Made is the record of the newest run that has written a file, wherever the file lies now.
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
	return nil, fmt.Errorf("no run that is recorded in `%s` has written `%s` as it is now", s.Dir, path)
}
