package workspace

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
)

// place is a position in a file. The zero place means no file.
type place struct {
	path  string
	start int
}

func placeOf(s source.Span) place {
	if s.File == nil {
		return place{}
	}
	return place{s.File.Path(), s.Start}
}

// edited computes the positions of places after some edits. It has the edits of
// each file, which do not overlap, and finds the edits before a place by binary
// search, since there may be as many edits as places.
type edited map[string]*fileEdits

type fileEdits struct {
	edits []source.Edit // sorted by their ends
	shift []int         // shift[n] is how far the first n edits move the text after them
}

func newEdited(edits []source.Edit) edited {
	files := edited{}
	for _, e := range edits {
		path := e.Span.File.Path()
		if files[path] == nil {
			files[path] = &fileEdits{}
		}
		files[path].edits = append(files[path].edits, e)
	}
	for _, f := range files {
		slices.SortStableFunc(f.edits, func(a, b source.Edit) int {
			return cmp.Or(cmp.Compare(a.Span.End, b.Span.End), cmp.Compare(a.Span.Start, b.Span.Start))
		})
		f.shift = make([]int, len(f.edits)+1)
		for i, e := range f.edits {
			f.shift[i+1] = f.shift[i] + len(e.Text) - e.Span.Len()
		}
	}
	return files
}

// after returns a place's position after the edits.
func (f edited) after(p place) place {
	if file := f[p.path]; file != nil {
		p.start += file.shift[sort.Search(len(file.edits), func(i int) bool { return file.edits[i].Span.End > p.start })]
	}
	return p
}

// touch reports whether an edit is inside a span or at one of its ends.
func (f edited) touch(s source.Span) bool {
	if s.File == nil || f[s.File.Path()] == nil {
		return false
	}
	edits := f[s.File.Path()].edits
	i := sort.Search(len(edits), func(i int) bool { return edits[i].Span.End >= s.Start })
	return i < len(edits) && edits[i].Span.Start <= s.End
}

// foundIn holds findings by file, to look up those near a place.
type foundIn map[string]*fileFindings

// fileFindings is a balanced tree over a sorted list: the middle of the list is
// the root, and the two halves are its branches.
type fileFindings struct {
	list []*diag.Diagnostic // sorted by their starts
	last []int              // for each branch, by the index of its root: the largest end of a finding in it
}

func newFoundIn(all diag.List) foundIn {
	files := foundIn{}
	for _, d := range all {
		path := placeOf(d.Span).path
		if files[path] == nil {
			files[path] = &fileFindings{}
		}
		files[path].list = append(files[path].list, d)
	}
	for _, f := range files {
		slices.SortStableFunc(f.list, func(a, b *diag.Diagnostic) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
		f.last = make([]int, len(f.list))
		f.end(0, len(f.list))
	}
	return files
}

// end returns the largest end of a finding in a branch, and stores it for the
// branch and every branch inside it.
func (f *fileFindings) end(low, high int) int {
	if low == high {
		return -1
	}
	root := (low + high) / 2
	f.last[root] = max(f.list[root].Span.End, f.end(low, root), f.end(root+1, high))
	return f.last[root]
}

// near calls visit for each finding that overlaps or touches a piece of text.
func (f foundIn) near(at place, length int, visit func(*diag.Diagnostic)) {
	if file := f[at.path]; file != nil {
		file.near(0, len(file.list), at.start, at.start+length, visit)
	}
}

func (f *fileFindings) near(low, high, start, end int, visit func(*diag.Diagnostic)) {
	if low == high {
		return
	}
	root := (low + high) / 2
	if f.last[root] < start {
		return
	}
	f.near(low, root, start, end, visit)
	d := f.list[root]
	if d.Span.Start > end {
		return
	}
	if d.Span.End >= start {
		visit(d)
	}
	f.near(root+1, high, start, end, visit)
}
