package filter

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os/exec"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// opencv reads a list of cases and an image of 61 × 90 pixels for each. It writes the result of each case's expression
// after its length; v is the image with its channels in OpenCV's order.
const opencv = `
import json, sys, numpy, cv2
for kind, channels, code in json.loads(sys.argv[1]):
    size = 61 * 90 * channels * numpy.dtype(kind).itemsize
    v = numpy.frombuffer(sys.stdin.buffer.read(size), kind).reshape((61, 90, channels))
    v = v[:, :, 0] if channels == 1 else numpy.ascontiguousarray(v[:, :, ::-1])
    scope = {"v": v, "cv2": cv2, "numpy": numpy}
    exec(code, scope)
    r = scope["r"]
    if r.ndim == 3:
        r = r[:, :, ::-1]
    r = numpy.ascontiguousarray(r).tobytes()
    sys.stdout.buffer.write(len(r).to_bytes(4, "little") + r)
`

const evened = `lab = list(cv2.split(cv2.cvtColor(v, cv2.COLOR_BGR2Lab)))
lab[0] = cv2.createCLAHE(4).apply(lab[0])
r = cv2.cvtColor(cv2.merge(lab), cv2.COLOR_Lab2BGR)`

const saturatedBy = `hsv = list(cv2.split(cv2.cvtColor(v, cv2.COLOR_BGR2HSV)))
hsv[1] = cv2.multiply(hsv[1], 1.2)
r = cv2.cvtColor(cv2.merge(hsv), cv2.COLOR_HSV2BGR)`

const balancedBy = `s = cv2.sumElems(v); m = (s[0] + s[1] + s[2]) / 3
r = cv2.merge([cv2.multiply(c, m / s[i]) for i, c in enumerate(cv2.split(v))])`

// disk is VXL's disk: the offsets whose distance is less than the radius.
const disk = "y, x = numpy.mgrid[-3:4, -3:4]; k = (x * x + y * y < 2.5 ** 2).astype('uint8'); v = v.astype('uint8')\n"

