package sprokit

import "testing"

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"process a :: numbers\n":                          true,
		"# a fragment\nblock x\n  k = 1\nendblock\n":      true,
		":type ocv\n":                                     true,
		"relativepath model = m.dat\n":                    true,
		"key = value\nother = 1\n":                        false,
		"[OpenMP.default]\n    omp_work = off\n":          false,
		"types:\n  process: {type: int}\n":                false,
		"process the data, then connect to the server.\n": false,
		"daemon paradynd {\n  command \"paradynd\";\n}\n": false,
		"": false,
	} {
		if got := sniff(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
