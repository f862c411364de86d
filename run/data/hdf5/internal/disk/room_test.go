package disk

import (
	"bytes"
	"testing"
)

// TestRoomBeforeHeader checks that the space before a header that begins on the next
// cache line is used.
func TestRoomBeforeHeader(t *testing.T) {
	f := New(bytes.NewReader(nil), 0, lineSize-8)
	if e := f.AllocHeader(64, 36); e.Addr != lineSize {
		t.Errorf("the header is at %d, want %v", e.Addr, lineSize)
	}
	if addr := f.Alloc(8); addr != lineSize-8 {
		t.Errorf("8 bytes are put at %d, and the line has as many left", addr)
	}
}
