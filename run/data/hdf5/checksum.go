package hdf5

import "math/bits"

// lookup3 is Bob Jenkins' hash of that name, the checksum of all newer
// structures and the hash of names in dense groups.
func lookup3(p []byte) uint32 {
	a := 0xdeadbeef + uint32(len(p))
	b, c := a, a
	for len(p) > 12 {
		a += le32(p)
		b += le32(p[4:])
		c += le32(p[8:])
		a -= c
		a ^= bits.RotateLeft32(c, 4)
		c += b
		b -= a
		b ^= bits.RotateLeft32(a, 6)
		a += c
		c -= b
		c ^= bits.RotateLeft32(b, 8)
		b += a
		a -= c
		a ^= bits.RotateLeft32(c, 16)
		c += b
		b -= a
		b ^= bits.RotateLeft32(a, 19)
		a += c
		c -= b
		c ^= bits.RotateLeft32(b, 4)
		b += a
		p = p[12:]
	}
	if len(p) == 0 {
		return c
	}
	var tail [12]byte
	copy(tail[:], p)
	a += le32(tail[:])
	b += le32(tail[4:])
	c += le32(tail[8:])
	c ^= b
	c -= bits.RotateLeft32(b, 14)
	a ^= c
	a -= bits.RotateLeft32(c, 11)
	b ^= a
	b -= bits.RotateLeft32(a, 25)
	c ^= b
	c -= bits.RotateLeft32(b, 16)
	a ^= c
	a -= bits.RotateLeft32(c, 4)
	b ^= a
	b -= bits.RotateLeft32(a, 14)
	c ^= b
	c -= bits.RotateLeft32(b, 24)
	return c
}

func le32(p []byte) uint32 {
	return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
}

// fletcher32 is the checksum of the Fletcher32 filter: 16-bit words, the first
// byte of each being the high one.
func fletcher32(p []byte) uint32 {
	var s1, s2 uint32
	for len(p) >= 2 {
		n := min(len(p)/2, 360) // as many words as cannot overflow the sums
		for i := range n {
			s1 += uint32(p[2*i])<<8 | uint32(p[2*i+1])
			s2 += s1
		}
		p = p[2*n:]
		s1 = s1&0xffff + s1>>16
		s2 = s2&0xffff + s2>>16
	}
	if len(p) == 1 {
		s1 += uint32(p[0]) << 8
		s2 += s1
		s1 = s1&0xffff + s1>>16
		s2 = s2&0xffff + s2>>16
	}
	s1 = s1&0xffff + s1>>16
	s2 = s2&0xffff + s2>>16
	return s2<<16 | s1
}
