package fastpng

import (
	"encoding/binary"
	"hash/adler32"
)

const (
	// maxRatio is how many bytes one byte of a stream becomes at most.
	maxRatio = 1032

	// slack is how many bytes a turn of the loop in block may write behind the last one that
	// counts: four literals, or the longest match and the rest of its last 8 bytes.
	slack = 258 + 8
)

// inflate decompresses a stream of zlib, which has trailer bytes of something else behind it.
// It reports whether the stream is whole and has size bytes, which are then the first of out.
func inflate(out []byte, size int, stream []byte) bool {
	end := len(stream) - trailer
	if end < 2+4 || stream[0]&15 != 8 || stream[0]>>4 > 7 || stream[1]&0x20 != 0 || binary.BigEndian.Uint16(stream)%31 != 0 {
		return false
	}
	z := inflater{in: stream, at: 2, out: out, size: size}
	for last := false; !last; {
		if !z.refill() {
			return false
		}
		last = z.take(1) == 1
		ok := false
		switch z.take(2) {
		case 0:
			ok = z.stored()
		case 1:
			ok = z.fixed() && z.block()
		case 2:
			ok = z.dynamic() && z.block()
		}
		if !ok {
			return false
		}
	}
	z.align()
	return z.to == size && z.at == end-4 && binary.BigEndian.Uint32(stream[z.at:]) == adler32.Checksum(out[:size])
}

// inflater is where a stream has been decompressed to.
type inflater struct {
	in       []byte
	at       int    // the next byte to load
	bits     uint64 // the next bits, the first one lowest; those from count on may be set already
	count    uint   // how many of them are accounted for
	out      []byte
	to, size int

	literals  [litSize]uint32
	distances [distSize]uint32
}

// refill loads bits until there are at least 56. It reports false behind the end of the data.
func (z *inflater) refill() bool {
	if z.at+8 > len(z.in) {
		return false
	}
	z.bits |= binary.LittleEndian.Uint64(z.in[z.at:]) << (z.count & 63)
	z.at += int(63-z.count) >> 3
	z.count |= 56
	return true
}

// take takes up to 16 bits, which must be there.
func (z *inflater) take(n uint) uint {
	v := uint(z.bits & (1<<n - 1))
	z.bits >>= n
	z.count -= n
	return v
}

// align goes back to the first whole byte that has not been used.
func (z *inflater) align() {
	z.at -= int(z.count >> 3)
	z.bits, z.count = 0, 0
}

// stored copies a block that is not compressed.
func (z *inflater) stored() bool {
	z.align()
	if z.at+4 > len(z.in) {
		return false
	}
	n := binary.LittleEndian.Uint16(z.in[z.at:])
	if n != ^binary.LittleEndian.Uint16(z.in[z.at+2:]) {
		return false
	}
	z.at += 4
	if int(n) > len(z.in)-z.at || int(n) > z.size-z.to {
		return false
	}
	copy(z.out[z.to:], z.in[z.at:z.at+int(n)])
	z.at, z.to = z.at+int(n), z.to+int(n)
	return true
}

// block decompresses a block by the tables.
func (z *inflater) block() bool {
	in, at, bits, count := z.in, z.at, z.bits, z.count
	out, to, size := z.out, z.to, z.size
	for {
		if at+8 > len(in) || to > size {
			return false
		}
		bits |= binary.LittleEndian.Uint64(in[at:]) << (count & 63)
		at += int(63-count) >> 3
		count |= 56
		e := z.literals[bits&litMask]
		if e&literal != 0 { // up to four, as the bits of four are there for certain
			out[to] = byte(e >> 16)
			bits >>= e & 15
			count -= uint(e & 15)
			if e = z.literals[bits&litMask]; e&literal == 0 {
				to++
				continue
			}
			out[to+1] = byte(e >> 16)
			bits >>= e & 15
			count -= uint(e & 15)
			if e = z.literals[bits&litMask]; e&literal == 0 {
				to += 2
				continue
			}
			out[to+2] = byte(e >> 16)
			bits >>= e & 15
			count -= uint(e & 15)
			if e = z.literals[bits&litMask]; e&literal == 0 {
				to += 3
				continue
			}
			out[to+3] = byte(e >> 16)
			bits >>= e & 15
			count -= uint(e & 15)
			to += 4
			continue
		}
		if e&long != 0 {
			e = z.literals[int(e>>8&0x1fff)+int(bits>>litBits&(1<<(maxLength-litBits)-1))]
		}
		bits >>= e & 15
		count -= uint(e & 15)
		switch {
		case e&literal != 0:
			out[to] = byte(e >> 16)
			to++
			continue
		case e&endOfBlock != 0:
			z.at, z.bits, z.count, z.to = at, bits, count, to
			return true
		case e < 1<<16:
			return false // no code has these bits
		}
		extra := e >> 8 & 15
		length := int(e>>16) + int(bits&(1<<extra-1))
		bits >>= extra
		count -= uint(extra)

		d := z.distances[bits&distMask]
		if d&long != 0 {
			d = z.distances[int(d>>8&0x1fff)+int(bits>>distBits&(1<<(maxLength-distBits)-1))]
		}
		if d < 1<<16 {
			return false
		}
		bits >>= d & 15
		count -= uint(d & 15)
		extra = d >> 8 & 15
		distance := int(d>>16) + int(bits&(1<<extra-1))
		bits >>= extra
		count -= uint(extra)
		if distance > to {
			return false
		}
		repeat(out, to, distance, length)
		to += length
	}
}

// repeat copies a match. It may write up to 7 bytes more.
func repeat(out []byte, to, distance, length int) {
	from := to - distance
	if distance < 8 {
		for i := range length {
			out[to+i] = out[from+i]
		}
		return
	}
	for end := to + length; to < end; to, from = to+8, from+8 {
		binary.LittleEndian.PutUint64(out[to:], binary.LittleEndian.Uint64(out[from:]))
	}
}
