package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// doubles returns numbers in their stored form.
func doubles(list ...float64) string {
	var b []byte
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return string(b)
}

// pixels returns an image of one row.
func pixels(channels int, levels ...byte) flow.Datum {
	return flow.Of(&tensor.Tensor{Kind: tensor.Uint8, Shape: []int{1, len(levels) / channels, channels}, Data: levels})
}

// TestArchive compares an archive with bytes in VXL's format, which were computed by hand. A whole number has 7 bits in each byte; the
// last byte has the highest bit set.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	in := flowtest.Data{
		"timestamp":             {flow.Of(Timestamp{Frame: 70, Time: 0.0001})},
		"image":                 {pixels(1, 5, 6)},
		"homography_src_to_ref": {flow.Of(Homography{Matrix: [9]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, From: 70, To: -1})},
		"corner_points":         {flow.Of(&tensor.Tensor{Kind: tensor.Float64, Shape: []int{1, 2}, Data: []byte(doubles(0.5, -2))})},
		"gsd":                   {flow.OfFloat(0.25)},
	}
	config := pipe.Set("output_directory", "new", "base_filename", "a", "compress_image", "false", "mission_id", "m", "stream_id", "s")
	got, err := flowtest.Feed(archiveType(), config, in, []string{"complete_flag"}, 10, flow.Options{Dir: dir})
	if err != nil || len(got["complete_flag"]) != 1 || got["complete_flag"][0].Value() != true {
		t.Fatalf("have %v %v", got, err)
	}
	const (
		begin = "\x01\x00\x4e\x2c\x2b\x47\x82"
		time  = "\x64\x80" // 100 µs: bit 6 of 0x64 would be the sign, so a second byte follows
		image = "\x81\x82\x81\x81\x81\x82\x81" + "\x82\xff\x81\xff" + "\x83\x87\x82\xff\x05\x06" + "\x80"
	)
	meta := "\x82\x83\x83\xff" + doubles(1, 2, 3, 4, 5, 6, 7, 8, 9) + "\x83\x81\x00" + "\x82\x82\xff" + doubles(0.5, -2) + doubles(0.25) + "\x46\x80" + "\xff" + "\x82\x81"
	for name, want := range map[string]string{
		"a.index": "4\na.data\na.meta\nm\ns\n100 7\n",
		"a.data":  begin + time + image + meta,
		"a.meta":  begin + time + meta,
	} {
		if have, err := os.ReadFile(filepath.Join(dir, "new", name)); string(have) != want || err != nil {
			t.Errorf("%s:\nhave %q %v\nwant %q", name, have, err, want)
		}
	}
}

// TestArchiveCompressed checks that compressed images are JPEG data after the letter J, that the index has the offset of each frame, and
// that a new name begins a new archive.
func TestArchiveCompressed(t *testing.T) {
	dir := t.TempDir()
	in := flowtest.Data{
		"timestamp": {flow.Of(Timestamp{Frame: 1}), flow.Of(Timestamp{Frame: 2, Time: 1}), flow.Of(Timestamp{Frame: 3, Time: 2}), flow.Of(Timestamp{Frame: 4, Time: 3})},
		"image":     {pixels(3, 200, 100, 0), pixels(3, 0, 0, 0, 255, 255, 255), flow.OfEmpty(), pixels(1, 9)},
		"filename":  {flow.OfText("one"), flow.OfText("one"), flow.OfText("one"), flow.OfText("two")},
		"stream_id": {flow.OfText("x"), flow.OfText("y"), flow.OfText("y"), flow.OfText("z")},
	}
	config := pipe.Set("separate_meta", "false", "fixed_row_count", "2", "fixed_col_count", "3")
	if _, err := flowtest.Feed(archiveType(), config, in, nil, 10, flow.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	for name, frames := range map[string]int{"one": 2, "two": 1} {
		index, err := os.ReadFile(filepath.Join(dir, name+".index"))
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, name+".data"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(index), "\n"), "\n")
		if head := strings.Join(lines[:5], " "); len(lines) != 5+frames || head != map[string]string{"one": "4 one.data one.meta  x", "two": "4 two.data two.meta  z"}[name] {
			t.Fatalf("the index is %q, want len(lines) = %v and head = %v", index, 5+frames, map[string]string{"one": "4 one.data one.meta  x", "two": "4 two.data two.meta  z"}[name])
		}
		for _, line := range lines[5:] {
			var time, at int
			fmt.Sscan(line, &time, &at)
			i := bytes.IndexByte(data[at:], 'J')
			if i < 1 || i > 4 {
				t.Fatalf("%s: no image at %d", name, at)
			}
			m, err := jpeg.Decode(bytes.NewReader(data[at+i+bytes.Index(data[at+i:], []byte("\xff\xd8")):]))
			if err != nil || m.Bounds().Dx() != 3 || m.Bounds().Dy() != 2 {
				t.Errorf("%s: the image at %d is %v, %v", name, at, m, err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "one.meta")); err == nil {
		t.Error("a file for metadata, which was not asked for")
	}
}

// TestArchiveRefused checks the errors for data that an archive cannot store.
func TestArchiveRefused(t *testing.T) {
	stamp := []flow.Datum{flow.Of(Timestamp{Frame: 1})}
	deep := flow.Of(tensor.New(tensor.Uint16, 2, 2, 1))
	for _, c := range []struct {
		config []string
		in     flowtest.Data
		want   string
	}{
		{nil, flowtest.Data{"timestamp": stamp, "image": {pixels(1, 1)}}, "the archive has no name"},
		{nil, flowtest.Data{"timestamp": stamp, "image": {pixels(1, 1)}, "filename": {flow.OfText("")}}, "the archive has no name"},
		{[]string{"base_filename", "a"}, flowtest.Data{"timestamp": stamp, "image": {deep}}, "an array of 2 × 2 × 1 uint16 cannot be written to an archive: expected an image with 8 bits"},
		{[]string{"base_filename", "a"}, flowtest.Data{"timestamp": stamp, "image": {pixels(1, 1)}, "corner_points": {deep}}, "is not a set of corner points"},
		{[]string{"base_filename", "a", "fixed_row_count", "3"}, flowtest.Data{"timestamp": stamp, "image": {pixels(1, 1)}}, "must both be 0, or both from 1"},
	} {
		_, err := flowtest.Feed(archiveType(), pipe.Set(c.config...), c.in, nil, 1, flow.Options{Dir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: have %v, want %s", c.config, err, c.want)
		}
	}
}
