package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func archiveType() *pipe.Type {
	return &pipe.Type{
		Name:    "kw_archive_writer",
		Version: kwiver,
		New:     func() pipe.Process { return &archive{} },
		Doc:     "Writes images with their metadata into a KW archive: NAME.index with times and offsets, NAME.data with everything, NAME.meta without the images.",
		In: []pipe.Port{
			{Name: "timestamp", Type: timestampType, Flags: pipe.Required, Doc: "Time and number of the frame."},
			{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "The image, with 8 bits; empty images are skipped."},
			{Name: "homography_src_to_ref", Type: "kwiver:s2r_homography", Doc: "Homography from this frame to the reference frame; if unconnected, the identity."},
			{Name: "corner_points", Type: "kwiver:corner_points", Doc: "Positions of the image corners on the ground: an array with a row of two numbers per corner."},
			{Name: "gsd", Type: "kwiver:gsd", Doc: "Size of a pixel on the ground; -1 if it is not known."},
			{Name: "filename", Type: fileNameType, Doc: "Common beginning of the file names, instead of `base_filename`; a new value begins a new archive."},
			{Name: "stream_id", Type: "kwiver:string", Doc: "Name of the stream, for archives that begin afterwards."},
		},
		Out: []pipe.Port{{Name: "complete_flag", Type: flagType, Doc: "True for each frame that was written."}},
		Keys: []pipe.Key{
			{Name: "output_directory", Kind: pipe.String, Default: ".", Doc: "Folder of the archive."},
			{Name: "base_filename", Kind: pipe.String, Instead: "filename", Doc: "Common beginning of the file names."},
			{Name: "separate_meta", Kind: pipe.Bool, Default: "true", Doc: "Whether metadata are written to a separate file."},
			{Name: "mission_id", Kind: pipe.String, Doc: "Name of the mission."},
			{Name: "stream_id", Kind: pipe.String, Doc: "Name of the stream."},
			{Name: "compress_image", Kind: pipe.Bool, Default: "true", Doc: "Whether images are compressed, as JPEG."},
			{Name: "fixed_row_count", Kind: pipe.Unsigned, Only: viame, Default: "0", Doc: "Height of all images: larger images are cropped, smaller ones are padded with black."},
			{Name: "fixed_col_count", Kind: pipe.Unsigned, Only: viame, Default: "0", Doc: "Width of all images."},
		},
		Judge: func(v pipe.Values) error {
			rows, columns := v.Int("fixed_row_count"), v.Int("fixed_col_count")
			if (rows == 0) != (columns == 0) || rows > 1<<15 || columns > 1<<15 {
				return v.Errorf("fixed_row_count", "keys `fixed_row_count` and `fixed_col_count` are %d and %d, but must both be 0, or both from 1 to %d", rows, columns, 1<<15)
			}
			return nil
		},
	}
}

// Version numbers of the file formats. The data file has a different version if its images are
// compressed.
const (
	indexVersion      = 4
	metaVersion       = 2
	plainVersion      = 2
	compressedVersion = 3
)

// archive does the work of kw_archive_writer.
type archive struct {
	begin                    func(key, name string) (flow.ResultFile, error)
	out                      outfile.Folder
	folder, base             string
	mission, stream          string
	separate, compress       bool
	rows, columns            int
	index, data, meta        flow.ResultFile
	open                     bool
	written                  int64  // number of bytes written to the data file
	frame                    []byte // buffer, reused for each frame
	stamp, image, homography *flow.In
	corners, size            *flow.In
	named, streamed          *flow.In
	complete                 *flow.Out
}

func (a *archive) Setup(s *flow.Setup) error {
	a.begin, a.out, a.folder, a.base = s.ResultFileAs, s.Results(), s.Value("output_directory"), s.Value("base_filename")
	a.mission, a.stream = s.Value("mission_id"), s.Value("stream_id")
	a.separate, a.compress = s.Bool("separate_meta"), s.Bool("compress_image")
	a.rows, a.columns = int(s.Int("fixed_row_count")), int(s.Int("fixed_col_count"))
	a.stamp, a.image, a.homography = s.In("timestamp"), s.In("image"), s.In("homography_src_to_ref")
	a.corners, a.size, a.named, a.streamed = s.In("corner_points"), s.In("gsd"), s.In("filename"), s.In("stream_id")
	a.complete = s.Out("complete_flag")
	if a.base != "" {
		return a.start()
	}
	if !a.named.Connected() {
		return s.Errorf("base_filename", "key `base_filename` has no value, and `filename` is not connected: the archive has no name")
	}
	return nil
}

