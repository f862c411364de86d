package debuginfo

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// imageOf makes a GPU image from an object file with these functions. It marks the symbols of the
// functions, so that they can be launched.
func imageOf(t testing.TB, entries ...string) []byte {
	t.Helper()
	source := "void _Z6helperv(void) {}\n"
	for _, name := range entries {
		source += "void " + name + "(void) {}\n"
	}
	path := compile(t, t.TempDir(), source, "-c")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := e.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range symbols { // skip the empty symbol at the beginning
		if slices.Contains(entries, s.Name) {
			data[e.SectionByType(elf.SHT_SYMTAB).Offset+uint64(i+1)*elf.Sym64Size+5] |= entryFlag
		}
	}
	return data
}

// image returns the head of an image and the image.
func image(kind uint16, data []byte) []byte {
	data = append(data, make([]byte, -len(data)&7)...)
	head := make([]byte, 64)
	binary.LittleEndian.PutUint16(head, kind)
	binary.LittleEndian.PutUint32(head[4:], uint32(len(head)))
	binary.LittleEndian.PutUint64(head[8:], uint64(len(data)))
	return append(head, data...)
}

func container(images ...[]byte) []byte {
	head := make([]byte, containerHead)
	data := slices.Concat(images...)
	binary.LittleEndian.PutUint32(head, containerMagic)
	binary.LittleEndian.PutUint16(head[6:], containerHead)
	binary.LittleEndian.PutUint64(head[8:], uint64(len(data)))
	return append(head, data...)
}

// withImages returns a program with these bytes in the section in which CUDA stores images.
func withImages(t testing.TB, section []byte, source string) *File {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "images.bin")
	if err := os.WriteFile(bin, section, 0o600); err != nil {
		t.Fatal(err)
	}
	source += "\n__asm__(\".section .nv_fatbin, \\\"a\\\"\\n.balign 8\\n.incbin \\\"" + bin + "\\\"\\n.text\");\nint main(void) { return 0; }\n"
	f, err := Open(compile(t, dir, source, "-g"), Options{DebugDirs: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestKernels checks that the kernels of a program are found in its GPU images and from the
// functions that launch them, and that an image that cannot be read is reported.
func TestKernels(t *testing.T) {
	need.Slow(t)
	const (
		elfImage   = imageELF
		ptxImage   = 1
		compressed = "\x28\xb5\x2f\xfd`\xd0\x02\xed"
	)
	axpy, scale := image(elfImage, imageOf(t, "_Z4axpyifPKfPf", "plain")), image(elfImage, imageOf(t, "_ZN3app5scaleIfEEvPT_", "_ZN36_GLOBAL__N__00000000_7_site_cu_first5firstEi"))
	packed := image(elfImage, []byte(compressed))
	ptx := image(ptxImage, []byte(compressed))
	const stubs = "static void __attribute__((used)) _Z32__device_stub__Z6VecAddPKiS0_PiiPKiS0_Pii(void) {}\nvoid __device_stub__twice(void) {}\n"
	for _, c := range []struct {
		name    string
		section []byte
		source  string
		want    string
		whole   bool
	}{
		{"none", nil, "", "", true},
		{"one container", container(axpy), "", "axpy plain", true},
		{"two, with a gap", slices.Concat(container(axpy), make([]byte, 24), container(scale, ptx)), "", "app::scale axpy first plain", true},
		{"one of two is compressed", container(packed, axpy), "", "axpy plain", true},
		{"all are compressed", slices.Concat(container(axpy), container(packed, ptx)), "", "axpy plain", false},
		{"functions that launch", container(packed), stubs, "VecAdd twice", false},
		{"cut off", container(axpy)[:200], "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			names, whole := withImages(t, c.section, c.source).Kernels()
			if got := strings.Join(names, " "); got != c.want || whole != c.whole {
				t.Errorf("kernels %q, whole %v; want %q, %v", got, whole, c.want, c.whole)
			}
		})
	}
}

// TestKernelsDamaged checks that Kernels returns a result for a section with any damage.
func TestKernelsDamaged(t *testing.T) {
	whole := slices.Concat(container(image(imageELF, imageOf(t, "_Z4axpyifPKfPf"))), container(image(1, []byte("ptx"))))
	for i := 0; i < len(whole)-8; i += 3 {
		data := slices.Clone(whole)
		for _, value := range []uint64{0, 1, 0xffffffff, 1<<63 - 1, 1<<64 - 1} {
			binary.LittleEndian.PutUint64(data[i:], value)
			k := &kernels{names: map[string]bool{}, whole: true, left: maxImages}
			k.containers(bytes.NewReader(data), int64(len(data)))
			if len(k.names) > 2 {
				t.Fatalf("%#x at %d makes %d kernels, want at most 2", value, i, len(k.names))
			}
		}
	}
}

func TestSourceName(t *testing.T) {
	for symbol, want := range map[string]string{
		"plain": "plain", "_Z4axpyifPKfPf": "axpy", "_ZN3app5scaleIfEEvPT_": "app::scale", "_ZL5localv": "local", "_ZN1a1b1cEv": "a::b::c",
		"_Z": "", "_Z9x": "", "_Z99999999999999999999x": "", "_ZN": "",
	} {
		if got := sourceName(symbol); got != want {
			t.Errorf("%s is %q, want %q", symbol, got, want)
		}
	}
}
