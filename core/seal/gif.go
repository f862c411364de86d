package seal

import (
	"bufio"
	"io"
)

// The seal of a GIF file is a comment before its first image, since programs that want one image stop
// reading after it.

const gifEnd = ';'

func addGIF(f File, size int64, text []byte) (bool, error) {
	head := part(f, 0, 13)
	if end := part(f, size-1, 1); len(head) < 13 || len(end) != 1 || end[0] != gifEnd {
		return false, nil
	}
	at := 13 + colours(head[10])
	if at >= size {
		return false, nil
	}
	block := []byte{'!', 0xfe}
	for len(text) > 0 {
		n := min(len(text), 255)
		block = append(append(block, byte(n)), text[:n]...)
		text = text[n:]
	}
	return insert(f, size, at, append(block, 0))
}

// colours returns the size of a colour table, if the flags say that there is one.
func colours(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func findGIF(r io.ReaderAt, size int64) (found, error) {
	in := &gifReader{in: bufio.NewReader(io.NewSectionReader(r, 0, min(size, maxGIF)))}
	head := in.take(13)
	in.skip(colours(head[10]))
	var s found
	for !in.over {
		at := in.at
		keep := false
		switch in.take(1)[0] {
		case '!':
			keep = in.take(1)[0] == 0xfe
		case ',':
			in.skip(colours(in.take(9)[8]))
			in.take(1)
		default: // the end of the images, or an unknown block
			return s, nil
		}
		text, all := in.blocks(keep)
		if !isSeal(text) {
			continue
		}
		if all > len(text) {
			return found{}, tooLong(int64(all))
		}
		s = found{text, []span{{at: at, end: in.at}}}
	}
	return s, nil
}

// gifReader reads the blocks of a file. After the end it reads zeros, which do not begin a block.
type gifReader struct {
	in   *bufio.Reader
	at   int64
	over bool
	buf  [255]byte
}

// take returns the next bytes. They are valid until the next call.
func (g *gifReader) take(n int) []byte {
	b := g.buf[:n]
	got, err := io.ReadFull(g.in, b)
	if err != nil {
		g.over = true
		clear(b[got:])
	}
	g.at += int64(got)
	return b
}

// skip skips bytes.
func (g *gifReader) skip(n int64) {
	got, err := g.in.Discard(int(n))
	g.at, g.over = g.at+int64(got), g.over || err != nil
}

// blocks reads a list of blocks and returns its length in bytes. If keep is set, it also returns the first
// bytes of the contents.
func (g *gifReader) blocks(keep bool) (text []byte, all int) {
	for !g.over {
		n := int(g.take(1)[0])
		if n == 0 {
			break
		}
		b := g.take(n)
		if all += n; keep && all <= Max+255 {
			text = append(text, b...)
		}
	}
	return text, all
}
