package declhdf5

import (
	"bytes"
	"encoding/gob"
	"time"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// peers is the message exchange between the processes of a communicator: rank 0 talks to every other process. The
// messages of a process form one stream, so the types of messages are described only once. After a lost message, the
// following ones cannot be read.
type peers struct {
	ranks.Group
	lost     error // the reason why messages can no longer be exchanged; nil: they can
	up, down outStream
	fromAll  []inStream // of rank 0: the streams from each process
	fromRoot inStream   // of the others: the stream from rank 0
}

// outStream is a stream of outgoing messages.
type outStream struct {
	bytes.Buffer
	*gob.Encoder
}

// inStream is a stream of incoming messages.
type inStream struct {
	bytes.Buffer
	*gob.Decoder
}

func newPeers(g ranks.Group) *peers {
	c := &peers{Group: g, fromAll: make([]inStream, g.Size())}
	c.up.Encoder = gob.NewEncoder(&c.up.Buffer)
	c.down.Encoder = gob.NewEncoder(&c.down.Buffer)
	c.fromRoot.Decoder = gob.NewDecoder(&c.fromRoot.Buffer)
	for i := range c.fromAll {
		c.fromAll[i].Decoder = gob.NewDecoder(&c.fromAll[i].Buffer)
	}
	return c
}

// encode encodes the next message.
func (v *outStream) encode(x any) []byte {
	if err := v.Encode(x); err != nil {
		panic(err) // cannot happen: gob can encode all messages of this package
	}
	b := bytes.Clone(v.Bytes())
	v.Reset()
	return b
}

// decode decodes the next message.
func (e *inStream) decode(b []byte, x any) error {
	e.Write(b)
	return readable(e.Decode(x))
}

// gather sends one message from each process to rank 0. On rank 0, the result is indexed by rank.
func gather[T any](c *peers, v *T, timeout time.Duration) ([]*T, error) {
	messages, err := ranks.Gather(c, c.up.encode(v), timeout)
	if err != nil || c.Rank() != 0 {
		return nil, err
	}
	all := make([]*T, len(messages))
	for from, b := range messages {
		all[from] = new(T)
		if err := c.fromAll[from].decode(b, all[from]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// spread sends a message from rank 0 to all processes.
func spread[T any](c *peers, v *T, timeout time.Duration) error {
	var message []byte
	if c.Rank() == 0 {
		message = c.down.encode(v)
	}
	b, err := ranks.Share(c, message, timeout)
	if err != nil || c.Rank() == 0 {
		return err
	}
	*v = *new(T)
	return c.fromRoot.decode(b, v)
}

// exchange sends a message from each process to each process: out is indexed by receiver, the result by sender. These
// messages are long, and each describes its own types.
func exchange[T any](c *peers, out []T, timeout time.Duration) ([]T, error) {
	messages := make([][]byte, len(out))
	for to := range out {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(&out[to]); err != nil {
			panic(err) // cannot happen: gob can encode all messages of this package
		}
		messages[to] = b.Bytes()
	}
	messages, err := ranks.Exchange(c, messages, timeout)
	in := make([]T, len(messages))
	for from := 0; from < len(messages) && err == nil; from++ {
		err = readable(gob.NewDecoder(bytes.NewReader(messages[from])).Decode(&in[from]))
	}
	return in, err
}

// readable replaces the error of a message that cannot be decoded.
func readable(err error) error {
	if err == nil {
		return nil
	}
	return data.Errorf(data.StatusSystem, nil, "a message of another process cannot be read: the processes must use the same libpdi")
}
