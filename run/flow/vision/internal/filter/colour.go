package filter

import (
	"math"
	"sync"
)

// toHSV returns the hue in half degrees, from 0 to 179, the saturation and the value, each in a byte.
func toHSV(r, g, b uint8) (h, s, v uint8) {
	most, least := max(r, g, b), min(r, g, b)
	span := float64(most) - float64(least)
	v = most
	if most == 0 || span == 0 {
		return 0, 0, v
	}
	s = uint8(math.RoundToEven(255 * span / float64(most)))
	return half(hue(float64(r), float64(g), float64(b), float64(most), span)), s, v
}

// hue returns the hue of a colour in degrees.
func hue(r, g, b, most, span float64) float64 {
	var d float64
	switch most {
	case r:
		d = 60 * (g - b) / span
	case g:
		d = 120 + 60*(b-r)/span
	default:
		d = 240 + 60*(r-g)/span
	}
	if d < 0 {
		d += 360
	}
	return d
}

// half converts degrees to half degrees in a byte.
func half(degrees float64) uint8 {
	h := math.RoundToEven(degrees / 2)
	if h >= 180 {
		h -= 180
	}
	return uint8(h)
}

// fromHSV returns the colour of a hue in half degrees, a saturation and a value.
func fromHSV(h, s, v uint8) (r, g, b uint8) {
	value, sat := float64(v), float64(s)/255
	sector := float64(h) / 30
	i := int(sector)
	f := sector - float64(i)
	p, q, t := value*(1-sat), value*(1-sat*f), value*(1-sat*(1-f))
	var x, y, z float64
	switch i % 6 {
	case 0:
		x, y, z = value, t, p
	case 1:
		x, y, z = q, value, p
	case 2:
		x, y, z = p, value, t
	case 3:
		x, y, z = p, q, value
	case 4:
		x, y, z = t, p, value
	default:
		x, y, z = value, p, q
	}
	return level(x), level(y), level(z)
}

// toHLS returns the hue in half degrees, the lightness and the saturation.
func toHLS(r, g, b uint8) (h, l, s uint8) {
	most, least := float64(max(r, g, b)), float64(min(r, g, b))
	sum, span := most+least, most-least
	l = level(sum / 2)
	if span == 0 {
		return 0, l, 0
	}
	if sum < 255 {
		s = level(255 * span / sum)
	} else {
		s = level(255 * span / (510 - sum))
	}
	return half(hue(float64(r), float64(g), float64(b), most, span)), l, s
}

// level rounds a number to a byte.
func level(v float64) uint8 { return uint8(math.RoundToEven(min(max(v, 0), 255))) }

// Colours in CIE's L*a*b*, relative to daylight white, have one byte per channel: L from 0 to 255, a
// and b around 128. As in OpenCV they are computed with integers: linear intensities have 11 bits,
// their cube roots 15.
const (
	lightBits = 3 // additional bits of light compared with a level
	coefBits  = 12
	rootBits  = 15
)

// labTables are the lookup tables of the computation.
type labTables struct {
	light [256]int32                      // light of an sRGB level
	root  [256 * 3 / 2 << lightBits]int32 // cube root of light
	coefs [9]int32                        // weights of red, green and blue in X, Y and Z
}

// The white of daylight.
const whiteX, whiteZ = 0.950456, 1.088754

var labs = sync.OnceValue(func() *labTables {
	t := &labTables{}
	for i := range t.light {
		t.light[i] = int32(math.RoundToEven(255 * (1 << lightBits) * lightOf(float64(i)/255)))
	}
	for i := range t.root {
		x := float64(i) / (255 * (1 << lightBits))
		if x < 0.008856 {
			x = x*7.787 + 0.13793103448275862
		} else {
			x = math.Cbrt(x)
		}
		t.root[i] = int32(math.RoundToEven((1 << rootBits) * x))
	}
	for i, c := range []float64{0.412453 / whiteX, 0.357580 / whiteX, 0.180423 / whiteX, 0.212671, 0.715160, 0.072169, 0.019334 / whiteZ, 0.119193 / whiteZ, 0.950227 / whiteZ} {
		t.coefs[i] = int32(math.RoundToEven((1 << coefBits) * c))
	}
	return t
})

// lightOf returns the light of an sRGB level, both from 0 to 1.
func lightOf(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// scaledDown divides by a power of two and rounds.
func scaledDown(v int32, bits int) int32 { return (v + 1<<(bits-1)) >> bits }

func (t *labTables) of(r, g, b uint8) (l, a, bb uint8) {
	lr, lg, lb := t.light[r], t.light[g], t.light[b]
	c := &t.coefs
	x := t.root[scaledDown(lr*c[0]+lg*c[1]+lb*c[2], coefBits)]
	y := t.root[scaledDown(lr*c[3]+lg*c[4]+lb*c[5], coefBits)]
	z := t.root[scaledDown(lr*c[6]+lg*c[7]+lb*c[8], coefBits)]
	const scale, shift = (116*255 + 50) / 100, -((16*255*(1<<rootBits) + 50) / 100)
	const middle = 128 << rootBits
	return byteOf(scaledDown(scale*y+shift, rootBits)), byteOf(scaledDown(500*(x-y)+middle, rootBits)), byteOf(scaledDown(200*(y-z)+middle, rootBits))
}

func byteOf(v int32) uint8 { return uint8(min(max(v, 0), 255)) }

// fromLab returns the colour of an L*a*b* value in bytes.
func fromLab(l, a, bb uint8) (r, g, b uint8) {
	fy := (float64(l)*100/255 + 16) / 116
	x, y, z := whiteX*cube(fy+(float64(a)-128)/500), cube(fy), whiteZ*cube(fy-(float64(bb)-128)/200)
	t := levelsOf()
	return levelOf(t, 3.240479*x-1.537150*y-0.498535*z), levelOf(t, -0.969256*x+1.875991*y+0.041556*z), levelOf(t, 0.055648*x-0.204043*y+1.057311*z)
}

func cube(f float64) float64 {
	if f > 6.0/29 {
		return f * f * f
	}
	return (f - 16.0/116) / 7.787
}

// lightSteps is the number of steps of light that levelOf distinguishes.
const lightSteps = 1 << 14

// levelsOf returns the sRGB levels for the steps of light.
var levelsOf = sync.OnceValue(func() *[lightSteps + 1]uint8 {
	t := new([lightSteps + 1]uint8)
	for i := range t {
		c := float64(i) / lightSteps
		if c <= 0.0031308 {
			t[i] = level(255 * 12.92 * c)
		} else {
			t[i] = level(255 * (1.055*math.Pow(c, 1/2.4) - 0.055))
		}
	}
	return t
})

// levelOf returns the sRGB level of an amount of light.
func levelOf(table *[lightSteps + 1]uint8, c float64) uint8 {
	return table[int(min(max(c, 0), 1)*lightSteps+0.5)]
}