// start creates the files of a new archive.
func (a *archive) start() (err error) {
	if err := a.end(); err != nil {
		return err
	}
	name := filepath.Join(a.folder, a.base)
	if path, err := a.out.Path(a.folder); err == nil { // if the path is outside of the results folder, creating the first file reports it
		if err := os.MkdirAll(path, 0o777); err != nil {
			return fmt.Errorf("the folder `%s` cannot be made: %w", a.folder, problem.Reason(err))
		}
	}
	if a.index, err = a.begin("base_filename", name+".index"); err != nil {
		return err
	}
	a.open = true // Close must close the files even if an error follows
	if a.data, err = a.begin("base_filename", name+".data"); err != nil {
		return err
	}
	head := fmt.Sprintf("%d\n%s.data\n%[2]s.meta\n%s\n%s\n", indexVersion, filepath.Base(a.base), a.mission, a.stream)
	if _, err := a.index.Out.WriteString(head); err != nil {
		return a.index.Wrote(err)
	}
	version := int64(plainVersion)
	if a.compress {
		version = compressedVersion
	}
	a.written = 0
	if err := a.append(appendInt(appendMagic(a.frame[:0]), version)); err != nil {
		return err
	}
	if !a.separate {
		return nil
	}
	if a.meta, err = a.begin("base_filename", name+".meta"); err != nil {
		return err
	}
	_, err = a.meta.Out.Write(appendInt(appendMagic(nil), metaVersion))
	return a.meta.Wrote(err)
}

// append writes to the data file.
func (a *archive) append(data []byte) error {
	a.written += int64(len(data))
	_, err := a.data.Out.Write(data)
	return a.data.Wrote(err)
}

func (a *archive) Step(pipe.Step) error {
	stamp, _ := a.stamp.Take().Value().(Timestamp)
	f := frame{Timestamp: stamp, Homography: Homography{Matrix: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, From: -1, To: -1}, size: -1}
	datum := a.image.Take()
	if h, ok := a.homography.Take().Value().(Homography); ok {
		f.Homography = h
	}
	corners, size, name, stream := a.corners.Take(), a.size.Take(), a.named.Take(), a.streamed.Take()
	if !datum.IsData() {
		a.complete.Push(flow.Of(true))
		return nil
	}
	if err := f.look(datum, corners, size); err != nil {
		return err
	}
	if a.rows > 0 {
		f.pixels = framed(f.pixels, a.rows, a.columns)
	}
	if stream.IsData() && stream.Text() != "" {
		a.stream = stream.Text()
	}
	if name.IsData() && name.Text() != "" && name.Text() != a.base {
		a.base = name.Text()
		if err := a.start(); err != nil {
			return err
		}
	}
	if a.base == "" {
		return errors.New("the archive has no name: `filename` is empty, and so is key `base_filename`")
	}
	return a.write(&f)
}

// write writes a frame to all files.
func (a *archive) write(f *frame) error {
	if _, err := a.index.Out.WriteString(fmt.Sprintf("%d %d\n", f.micros(), a.written)); err != nil {
		return a.index.Wrote(err)
	}
	a.frame = appendInt(a.frame[:0], f.micros())
	if a.compress {
		img, err := From(flow.Of(f.pixels))
		if err != nil {
			return err
		}
		if r, ok := img.(*Raster); ok {
			img = r.encodable()
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, nil); err != nil {
			return fmt.Errorf("%v cannot be compressed: expected at most %d rows and columns", f.pixels, 1<<16-1)
		}
		a.frame = appendBytes(append(a.frame, 'J'), b.Bytes())
	} else {
		a.frame = appendImage(a.frame, f.pixels)
	}
	a.frame = f.appendMeta(a.frame)
	if err := a.append(a.frame); err != nil {
		return err
	}
	if a.separate {
		a.frame = f.appendMeta(appendInt(a.frame[:0], f.micros()))
		if _, err := a.meta.Out.Write(a.frame); err != nil {
			return a.meta.Wrote(err)
		}
	}
	a.complete.Push(flow.Of(true))
	return nil
}

// files returns the open files of the archive.
func (a *archive) files() []*flow.ResultFile {
	if !a.open {
		return nil
	}
	list := []*flow.ResultFile{&a.index, &a.data, &a.meta}
	for i, f := range list {
		if f.Out == nil {
			return list[:i]
		}
	}
	return list
}

// end finishes an archive before the next one begins.
func (a *archive) end() error {
	if err := a.Finalize(nil); err != nil {
		return err
	}
	err := a.Close()
	a.index, a.data, a.meta = flow.ResultFile{}, flow.ResultFile{}, flow.ResultFile{}
	return err
}

// Finalize marks the files as complete.
func (a *archive) Finalize(s pipe.Step) error {
	var errs []error
	for _, f := range a.files() {
		errs = append(errs, f.Finalize(s))
	}
	return errors.Join(errs...)
}

// Close closes the files.
func (a *archive) Close() error {
	var errs []error
	for _, f := range a.files() {
		errs = append(errs, f.Close())
	}
	a.open = false
	return errors.Join(errs...)
}

