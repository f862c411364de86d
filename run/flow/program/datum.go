package program

import (
	"bytes"
	"fmt"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/handoff"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// datum returns a copy of a value that a program has handed over. It must be copied, because
// the program will reuse the memory.
func datum(item handoff.Item) flow.Datum {
	if item.Kind == handoff.Text {
		text, _, _ := bytes.Cut(item.Bytes, []byte{0})
		return flow.OfText(string(text))
	}
	t := &tensor.Tensor{Kind: item.Kind, Shape: item.Shape, Data: bytes.Clone(item.Bytes)}
	switch {
	case len(item.Shape) > 0:
		return flow.Of(t)
	case item.Kind.IsFloat():
		return flow.OfFloat(t.At(0))
	case item.Kind == tensor.Uint64 && t.Int(0) < 0:
		return flow.OfError(fmt.Sprintf("%s is larger than the largest whole number of a pipeline", t.AppendText(nil, 0)))
	}
	return flow.OfInt(t.Int(0))
}
