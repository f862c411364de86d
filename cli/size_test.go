package cli

import "testing"

func TestByteSize(t *testing.T) {
	b := byteSize(256 << 20)
	if err := b.Set("much"); err == nil || b.String() != "256MB" {
		t.Errorf("`much` was accepted as %s", b.String())
	}
	if err := b.Set("1.5 GiB"); err != nil || b != 3<<29 {
		t.Errorf("1.5 GiB is %d, %v", b, err)
	}
}
