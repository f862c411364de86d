package pipe

import "fmt"

// Freq is the number of data that a port passes in each step of its process. It is a fraction. The
// zero value means one.
type Freq struct{ Num, Den int64 }

// UnknownFreq is the frequency of a port at which data pass at no fixed rate. The rates of an edge
// at such a port are not checked.
var UnknownFreq = Freq{0, 1}

// Times returns the frequency of n data per step.
func Times(n int64) Freq { return Freq{n, 1} }

func (f Freq) Norm() Freq {
	if f.Den == 0 || f.Num == 1 && f.Den == 1 {
		return Freq{1, 1}
	}
	if f.Num == 0 {
		return UnknownFreq
	}
	d := gcd(f.Num, f.Den)
	return Freq{f.Num / d, f.Den / d}
}

// Known reports whether the frequency is known, that is not UnknownFreq.
func (f Freq) Known() bool { return f.Den == 0 || f.Num != 0 }

// String returns a text such as `3`, `1/2` or `unknown`.
func (f Freq) String() string {
	f = f.Norm()
	switch {
	case f.Num == 0:
		return "unknown"
	case f.Den == 1:
		return fmt.Sprint(f.Num)
	}
	return fmt.Sprintf("%d/%d", f.Num, f.Den)
}

// mul and div return false if the result is outside the range of reasonable frequencies.
func (f Freq) mul(g Freq) (Freq, bool) {
	f, g = f.Norm(), g.Norm()
	if f == g && f.Num == 1 && f.Den == 1 {
		return f, true
	}
	a, b := gcd(f.Num, g.Den), gcd(g.Num, f.Den)
	n, ok1 := mul64(f.Num/a, g.Num/b)
	d, ok2 := mul64(f.Den/b, g.Den/a)
	return Freq{n, d}, ok1 && ok2
}

func (f Freq) div(g Freq) (Freq, bool) {
	g = g.Norm()
	return f.mul(Freq{g.Den, g.Num})
}

// maxFreq limits frequencies, so that stamps do not overflow an int64.
const maxFreq = 1 << 40

func mul64(a, b int64) (int64, bool) {
	if a != 0 && b > maxFreq/a {
		return 0, false
	}
	return a * b, true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	if a == 0 {
		return 1
	}
	return a
}

func lcm(a, b int64) (int64, bool) { return mul64(a/gcd(a, b), b) }
