package cli

import "testing"

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1": 1, "64MB": 64 << 20, "64mb": 64 << 20, "2G": 2 << 30, "10 KB": 10 << 10, "7B": 7} {
		var b byteSize
		if err := b.Set(text); err != nil || int64(b) != want {
			t.Errorf("%s: have %d, %v", text, b, err)
		}
		var again byteSize
		if err := again.Set(b.String()); err != nil || again != b {
			t.Errorf("%s is written %s", text, b.String())
		}
	}
	for _, text := range []string{"", "MB", "-1", "1.5GB", "9999999999GB", "3 TB"} {
		if b := byteSize(0); b.Set(text) == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}
