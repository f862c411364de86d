package filter

import "math"

// tiles is the number of parts along each side of an image for equalize.
const tiles = 8

// equalize spreads the levels of each part of an image, in place (contrast limited adaptive
// histogram equalization). The count of a level in a part is limited to clip times the mean;
// between the centres of parts the results are interpolated.
func equalize(pix []byte, width, height int, clip float64) {
	tileW, tileH := (width+tiles-1)/tiles, (height+tiles-1)/tiles
	if width%tiles == 0 {
		tileW = width / tiles
	}
	var tables [tiles * tiles][256]uint8
	for ty := range tiles {
		for tx := range tiles {
			counts := tileCounts(pix, width, height, tx*tileW, ty*tileH, tileW, tileH)
			limit(&counts, clip, tileW*tileH)
			sum, scale := 0, 255/float32(tileW*tileH)
			for i, n := range counts {
				sum += n
				tables[ty*tiles+tx][i] = uint8(math.RoundToEven(float64(min(float32(sum)*scale, 255))))
			}
		}
	}
	for y := range height {
		y1, y2, fy := between(y, tileH)
		for x := range width {
			x1, x2, fx := between(x, tileW)
			v := pix[y*width+x]
			top := float32(tables[y1*tiles+x1][v])*(1-fx) + float32(tables[y1*tiles+x2][v])*fx
			bottom := float32(tables[y2*tiles+x1][v])*(1-fx) + float32(tables[y2*tiles+x2][v])*fx
			pix[y*width+x] = uint8(math.RoundToEven(float64(top*(1-fy) + bottom*fy)))
		}
	}
}

// between returns the parts whose centres are on both sides of a pixel, and its distance from the
// first.
func between(at, size int) (first, second int, part float32) {
	f := float32(at)*(1/float32(size)) - 0.5
	low := float32(math.Floor(float64(f)))
	return max(int(low), 0), min(int(low)+1, tiles-1), f - low
}

// tileCounts counts the levels of one part. Beyond the edge the image is mirrored.
func tileCounts(pix []byte, width, height, left, top, tileW, tileH int) (counts [256]int) {
	for y := top; y < top+tileH; y++ {
		row := pix[mirrored(y, height)*width:]
		for x := left; x < left+tileW; x++ {
			counts[row[mirrored(x, width)]]++
		}
	}
	return counts
}

func mirrored(i, size int) int {
	if size == 1 {
		return 0
	}
	for i < 0 || i >= size {
		if i < 0 {
			i = -i
		} else {
			i = 2*(size-1) - i
		}
	}
	return i
}

// limit distributes counts above the limit evenly over all levels.
func limit(counts *[256]int, clip float64, area int) {
	if clip <= 0 {
		return
	}
	most := max(int(clip*float64(area)/256), 1)
	excess := 0
	for i, n := range counts {
		if n > most {
			excess += n - most
			counts[i] = most
		}
	}
	each, rest := excess/256, excess%256
	for i := range counts {
		counts[i] += each
	}
	if rest > 0 {
		step := max(256/rest, 1)
		for i := 0; i < 256 && rest > 0; i, rest = i+step, rest-1 {
			counts[i]++
		}
	}
}
