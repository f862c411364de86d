package fastpng

import "math/bits"

// The first bits of a code choose an entry of a table. Where the code is longer, the
// entry is where a second table begins that the rest chooses from.
//
//	bits 0-3    length of the code
//	bits 8-11   how many extra bits follow it
//	bits 16-30  the literal, or what the extra bits are added to
//
// An entry of 0 is no code.
const (
	long       = 1 << 31 // bits 8-20 say where the second table begins
	literal    = 1 << 30 // distances, which have all bits up to this one, have no such flags
	endOfBlock = 1 << 29

	maxLength = 15 // of a code

	// A second table has at least two codes of its own.
	litBits, litCodes   = 11, 288
	litMask             = 1<<litBits - 1
	litSize             = 1<<litBits + litCodes/2<<(maxLength-litBits)
	distBits, distCodes = 8, 32
	distMask            = 1<<distBits - 1
	distSize            = 1<<distBits + distCodes/2<<(maxLength-distBits)
	metaBits, metaCodes = 7, 19
)

// What codes mean: literals and lengths, distances, and lengths of codes. The last two
// literals and distances are never used.
var (
	litMeanings  = literalMeanings()
	distMeanings = distanceMeanings()
	metaMeanings = lengthMeanings()

	metaOrder = [metaCodes]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
)

func literalMeanings() (m [litCodes]uint32) {
	for i := range uint32(256) {
		m[i] = literal | i<<16
	}
	m[256] = endOfBlock
	base := uint32(3)
	for i := range uint32(28) {
		extra := uint32(0)
		if i >= 8 {
			extra = i/4 - 1
		}
		m[257+i] = base<<16 | extra<<8
		base += 1 << extra
	}
	m[285] = 258 << 16
	return m
}

func distanceMeanings() (m [distCodes]uint32) {
	base := uint32(1)
	for i := range uint32(30) {
		extra := uint32(0)
		if i >= 4 {
			extra = i/2 - 1
		}
		m[i] = base<<16 | extra<<8
		base += 1 << extra
	}
	return m
}

func lengthMeanings() (m [metaCodes]uint32) {
	for i := range uint32(metaCodes) {
		m[i] = literal | i<<16
	}
	return m
}

// fixed makes the tables of blocks without codes of their own.
func (z *inflater) fixed() bool {
	var lengths [litCodes]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	var distances [distCodes]uint8
	for i := range distances {
		distances[i] = 5
	}
	return build(z.literals[:], litBits, lengths[:], litMeanings[:]) && build(z.distances[:], distBits, distances[:], distMeanings[:])
}

// dynamic reads the codes of a block, and makes its tables.
func (z *inflater) dynamic() bool {
	literals, distances, metas := int(z.take(5))+257, int(z.take(5))+1, int(z.take(4))+4
	if literals > 286 || distances > 30 {
		return false
	}
	var lengths [286 + 30]uint8
	for _, symbol := range metaOrder[:metas] {
		if !z.refill() {
			return false
		}
		lengths[symbol] = uint8(z.take(3))
	}
	var table [1 << metaBits]uint32
	if !build(table[:], metaBits, lengths[:metaCodes], metaMeanings[:]) {
		return false
	}
	clear(lengths[:])
	for i := 0; i < literals+distances; {
		if !z.refill() {
			return false
		}
		e := table[z.bits&(1<<metaBits-1)]
		if e == 0 {
			return false
		}
		z.take(uint(e & 15))
		value, times := uint8(e>>16), 1
		switch value {
		case 16:
			if i == 0 {
				return false
			}
			value, times = lengths[i-1], 3+int(z.take(2))
		case 17:
			value, times = 0, 3+int(z.take(3))
		case 18:
			value, times = 0, 11+int(z.take(7))
		}
		if times > literals+distances-i {
			return false
		}
		for range times {
			lengths[i] = value
			i++
		}
	}
	return build(z.literals[:], litBits, lengths[:literals], litMeanings[:]) &&
		build(z.distances[:], distBits, lengths[literals:literals+distances], distMeanings[:])
}

// build fills a table for codes of some lengths, of which 0 means that there is none. It
// reports whether the codes use all bits; one code of one bit may be alone, and none may be at all.
func build(table []uint32, first uint, lengths []uint8, meanings []uint32) bool {
	var count, offset [maxLength + 2]int
	for _, n := range lengths {
		count[n]++
	}
	codes := len(lengths) - count[0]
	count[0] = 0
	free := 1
	for n := 1; n <= maxLength; n++ {
		if free = free<<1 - count[n]; free < 0 {
			return false
		}
		offset[n+1] = offset[n] + count[n]
	}
	if free > 0 {
		if codes > 1 || codes != count[1] {
			return false
		}
		clear(table[:1<<first])
	}
	var sorted [litCodes]uint16 // by length, then by number: as the codes rise
	for i, n := range lengths {
		if n > 0 {
			sorted[offset[n]] = uint16(i)
			offset[n]++
		}
	}
	code, before := uint(0), uint(0)
	second, end, prefix := 0, 1<<first, -1
	for _, symbol := range sorted[:codes] {
		n := uint(lengths[symbol])
		code <<= n - before
		before = n
		reversed := int(bits.Reverse16(uint16(code)) >> (16 - n)) // as it comes, the first bit lowest
		code++
		entry := meanings[symbol]
		if entry != 0 {
			entry |= uint32(n)
		}
		if n <= first {
			for i := reversed; i < 1<<first; i += 1 << n {
				table[i] = entry
			}
			continue
		}
		if p := reversed & (1<<first - 1); p != prefix {
			prefix, second = p, end
			end += 1 << (maxLength - first)
			table[p] = long | uint32(second)<<8
		}
		for i := reversed >> first; i < 1<<(maxLength-first); i += 1 << (n - first) {
			table[second+i] = entry
		}
	}
	return true
}
