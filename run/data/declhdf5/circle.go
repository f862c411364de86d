package declhdf5

import (
	"bytes"
	"encoding/gob"
	"time"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// circle is the processes of a communicator in conversation: each speaks to rank 0, and rank 0 to all. What one says is
// one stream, so that the types of messages are described once and not in each: a message that is lost makes the next
// ones unreadable.
type circle struct {
	ranks.Group
	lost     error // why it cannot be used any more
	up, down voice
	heard    []ear // by rank 0, of each
	told     ear   // by the others, of rank 0
}

// voice is a stream of messages on its way out.
type voice struct {
	bytes.Buffer
	*gob.Encoder
}

// ear is a stream of messages that came.
type ear struct {
	bytes.Buffer
	*gob.Decoder
}

func newCircle(g ranks.Group) *circle {
	c := &circle{Group: g, heard: make([]ear, g.Size())}
	c.up.Encoder = gob.NewEncoder(&c.up.Buffer)
	c.down.Encoder = gob.NewEncoder(&c.down.Buffer)
	c.told.Decoder = gob.NewDecoder(&c.told.Buffer)
	for i := range c.heard {
		c.heard[i].Decoder = gob.NewDecoder(&c.heard[i].Buffer)
	}
	return c
}

// say gives the next message.
func (v *voice) say(x any) []byte {
	if err := v.Encode(x); err != nil {
		panic(err) // the types of this package can be sent
	}
	b := bytes.Clone(v.Bytes())
	v.Reset()
	return b
}

// hear reads the next message.
func (e *ear) hear(b []byte, x any) error {
	e.Write(b)
	return readable(e.Decode(x))
}

// gather brings what the processes say to rank 0, which gets it by rank.
func gather[T any](c *circle, v *T, timeout time.Duration) ([]*T, error) {
	messages, err := ranks.Gather(c, c.up.say(v), timeout)
	if err != nil || c.Rank() != 0 {
		return nil, err
	}
	all := make([]*T, len(messages))
	for from, b := range messages {
		all[from] = new(T)
		if err := c.heard[from].hear(b, all[from]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// spread brings what rank 0 says to all.
func spread[T any](c *circle, v *T, timeout time.Duration) error {
	var message []byte
	if c.Rank() == 0 {
		message = c.down.say(v)
	}
	b, err := ranks.Share(c, message, timeout)
	if err != nil || c.Rank() == 0 {
		return err
	}
	*v = *new(T)
	return c.told.hear(b, v)
}

// exchange brings what each process has for each: out is by receiver, the answer by sender. These messages are of many
// bytes and describe themselves.
func exchange[T any](c *circle, out []T, timeout time.Duration) ([]T, error) {
	messages := make([][]byte, len(out))
	for to := range out {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(&out[to]); err != nil {
			panic(err) // the types of this package can be sent
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

// readable says in our words that a message could not be read.
func readable(err error) error {
	if err == nil {
		return nil
	}
	return data.Errorf(data.StatusSystem, nil, "a message of another process cannot be read: the processes must use the same libpdi")
}
