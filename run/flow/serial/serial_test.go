package serial

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	pic "github.com/pentode-dev/pentode/run/flow/image"
)

// TestThereAndBack: a deserializer restores the data that a serializer has put into messages.
func TestThereAndBack(t *testing.T) {
	in := flowtest.Data{
		"g/number": {flow.OfInt(1), flow.OfInt(2)},
		"g/stamp":  {flow.Of(pic.Timestamp{Frame: 1}), flow.Of(pic.Timestamp{Frame: 2, Time: 0.5})},
		"h":        {flow.OfText("a"), flow.OfText("b")},
	}
	sent, err := flowtest.Feed(serializerType(), nil, in, []string{"g", "h"}, 10, flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := flowtest.Feed(deserializerType(), nil, sent, []string{"g/number", "g/stamp", "h"}, 10, flow.Options{})
	if err != nil || fmt.Sprint(back) != fmt.Sprint(in) {
		t.Errorf("have %v, %v", back, err)
	}
}

// FuzzDecode: for any message, reading ends without a panic. The data read can be written again,
// and are then read the same.
func FuzzDecode(f *testing.F) {
	message, err := Encode(map[string]flow.Datum{"a": flow.OfInt(1), "b": flow.Of(pic.Detections{{ID: 1}}), "c": flow.Of([]byte("x"))})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(message)
	f.Add([]byte(magic + "\x05\x42\x02"))
	f.Fuzz(func(t *testing.T, message []byte) {
		data, err := Decode(message)
		if err != nil {
			return
		}
		first, err := Encode(data)
		if err != nil {
			t.Fatal(err)
		}
		if data, err = Decode(first); err != nil {
			t.Fatal(err)
		}
		if again, err := Encode(data); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("%q became %q, %v", first, again, err)
		}
	})
}
