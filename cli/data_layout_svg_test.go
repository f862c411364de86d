package cli

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/data"
)

// box is a rectangle of a picture, given by its edges.
type box struct{ left, top, right, bottom int }

func (b box) overlaps(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

func boxesIn(t *testing.T, picture, class string) []box {
	t.Helper()
	var list []box
	for _, m := range regexp.MustCompile(`<rect x="(-?\d+)" y="(-?\d+)" width="(\d+)" height="(\d+)"[^>]* class="`+class+`"`).FindAllStringSubmatch(picture, -1) {
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+1])
		}
		list = append(list, box{n[0], n[1], n[0] + n[2], n[1] + n[3]})
	}
	return list
}

// TestLayoutPicture: each byte of a type is drawn as exactly one cell in its member's colour, and
// nothing overlaps or lies outside the picture.
func TestLayoutPicture(t *testing.T) {
	member := func(name string, typ any) *data.Node { return data.Map(name, typ) }
	template, err := data.ParseType(data.Map("type", "struct", "members", data.List(
		member("c", "char"), member("d", "double"), member("s", "int16"), member("x", data.Map("type", "array", "subtype", "double", "size", "20")), member("last", "int32"),
	)), &data.Env{})
	if err != nil {
		t.Fatal(err)
	}
	typ, err := template.Evaluate()
	if err != nil {
		t.Fatal(err)
	}
	types := []namedType{{"first", typ}, {"second", typ}}
	var b bytes.Buffer
	if err := layoutSVG(&b, []targetTypes{{data.X86_64(), types}, {data.X86_64(), types}}); err != nil {
		t.Fatal(err)
	}
	picture := b.String()
	var width, height int
	if _, err := fmt.Sscanf(picture[strings.Index(picture, "viewBox"):], `viewBox="0 0 %d %d"`, &width, &height); err != nil {
		t.Fatal(err)
	}
	members, gaps := boxesIn(t, picture, "whole"), boxesIn(t, picture, "dot")
	cells := func(list []box) (n int) {
		for _, c := range list {
			n += (c.right - c.left) / cellWidth * ((c.bottom - c.top) / cellHeight)
		}
		return n
	}
	// The type has an array of 20 numbers, of which 14 are left out. The legend draws a gap that is
	// not a byte.
	const maps = 4
	if have, want := cells(members), maps*(1+8+2+6*8+4); have != want {
		t.Errorf("%d bytes of members are drawn, want %d", have, want)
	}
	if have, want := cells(gaps), maps*(7+6+4); have != want {
		t.Errorf("%d bytes of padding are drawn, want %d", have, want)
	}
	all := slices.Concat(members, gaps)
	for i, c := range all {
		if c.left < 0 || c.top < 0 || c.right > width || c.bottom > height {
			t.Errorf("%+v lies outside of %d by %d, want it inside", c, width, height)
		}
		if slices.ContainsFunc(all[:i], c.overlaps) {
			t.Errorf("%+v lies over something else, want each alone in its place", c)
		}
	}
	legend := gaps[len(gaps)-1]
	for _, c := range all[:len(all)-1] {
		if c.bottom > legend.top {
			t.Errorf("%+v reaches to the legend %+v, want at most %v", c, legend, legend.top)
		}
	}
	word := regexp.MustCompile(`<text [^>]*y="(\d+)"[^>]*>padding</text>`).FindStringSubmatch(picture)
	if word == nil {
		t.Fatal("the legend has no word")
	}
	y, _ := strconv.Atoi(word[1])
	if y <= legend.top || y > legend.bottom {
		t.Errorf("the word of the legend is at line %d, its box from %d to %d; want y more than %v and y at most %v", y, legend.top, legend.bottom, legend.top, legend.bottom)
	}
	// Below the maps come the legend and the end of the picture, without large gaps.
	slices.SortFunc(all, func(a, b box) int { return a.top - b.top })
	lowest := 0
	for _, c := range append(all, box{top: height}) {
		if c.top > lowest+2*mapGap {
			t.Errorf("nothing is drawn from line %d to %d", lowest, c.top)
		}
		lowest = max(lowest, c.bottom)
	}
	for kind, want := range map[string]int{"k1": maps * 2, "k2": maps, "k3": maps * 2, "k4": maps, "k5": maps * 2} { // a long member is drawn in two parts, around the lines that are left out
		if have := strings.Count(picture, `<g class="`+kind+`">`); have != want {
			t.Errorf("%d pieces of colour %s, want %d", have, kind, want)
		}
	}
	if have := strings.Count(picture, "⋮ 112 bytes"); have != maps {
		t.Errorf("it is said %d times what was left out, want %d", have, maps)
	}
	for _, offset := range []string{">0<", ">8<", ">16<", ">40<", ">160<", ">176<", ">184<"} {
		if have := strings.Count(picture, `class="key end"`+offset); have != maps {
			t.Errorf("%d rows have the offset %s, want %d", have, offset, maps)
		}
	}
}

// TestLayoutPictureIsKept compares the picture of a type with a gap, a long member, nested members
// and a name too long for its cells with the one in testdata, which `go test -update` rewrites.
func TestLayoutPictureIsKept(t *testing.T) {
	member := func(name string, typ any) *data.Node { return data.Map(name, typ) }
	template, err := data.ParseType(data.Map("type", "struct", "members", data.List(
		member("a_name_with_too_many_letters", "char"), member("x", data.Map("type", "array", "subtype", "double", "size", "9")),
		member("inner", data.Map("type", "struct", "members", data.List(member("s", "int16"), member("n<", "int64")))),
		member("y", data.Map("type", "array", "subtype", "char", "size", "56")), member("end", "int32"),
	)), &data.Env{})
	if err != nil {
		t.Fatal(err)
	}
	typ, err := template.Evaluate()
	if err != nil {
		t.Fatal(err)
	}
	template, err = data.ParseType(data.Text("double"), &data.Env{})
	if err != nil {
		t.Fatal(err)
	}
	number, err := template.Evaluate()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := layoutSVG(&b, []targetTypes{{data.X86_64(), []namedType{{"a & b", typ}, {"n", number}}}, {data.X86_64(), []namedType{{"n", number}}}}); err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(b.String(), "<style>")
	_, after, _ := strings.Cut(rest, "</style>\n")
	const path = "testdata/layout.svg"
	if golden.Updating() {
		if err := os.WriteFile(path, []byte(before+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if have := before + after; have != string(want) {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}
