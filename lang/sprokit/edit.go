package sprokit

import "github.com/pentode-dev/pentode/core/source"

func (m *Model) edit(o *options, key, value string) ([]source.Edit, error) { return nil, nil }
