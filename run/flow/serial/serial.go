// Package serial has process types that convert data to messages and back, and that write
// messages to files.
//
//	group/a ─┐                                                    ┌─▶ group/a
//	         ├─ serializer ─▶ group (message) ─▶ … ─ deserializer ┤
//	group/b ─┘                                                    └─▶ group/b
//
// A message is the word `pentode1` and a record in the binary form of package
// wire, with a member for each element of the group.
package serial

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/wire"
)

// Types lists the process types.
func Types() []*pipe.Type { return []*pipe.Type{serializerType(), deserializerType(), fileType()} }

const (
	messageType = "kwiver:serialized_message"
	kwiver      = "KWIVER 1.8" // the version of KWIVER whose types these are
	magic       = "pentode1"
	form        = "pentode"
)

func keys() []pipe.Key {
	return []pipe.Key{
		{Name: "serialization_type", Kind: pipe.String, Doc: "Form of the messages: empty or pentode, the only form."},
		{Name: "dump_message", Kind: pipe.Bool, Default: "false", Doc: "Whether the size of each message is logged."},
	}
}

func serializerType() *pipe.Type {
	return &pipe.Type{
		Name:    "serializer",
		Version: kwiver,
		New:     func() pipe.Process { return &serializer{} },
		Doc:     "Combines the data of a group of ports into one message.",
		In:      []pipe.Port{{Name: "<any>", Type: pipe.FlowDependent, Flags: pipe.Required, Least: 1, Doc: "GROUP/ELEMENT, or GROUP alone."}},
		Out:     []pipe.Port{{Name: "<any>", Type: messageType, Flags: pipe.Required | pipe.Shared, Doc: "GROUP: its message."}},
		Keys:    keys(),
		Judge:   judgeForm,
	}
}

func deserializerType() *pipe.Type {
	return &pipe.Type{
		Name:    "deserializer",
		Version: kwiver,
		New:     func() pipe.Process { return &deserializer{} },
		Doc:     "Splits each message into the data of a group of ports.",
		In:      []pipe.Port{{Name: "<any>", Type: messageType, Flags: pipe.Required, Least: 1, Doc: "GROUP: its message."}},
		Out:     []pipe.Port{{Name: "<any>", Type: pipe.FlowDependent, Flags: pipe.Required, Doc: "GROUP/ELEMENT, or GROUP alone."}},
		Keys:    keys(),
		Judge:   judgeForm,
	}
}

func fileType() *pipe.Type {
	return &pipe.Type{
		Name:    "file_transport_send",
		Version: kwiver,
		New:     func() pipe.Process { return &file{} },
		Doc:     "Writes messages to a file, each after its length in four bytes, lowest byte first.",
		In:      []pipe.Port{{Name: "serialized_message", Type: messageType, Flags: pipe.Required, Doc: "A message."}},
		Keys:    []pipe.Key{{Name: "file_name", Kind: pipe.String, Writes: true, Default: "serialized_data.dat", Doc: "The file; it is emptied first."}},
	}
}

func judgeForm(v pipe.Values) error {
	if have := v.Value("serialization_type"); have != form && have != "" {
		return v.Errorf("serialization_type", "messages of the form `%s` are not known here: expected %s", have, form)
	}
	return nil
}

// A member is a port of a group, and its name within the group.
type member[P any] struct {
	element string
	port    P
}

type serializer struct {
	groups map[string][]member[*flow.In]
	outs   []*flow.Out
	dump   bool
}

func (p *serializer) Setup(s *flow.Setup) error {
	p.groups, p.outs, p.dump = map[string][]member[*flow.In]{}, s.Outs(), s.Bool("dump_message")
	for _, in := range s.Ins() {
		group, element, _ := strings.Cut(in.Name(), "/")
		p.groups[group] = append(p.groups[group], member[*flow.In]{element, in})
	}
	for _, out := range p.outs {
		if p.groups[out.Name()] == nil {
			return fmt.Errorf("output `%s` has no input `%s/…` for its messages", out.Name(), out.Name())
		}
	}
	return nil
}

func (p *serializer) Step(s pipe.Step) error {
	messages := map[string][]byte{}
	for group, members := range p.groups {
		data := map[string]flow.Datum{}
		for _, m := range members {
			data[m.element] = m.port.Take()
		}
		message, err := Encode(data)
		if err != nil {
			return fmt.Errorf("group `%s`: %w", group, err)
		}
		messages[group] = message
	}
	for _, out := range p.outs {
		if p.dump {
			s.Log().Info(fmt.Sprintf("a message of %d bytes at `%s`", len(messages[out.Name()]), out.Name()))
		}
		out.Push(flow.Of(messages[out.Name()]))
	}
	return nil
}

// Encode makes a message from the elements of a group.
func Encode(data map[string]flow.Datum) ([]byte, error) {
	members := make(map[string]any, len(data))
	for element, d := range data {
		members[element] = d.Value()
	}
	e := wire.Encoder{Buf: []byte(magic)}
	err := e.Datum(flow.Of(members))
	return e.Buf, err
}

// Decode returns the elements of a message.
func Decode(message []byte) (map[string]flow.Datum, error) {
	rest, ok := bytes.CutPrefix(message, []byte(magic))
	if !ok {
		return nil, errors.New("this is not a message of this program")
	}
	d := wire.Decoder{Buf: rest}
	v, err := d.Datum()
	if err != nil {
		return nil, fmt.Errorf("the message is damaged: %w", err)
	}
	members, ok := v.Value().(map[string]any)
	if !ok || len(d.Buf) > 0 {
		return nil, errors.New("the message is damaged")
	}
	data := make(map[string]flow.Datum, len(members))
	for element, v := range members {
		if data[element] = flow.Of(v); v == nil {
			data[element] = flow.OfEmpty()
		}
	}
	return data, nil
}

type deserializer struct {
	ins    []*flow.In
	groups map[string][]member[*flow.Out]
}

func (p *deserializer) Setup(s *flow.Setup) error {
	p.ins, p.groups = s.Ins(), map[string][]member[*flow.Out]{}
	for _, out := range s.Outs() {
		group, element, _ := strings.Cut(out.Name(), "/")
		p.groups[group] = append(p.groups[group], member[*flow.Out]{element, out})
	}
	return nil
}

func (p *deserializer) Step(pipe.Step) error {
	for _, in := range p.ins {
		data, err := Decode(flow.As[[]byte](in.Take()))
		if err != nil {
			return fmt.Errorf("input `%s`: %w", in.Name(), err)
		}
		for _, m := range p.groups[in.Name()] {
			d, ok := data[m.element]
			if !ok {
				return fmt.Errorf("a message at `%s` has no element `%s`", in.Name(), m.element)
			}
			m.port.Push(d)
		}
	}
	return nil
}

type file struct {
	flow.ResultFile
	in *flow.In
}

func (p *file) Setup(s *flow.Setup) (err error) {
	p.in = s.In("serialized_message")
	p.ResultFile, err = s.ResultFile("file_name")
	return err
}

func (p *file) Step(pipe.Step) error {
	message := flow.As[[]byte](p.in.Take())
	var length [4]byte
	binary.LittleEndian.PutUint32(length[:], uint32(len(message)))
	p.Out.Write(length[:])
	_, err := p.Out.Write(message)
	return p.Wrote(err)
}
