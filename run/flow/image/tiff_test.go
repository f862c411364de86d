package image

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// pagesOf makes a TIFF with a page of one grey pixel for each value; if thumb is set, the second
// page is marked as a smaller copy.
func pagesOf(order binary.AppendByteOrder, values []byte, thumb bool) []byte {
	head := "II*\x00"
	if order.String() == "BigEndian" {
		head = "MM\x00*"
	}
	text := order.AppendUint32([]byte(head), 8)
	for i, value := range values {
		kind := uint32(0)
		if thumb && i == 1 {
			kind = 1
		}
		entries := []struct {
			tag   uint16
			value uint32
		}{
			{254, kind}, {256, 1}, {257, 1}, {258, 8}, {259, 1}, {262, 1},
			{273, 0}, {277, 1}, {278, 1}, {279, 1},
		}
		after := uint32(len(text) + 2 + 12*len(entries) + 4)
		text = order.AppendUint16(text, uint16(len(entries)))
		for _, e := range entries {
			if e.tag == 273 { // offset of the pixel
				e.value = after
			}
			text = order.AppendUint16(text, e.tag)
			text = order.AppendUint16(text, 4) // LONG
			text = order.AppendUint32(text, 1)
			text = order.AppendUint32(text, e.value)
		}
		next := after + 2 // after the pixel, at an even offset
		if i == len(values)-1 {
			next = 0
		}
		text = append(order.AppendUint32(text, next), value, 0)
	}
	return text
}

// TestPages checks that every page of a TIFF is a frame of a list, and that a reader of single
// images logs a warning about further pages.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file("little.tif", pagesOf(binary.LittleEndian, []byte{10, 20, 30}, false))
	file("big.tif", pagesOf(binary.BigEndian, []byte{40, 50, 60}, true))
	file("list.txt", []byte("little.tif\nbig.tif\n"))
	got, err := flowtest.Feed(frameListType(), pipe.Set("image_list_file", "list.txt"), nil, []string{"image", "timestamp"}, 100, flow.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var levels []uint32
	for _, d := range got["image"] {
		if d.IsData() {
			img, err := From(d)
			if err != nil {
				t.Fatal(err)
			}
			r, _, _, _ := img.At(0, 0).RGBA()
			levels = append(levels, r>>8)
		}
	}
	if len(levels) != 5 || levels[0] != 10 || levels[1] != 20 || levels[2] != 30 || levels[3] != 40 || levels[4] != 60 {
		t.Errorf("the frames are %v, want [10 20 30 40 60], the middle page of the second left out", levels)
	}
	if last := flow.As[Timestamp](got["timestamp"][4]); last.Frame != 5 {
		t.Errorf("the last frame is %+v, want 5", last)
	}

	var log bytes.Buffer
	got, err = flowtest.Feed(fileReaderType(), nil, flowtest.Data{"image_file_name": {flow.OfText("little.tif")}}, []string{"image"}, 100,
		flow.Options{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil || !got["image"][0].IsData() || !strings.Contains(log.String(), "has 3 pages, but only the first is read; use `frame_list_input` to read all") {
		t.Errorf("%v, %v, %s", got, err, log.String())
	}
}

// FuzzPages checks that searching the pages of any file ends.
func FuzzPages(f *testing.F) {
	good := pagesOf(binary.LittleEndian, []byte{1, 2}, false)
	f.Add(good)
	loop := bytes.Clone(good)
	binary.LittleEndian.PutUint32(loop[8+2+120:], 8) // the first page refers to itself
	f.Add(loop)
	f.Add(good[:20])
	f.Fuzz(func(t *testing.T, text []byte) {
		pages, err := tiffPages(bytes.NewReader(text))
		if err == nil && len(pages) == 0 || err != nil && err.Error() != "it is damaged" {
			t.Errorf("%d pages, %v", len(pages), err)
		}
	})
}

// TestBrokenPages checks that an endless chain of pages and an invalid offset are reported as
// damage.
func TestBrokenPages(t *testing.T) {
	good := pagesOf(binary.LittleEndian, []byte{1, 2}, false)
	for name, next := range map[string]uint32{"a loop": 8, "beyond the end": 1 << 30} {
		bad := bytes.Clone(good)
		binary.LittleEndian.PutUint32(bad[8+2+120:], next)
		if _, err := tiffPages(bytes.NewReader(bad)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