// framed returns an image cropped or padded with black to a size.
func framed(t *tensor.Tensor, rows, columns int) *tensor.Tensor {
	out := tensor.New(t.Kind, rows, columns, t.Shape[2])
	to, from := columns*t.Shape[2], t.Shape[1]*t.Shape[2]
	for y := range min(rows, t.Shape[0]) {
		copy(out.Data[y*to:(y+1)*to], t.Data[y*from:(y+1)*from])
	}
	return out
}

// A frame is what an archive stores for one point in time.
type frame struct {
	Timestamp
	Homography
	pixels  *tensor.Tensor // with three axes
	corners [][2]float64
	size    float64 // length of a pixel's side on the ground
}

// look reads the frame's data from the ports.
func (f *frame) look(datum, corners, size flow.Datum) error {
	t := datum.Array()
	if len(t.Shape) == 2 {
		t = &tensor.Tensor{Kind: t.Kind, Shape: []int{t.Shape[0], t.Shape[1], 1}, Data: t.Data}
	}
	if len(t.Shape) != 3 || t.Kind != tensor.Uint8 || t.Shape[2] < 1 || t.Shape[2] > 4 {
		return fmt.Errorf("%v cannot be written to an archive: expected an image with 8 bits for each of 1 to 4 channels", t)
	}
	f.pixels = t
	if size.IsData() {
		f.size = size.Float()
	}
	if !corners.IsData() {
		return nil
	}
	c := corners.Array()
	if len(c.Shape) != 2 || c.Shape[1] != 2 {
		return fmt.Errorf("%v is not a set of corner points: expected a row of two numbers per corner", c)
	}
	for i := range c.Shape[0] {
		f.corners = append(f.corners, [2]float64{c.At(2 * i), c.At(2*i + 1)})
	}
	return nil
}

// micros returns the time of the frame in microseconds.
func (f *frame) micros() int64 { return int64(math.Round(f.Time * 1e6)) }

// appendMeta appends everything about the frame except its time and image.
func (f *frame) appendMeta(b []byte) []byte {
	b = appendUint(appendUint(appendInt(b, 2), 3), 3) // version 2 of a matrix, which is 3 × 3
	b = appendDoubles(b, f.Matrix[:]...)
	b = appendUint(appendInt(b, 3), uint64(len(f.corners))) // version 3 of a list, and its length
	if len(f.corners) > 0 {
		b = appendBool(b, false)
	}
	for _, c := range f.corners {
		b = appendDoubles(appendUint(appendInt(b, 2), 2), c[:]...)
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f.size))
	for _, v := range []int64{f.Frame, f.To, int64(f.pixels.Shape[1]), int64(f.pixels.Shape[0])} {
		b = appendInt(b, v)
	}
	return b
}

// The functions below write the binary format of VXL. Each object begins with the version number
// of its format.

// appendMagic appends the first bytes of every file.
func appendMagic(b []byte) []byte {
	for _, v := range []uint16{1, 0x2c4e, 0x472b} {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	return b
}

// appendUint appends a number in groups of 7 bits, lowest first. The highest bit of a byte is set
// in the last group.
func appendUint(b []byte, v uint64) []byte {
	for ; v > 127; v >>= 7 {
		b = append(b, byte(v&127))
	}
	return append(b, byte(v|128))
}

// appendInt appends a signed number in the same format.
func appendInt(b []byte, v int64) []byte {
	for ; v > 63 || v < -64; v >>= 7 {
		b = append(b, byte(v&127))
	}
	return append(b, byte(v&127|128))
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 0xff)
	}
	return append(b, 0)
}

// appendDoubles appends an array of floating-point numbers.
func appendDoubles(b []byte, list ...float64) []byte {
	b = appendBool(b, true)
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// appendBytes appends an array of characters.
func appendBytes(b, list []byte) []byte {
	b = appendBool(appendUint(appendInt(b, 3), uint64(len(list))), false)
	return append(b, list...)
}

// appendImage appends an image: its size, the distances between adjacent pixels in memory, and
// its pixels.
func appendImage(b []byte, t *tensor.Tensor) []byte {
	height, width, channels := t.Shape[0], t.Shape[1], t.Shape[2]
	b = appendInt(b, 1)
	for _, v := range []int{width, height, channels} {
		b = appendUint(b, uint64(v))
	}
	for _, v := range []int{channels, width * channels, 1} {
		b = appendInt(b, int64(v))
	}
	if len(t.Data) == 0 {
		return b
	}
	b = appendUint(appendBool(appendInt(b, 2), true), 1)               // a pointer; it is the first one of the frame
	b = appendBool(b, true)                                            // it is not null
	b = appendUint(appendInt(appendInt(b, 3), 7), uint64(len(t.Data))) // type 7: the pixels are bytes
	b = append(appendBool(b, true), t.Data...)
	return appendInt(b, 0) // the image begins at offset 0 of this memory
}
