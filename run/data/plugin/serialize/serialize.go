// Package serialize is the plugin `serialize`: for each of its data, it shares a second datum with the
// same value in memory without gaps.
package serialize

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// Plugin returns the plugin.
func Plugin() data.Plugin {
	return data.Plugin{
		Name:  "serialize",
		Title: "Serialize",
		Doc: "Shares, whenever a datum is shared, a copy without holes, unused elements and pointers: `name: name of the copy`. " +
			"Changes of the copy are written back to the datum when it is reclaimed.",
		Runs:   data.Everywhere,
		Config: &config.Rule{Keys: []config.Key{config.Log}, Names: config.Only(config.Provides), NameIs: config.Reads},
		New:    load,
	}
}

func load(c *data.Context) error {
	err := c.Config.Each("a mapping `datum: name of its copy`", func(name string, _, value *data.Node) error {
		if name == "logging" && value.Kind == data.MappingNode {
			return nil // this key configures the log and does not name a datum
		}
		copyName, err := value.Scalar("the name of a copy")
		if err != nil {
			return err
		}
		s := &serialized{Context: c, copy: copyName}
		c.OnShare(name, s.share)
		c.OnRemove(name, s.remove)
		return nil
	})
	if err == nil {
		c.Greet()
	}
	return err
}

// serialized makes the copies of one datum, which may be shared several times.
type serialized struct {
	*data.Context
	copy  string
	stack []*data.Flat
}

func (s *serialized) share(_ string, ref data.Ref) error {
	return s.Timed(func() error {
		t := ref.Type()
		if t == nil {
			return nil
		}
		access := data.None
		from, readable := ref.Read()
		if readable == nil {
			access |= data.Out
		}
		to, writable := ref.Write()
		if writable == nil {
			access |= data.In
			from = to
		}
		if access == data.None {
			s.stack = append(s.stack, nil)
			return nil
		}
		flat, err := s.FlattenToShare(t, from)
		if err != nil {
			return err
		}
		if readable == nil {
			flat.Pack()
		}
		s.stack = append(s.stack, flat)
		return s.ShareAs(s.copy, flat.Type, flat.Bytes, access)
	})
}

func (s *serialized) remove(_ string, ref data.Ref) error {
	if len(s.stack) == 0 {
		return nil
	}
	flat := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	if flat == nil {
		return nil
	}
	return s.Timed(func() error {
		if _, writable := ref.Write(); writable == nil {
			flat.Unpack()
		}
		return s.Release(s.copy)
	})
}