// TestOpenCV compares filters with OpenCV; most is how much a pixel may differ, and mean how much all may differ on
// average.
func TestOpenCV(t *testing.T) {
	need.Slow(t)
	python := need.Python(t, "cv2", "numpy")
	cases := []struct {
		name     string
		config   []string
		kind     tensor.Kind
		channels int
		code     string
		most     float64
		mean     float64
	}{
		{"ocv_debayer", []string{"pattern", "BG"}, tensor.Uint8, 1, "r = cv2.cvtColor(v, cv2.COLOR_BayerBG2BGR)", 0, 0},
		{"ocv_debayer", []string{"pattern", "GB"}, tensor.Uint8, 1, "r = cv2.cvtColor(v, cv2.COLOR_BayerGB2BGR)", 0, 0},
		{"ocv_debayer", []string{"pattern", "RG"}, tensor.Uint16, 1, "r = cv2.cvtColor(v, cv2.COLOR_BayerRG2BGR)", 0, 0},
		{"ocv_debayer", []string{"pattern", "GR", "force_8bit", "true"}, tensor.Uint16, 1,
			"r = cv2.normalize(cv2.cvtColor(v, cv2.COLOR_BayerGR2BGR), None, 255, 0, cv2.NORM_MINMAX).astype('uint8')", 1, 0.01},
		{"ocv_enhancer", []string{"apply_smoothing", "true"}, tensor.Uint8, 3, "r = cv2.medianBlur(v, 3)", 0, 0},
		{"ocv_enhancer", []string{"apply_smoothing", "true", "smoothing_kernel", "5"}, tensor.Uint16, 1, "r = cv2.medianBlur(v, 5)", 0, 0},
		{"ocv_enhancer", []string{"auto_balance", "true"}, tensor.Uint8, 3, balancedBy, 1, 0.01},
		{"ocv_enhancer", []string{"apply_clahe", "true"}, tensor.Uint8, 1, "r = cv2.createCLAHE(4).apply(v)", 0, 0},
		{"ocv_enhancer", []string{"apply_clahe", "true"}, tensor.Uint8, 3, evened, 2, 0.2},
		{"ocv_enhancer", []string{"saturation", "1.2"}, tensor.Uint8, 3, saturatedBy, 3, 0.5},
		{"ocv_enhancer", []string{"apply_sharpening", "true"}, tensor.Uint8, 3, "r = cv2.addWeighted(v, 1.5, cv2.GaussianBlur(v, (0, 0), 3), -0.5, 0)", 2, 0.3},
		{"ocv_convert_color", nil, tensor.Uint8, 3, "r = cv2.cvtColor(v, cv2.COLOR_BGR2HLS)[:, :, ::-1]", 1, 0.1},
		{"ocv_convert_color", []string{"output_color_space", "HSV"}, tensor.Uint8, 3, "r = cv2.cvtColor(v, cv2.COLOR_BGR2HSV)[:, :, ::-1]", 1, 0.02},
		{"ocv_convert_color", []string{"output_color_space", "Lab"}, tensor.Uint8, 3, "r = cv2.cvtColor(v, cv2.COLOR_BGR2Lab)[:, :, ::-1]", 0, 0},
		// OpenCV's constant border never affects the result, nor does VXL's: true for erosion, false for dilation.
		{"vxl_morphology", []string{"kernel_radius", "2.5"}, tensor.Bool, 1, disk + "r = cv2.dilate(v, k)", 0, 0},
		{"vxl_morphology", []string{"kernel_radius", "2.5", "morphology", "erode"}, tensor.Bool, 1, disk + "r = cv2.erode(v, k)", 0, 0},
		{"vxl_morphology", []string{"kernel_radius", "2.5", "morphology", "open"}, tensor.Bool, 1, disk + "r = cv2.dilate(cv2.erode(v, k), k)", 0, 0},
		{"vxl_morphology", []string{"kernel_radius", "3", "morphology", "close", "element_shape", "jline"}, tensor.Bool, 1,
			"k = numpy.ones((7, 1), 'uint8'); v = v.astype('uint8'); r = cv2.erode(cv2.dilate(v, k), k)", 0, 0},
		{"vxl_convert_image", []string{"scale_factor", "0.00389"}, tensor.Uint16, 1, "r = cv2.convertScaleAbs(v, alpha=0.00389)", 1, 0.01},
	}
	var asked [][3]any
	var input bytes.Buffer
	images := make([]*tensor.Tensor, len(cases))
	for n, c := range cases {
		img := tensor.New(c.kind, 61, 90, c.channels)
		for i := range img.Data { // slopes with noise
			img.Data[i] = byte(i/7 ^ i*i>>9&31)
			if c.kind == tensor.Bool {
				img.Data[i] = img.Data[i] >> 3 & 1
			}
		}
		images[n] = img
		input.Write(img.Data)
		asked = append(asked, [3]any{c.kind.String(), c.channels, c.code})
	}
	list, _ := json.Marshal(asked) // cannot fail: strings and numbers only
	cmd := exec.Command(python, "-c", opencv, string(list))
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = &input, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	for n, c := range cases {
		size := int(binary.LittleEndian.Uint32(out))
		answer := out[4 : 4+size]
		out = out[4+size:]
		f, err := made(c.name, c.config...)
		if err != nil {
			t.Fatal(err)
		}
		have, err := f.Filter(images[n])
		if err != nil || len(have.Data) != size {
			t.Fatalf("%s %v: %d bytes for %d, %v", c.name, c.config, len(have.Data), size, err)
		}
		want := &tensor.Tensor{Kind: have.Kind, Shape: have.Shape, Data: answer}
		most, sum := 0.0, 0.0
		for i := range have.Count() {
			off := math.Abs(have.At(i) - want.At(i))
			most, sum = max(most, off), sum+off
		}
		if mean := sum / float64(have.Count()); most > c.most || mean > c.mean {
			t.Errorf("%s %v: a pixel is off by %v, and all by %.4f; want most at most %v and mean at most %v", c.name, c.config, most, mean, c.most, c.mean)
		}
	}
}
