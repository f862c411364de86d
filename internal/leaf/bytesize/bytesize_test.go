package bytesize

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "100B": 100, "7 b": 7, "2K": 2 << 10, "2k": 2 << 10, "10 KB": 10 << 10, "200kB": 200 << 10, "2 KiB": 2 << 10,
		"1.5MB": 3 << 19, "512MiB": 512 << 20, "64mb": 64 << 20, "2G": 2 << 30, "3 TB": 3 << 40, "1T": 1 << 40, "0.5": 0,
	} {
		if got, ok := Parse(text); !ok || got != want {
			t.Errorf("`%s` is %d, %v; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", " ", "GB", "-1", "+1", "-1MB", "2iB", "2iB2", "2XB", "2KMB", "2BB", "2KiBs", "5 ells", "1,5", "1..5", "NaN", "Inf", "1e30", "1e3MB", "0x10", "1_000",
		"1152921504606846976", "9999999999GB", "1048576TB",
	} {
		if got, ok := Parse(text); ok {
			t.Errorf("`%s` was accepted as %d", text, got)
		}
	}
}

func TestFormat(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 1: "1B", 1000: "1000B", 1 << 10: "1KB", 1025: "1025B", 256 << 20: "256MB", 3 << 19: "1536KB", 2 << 30: "2GB", 1 << 50: "1024TB",
	} {
		got := Format(n)
		if again, ok := Parse(got); got != want || !ok || again != n {
			t.Errorf("%d is written %s, want %s; which is read as %d", n, got, want, again)
		}
	}
}

// TestText checks that sizes are written with three digits, in the units that Parse reads.
func TestText(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0B", 1: "1B", 1000: "1000B", 1023: "1023B", 1024: "1KB", 1500: "1.46KB", 40_960: "40KB", 41_000: "40KB", 123_456: "121KB", 1023 << 10: "1MB",
		64 << 20: "64MB", 3 << 19: "1.5MB", 5 << 30: "5GB", 2000 << 40: "2000TB",
	} {
		got := Text(n)
		if got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
		if again, ok := Parse(got); !ok || again < n-n/100 || again > n+n/100 {
			t.Errorf("%d is written %s, which is read as %d, %v", n, got, again, ok)
		}
	}
}
