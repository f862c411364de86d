package fastpng

import "encoding/binary"

// unfilter turns the rows of an image, each after its filter byte, into pixels. The pixels move to
// the front, where earlier rows have already been read.
func unfilter(data []byte, height, stride, bytesPerPixel int) bool {
	above := make([]byte, stride) // before the first row everything is 0
	for y := range height {
		number, row, to := data[y*(stride+1)], data[y*(stride+1)+1:(y+1)*(stride+1)], data[y*stride:(y+1)*stride]
		switch number {
		case 0:
			copy(to, row)
		case 1:
			sub(to, row, bytesPerPixel)
		case 2:
			up(to, row, above)
		case 3:
			average(to, row, above, bytesPerPixel)
		case 4:
			switch bytesPerPixel {
			case 3:
				paeth3(to, row, above)
			case 4:
				paeth4(to, row, above)
			default:
				paeth(to, row, above, bytesPerPixel)
			}
		default:
			return false
		}
		above = to
	}
	return true
}

// sub adds the pixel to the left.
func sub(to, row []byte, n int) {
	row = row[:len(to)]
	switch n {
	case 3:
		var a, b, c byte
		for i := 0; i+3 <= len(to); i += 3 {
			a, b, c = a+row[i], b+row[i+1], c+row[i+2]
			to[i], to[i+1], to[i+2] = a, b, c
		}
	case 4:
		left := uint64(0)
		for i := 0; i+4 <= len(to); i += 4 {
			left = sums(left, uint64(binary.LittleEndian.Uint32(row[i:])))
			binary.LittleEndian.PutUint32(to[i:], uint32(left))
		}
	default:
		copy(to[:n], row)
		for i := n; i < len(to); i++ {
			to[i] = row[i] + to[i-n]
		}
	}
}

// up adds the pixel above.
func up(to, row, above []byte) {
	row, above = row[:len(to)], above[:len(to)]
	i := 0
	for ; i+8 <= len(to); i += 8 {
		binary.LittleEndian.PutUint64(to[i:], sums(binary.LittleEndian.Uint64(row[i:]), binary.LittleEndian.Uint64(above[i:])))
	}
	for ; i < len(to); i++ {
		to[i] = row[i] + above[i]
	}
}

// sums adds eight bytes to eight others, each without carry into the next.
func sums(a, b uint64) uint64 {
	const high = 0x8080808080808080
	return (a&^high + b&^high) ^ (a^b)&high
}

// average adds the mean of the pixels to the left and above.
func average(to, row, above []byte, n int) {
	row, above = row[:len(to)], above[:len(to)]
	if n == 3 {
		var a, b, c uint
		for i := 0; i+3 <= len(to); i += 3 {
			a = (uint(row[i]) + (a+uint(above[i]))>>1) & 255
			b = (uint(row[i+1]) + (b+uint(above[i+1]))>>1) & 255
			c = (uint(row[i+2]) + (c+uint(above[i+2]))>>1) & 255
			to[i], to[i+1], to[i+2] = byte(a), byte(b), byte(c)
		}
		return
	}
	for i := range n {
		to[i] = row[i] + above[i]>>1
	}
	for i := n; i < len(to); i++ {
		to[i] = row[i] + byte((uint(to[i-n])+uint(above[i]))>>1)
	}
}

// paeth adds the neighbour, left, above, or above left, that is nearest to left + above -
// aboveLeft.
func paeth(to, row, above []byte, n int) {
	row, above = row[:len(to)], above[:len(to)]
	for i := range n {
		to[i] = row[i] + above[i]
	}
	for i := n; i < len(to); i++ {
		to[i] = row[i] + byte(nearest(int32(to[i-n]), int32(above[i]), int32(above[i-n])))
	}
}

// paeth3 is paeth for three bytes per pixel, which do not depend on each other.
func paeth3(to, row, above []byte) {
	row, above = row[:len(to)], above[:len(to)]
	var l0, l1, l2, c0, c1, c2 int32
	for i := 0; i+3 <= len(to); i += 3 {
		a0, a1, a2 := int32(above[i]), int32(above[i+1]), int32(above[i+2])
		l0 = (int32(row[i]) + nearest(l0, a0, c0)) & 255
		l1 = (int32(row[i+1]) + nearest(l1, a1, c1)) & 255
		l2 = (int32(row[i+2]) + nearest(l2, a2, c2)) & 255
		to[i], to[i+1], to[i+2] = byte(l0), byte(l1), byte(l2)
		c0, c1, c2 = a0, a1, a2
	}
}

// paeth4 is paeth for four bytes per pixel.
func paeth4(to, row, above []byte) {
	row, above = row[:len(to)], above[:len(to)]
	var l0, l1, l2, l3, c0, c1, c2, c3 int32
	for i := 0; i+4 <= len(to); i += 4 {
		a0, a1, a2, a3 := int32(above[i]), int32(above[i+1]), int32(above[i+2]), int32(above[i+3])
		l0 = (int32(row[i]) + nearest(l0, a0, c0)) & 255
		l1 = (int32(row[i+1]) + nearest(l1, a1, c1)) & 255
		l2 = (int32(row[i+2]) + nearest(l2, a2, c2)) & 255
		l3 = (int32(row[i+3]) + nearest(l3, a3, c3)) & 255
		to[i], to[i+1], to[i+2], to[i+3] = byte(l0), byte(l1), byte(l2), byte(l3)
		c0, c1, c2, c3 = a0, a1, a2, a3
	}
}

// nearest returns the level that is nearest to left + above - corner; if two are equally near, the
// one that comes first. It has no branches, because they could not be predicted.
func nearest(left, above, corner int32) int32 {
	toLeft, toAbove := above-corner, left-corner
	toCorner := abs(toLeft + toAbove)
	toLeft, toAbove = abs(toLeft), abs(toAbove)
	best := left
	if toAbove < toLeft {
		best = above
	}
	if toCorner < min(toLeft, toAbove) {
		best = corner
	}
	return best
}

func abs(v int32) int32 {
	sign := v >> 31
	return v ^ sign - sign
}
