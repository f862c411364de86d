package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

// editAnswer is the effect of a change, made or only previewed.
type editAnswer struct {
	Diff    string         `json:"diff"`
	Also    []lang.Changed `json:"also"`
	Refused []finding      `json:"refused"` // errors that the change would add
	Written bool           `json:"written"`
}

// editTarget is the file to change, and whether to write it.
type editTarget struct {
	Path  string `json:"path"`
	Write bool   `json:"write"`
}

func (t editTarget) writes() bool { return t.Write }

// change reads the parameters of a change. It refuses to write if the page is
// read-only.
func change[T interface{ writes() bool }](s *Server, r *http.Request) (T, error) {
	in, err := body[T](r)
	if err == nil && in.writes() {
		err = s.changes()
	}
	return in, err
}

// write writes changes to disk, if all of them are inside the folder.
func (s *Server) write(changes []source.Change) error {
	for _, c := range changes {
		if !s.fence.Inside(c.File.Path()) {
			return guard.Forbidden("`" + c.File.Path() + "` is outside of the served folder, so the page does not write it")
		}
	}
	return workspace.Write(changes...)
}

// set changes a setting in the file that decides it. Without write it only shows what
// would change.
func (s *Server) set(r *http.Request) (any, error) {
	in, err := change[struct {
		editTarget
		Key   string `json:"key"`
		Value string `json:"value"`
	}](s, r)
	if err != nil {
		return nil, err
	}
	return s.assign(in.editTarget, []lang.Assignment{{Key: in.Key, Value: in.Value}})
}

// assign changes settings, all of them or none.
func (s *Server) assign(in editTarget, wanted []lang.Assignment) (any, error) {
	c, err := s.open().config(in.Path)
	if err != nil {
		return nil, err
	}
	edited, err := c.Edit(wanted...)
	var refused *lang.Refused
	if err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	out := editAnswer{Diff: differences(edited.Changes), Also: append([]lang.Changed{}, lang.AlsoChanged(c, edited.Config, wanted)...), Refused: []finding{}}
	if refused != nil {
		for _, d := range refused.Added {
			if d.Severity == diag.Error {
				out.Refused = append(out.Refused, findingOf(d))
			}
		}
		return out, nil
	}
	if in.Write {
		out.Written = true
		return out, s.write(edited.Changes)
	}
	return out, nil
}

// fix applies one fix of one finding, identified by its code, place and message.
func (s *Server) fix(r *http.Request) (any, error) {
	in, err := change[struct {
		editTarget
		Code    string `json:"code"`
		Offset  int    `json:"offset"`
		Message string `json:"message"` // of the fix
	}](s, r)
	if err != nil {
		return nil, err
	}
	o := s.open()
	c, err := o.config(in.Path)
	if err != nil {
		return nil, err
	}
	for _, d := range o.findings(c) {
		if d.Code.ID != in.Code || d.Span.Start != in.Offset {
			continue
		}
		for _, f := range d.Fixes {
			if f.Message != in.Message {
				continue
			}
			changes, err := source.Changes(f.Edits)
			if err != nil {
				return nil, err
			}
			out := editAnswer{Diff: differences(changes), Also: append([]lang.Changed{}, lang.AlsoChanged(c, c.With(changes), nil)...), Refused: []finding{}, Written: in.Write}
			if in.Write {
				err = s.write(changes)
			}
			return out, err
		}
	}
	return nil, guard.Conflict("the finding no longer exists; load the file again")
}

func differences(changes []source.Change) string {
	var b strings.Builder
	for _, c := range changes {
		path := c.File.Path()
		b.Write(diff.Diff(path, []byte(c.File.Text()), path, []byte(c.Text)))
	}
	return b.String()
}
