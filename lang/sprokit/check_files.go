package sprokit

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// files reports missing data files that processes read, and folders in which processes cannot write. It looks for relative names in the
// working directory, but a run may start in another folder.
func (c *checker) files(plan *pipe.Plan) {
	if c.m.env.Folder == nil || c.m.env.Confined || c.m.partial {
		return
	}
	l := &fileCheck{checker: c, folders: map[string][]string{}, seen: map[*Setting]bool{}}
	l.here = filepath.Dir(l.absolute(c.m.tree.File().Path())) == filepath.Clean(c.m.env.Dir)
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		if n.Type == nil {
			continue
		}
		own := n.Type.Runs()
		for _, name := range slices.Sorted(maps.Keys(n.Config)) {
			s := n.Config[name]
			k, _ := n.Type.KeyFor(name)
			if own != nil {
				if mine, ok := own.KeyFor(name); ok {
					k = mine
				}
			}
			of := c.settingWith(s.Span)
			if k == nil || of == nil || l.seen[of] || n.Connected(k.Instead) {
				continue // settings in a cluster are reported in the cluster's file
			}
			l.seen[of] = true
			switch value := strings.TrimSpace(s.Value); {
			case !namesFile(value):
			case k.Name == name && k.Reads:
				l.read(n, name, value, of)
			case k.Name == name && k.Writes:
				l.write(n, name, value, of)
			case of.path > 0:
				l.maybeMissing(n, name, value, of)
			}
		}
	}
}

// fileCheck looks for the files that settings name on this machine.
type fileCheck struct {
	*checker
	here    bool                // the pipeline's file is in the working directory
	folders map[string][]string // the names in each folder; nil if it is not a folder
	seen    map[*Setting]bool
}

// namesFile reports whether a value can be the name of a file. It is not if it names a stream, a camera, an address or a placeholder.
func namesFile(value string) bool {
	if _, err := strconv.Atoi(value); err == nil {
		return false
	}
	return value != "" && value != "-" && !strings.HasPrefix(value, "/dev/") && !strings.ContainsAny(value, "[]*?$<>") && !strings.Contains(value, "://")
}

func (l *fileCheck) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(l.m.env.Dir, path)
}

// names returns the names in a folder, or nil if it is not a folder.
func (l *fileCheck) names(folder string) []string {
	names, known := l.folders[folder]
	if !known {
		if list, ok := l.m.env.Folder(folder); ok {
			names = append(list, "") // append makes the list non-nil
		}
		l.folders[folder] = names
	}
	return names
}

// exists reports whether a file or folder exists.
func (l *fileCheck) exists(path string) bool {
	folder, name := filepath.Split(path)
	return name == "" || slices.Contains(l.names(filepath.Clean(folder)), name) || l.names(path) != nil
}

// read reports a missing file that a process reads.
func (l *fileCheck) read(n *pipe.PlanNode, key, value string, at *Setting) {
	path := l.absolute(value)
	if l.exists(path) {
		return
	}
	if filepath.IsAbs(value) || l.here {
		l.missing(n, key, value, path, at)
		return
	}
	// It is not known in which folder a run starts. So a missing file is reported only if an existing file has a similar name.
	beside := filepath.Join(filepath.Dir(l.absolute(l.m.tree.File().Path())), value)
	for _, path := range []string{beside, path} {
		if l.exists(path) {
			return
		}
		if _, near := problem.NearestFile(filepath.Base(path), l.names(filepath.Dir(path))); near {
			l.missing(n, key, value, path, at)
			return
		}
	}
}

// maybeMissing reports a file named with `relativepath`, which the process may read or write.
func (l *fileCheck) maybeMissing(n *pipe.PlanNode, key, value string, at *Setting) {
	if path := l.absolute(value); !l.exists(path) && l.names(filepath.Dir(path)) != nil {
		l.missing(n, key, value, path, at).As(diag.Info)
	}
}

func (l *fileCheck) missing(n *pipe.PlanNode, key, value, path string, at *Setting) *diag.Diagnostic {
	folder := filepath.Dir(path)
	d := l.report(noSuchFile, nil, l.anywhere(at.ValueSpan()), "the file `%s`, which `%s` of process `%s` names, does not exist", value, key, n.Name)
	names := l.names(folder)
	if names == nil {
		return d.Note("looked for `%s`, and there is no folder `%s`", path, folder)
	}
	d.Note("looked for `%s`", path)
	if near, ok := problem.NearestFile(filepath.Base(path), names); ok {
		d.Helped("%s", problem.DidYouMean(strings.TrimSuffix(value, filepath.Base(value))+near))
	}
	return d
}

// write reports a folder in which a process cannot create its file.
func (l *fileCheck) write(n *pipe.PlanNode, key, value string, at *Setting) {
	if !filepath.IsAbs(value) && !l.here {
		return // it is not known which folder the results go to
	}
	folder := filepath.Dir(l.absolute(value))
	if l.names(folder) != nil {
		if allowed := l.m.env.Writable; allowed != nil && !allowed(folder) {
			l.report(noFolder, nil, l.anywhere(at.ValueSpan()), "process `%s` cannot write `%s`: you may not create files in the folder `%s`", n.Name, value, filepath.Dir(value)).
				Helped("change the permissions of the folder, or write another name for `%s`", key)
		}
		return
	}
	d := l.report(noFolder, nil, l.anywhere(at.ValueSpan()), "process `%s` cannot write `%s`: there is no folder `%s`", n.Name, value, filepath.Dir(value)).
		Helped("create it, or write another name for `%s`", key)
	up := filepath.Dir(folder)
	if slices.Contains(l.names(up), filepath.Base(folder)) {
		d.Note("`%s` is a file", filepath.Dir(value))
	} else if near, ok := problem.Nearest(filepath.Base(folder), l.names(up)); ok {
		d.Helped("%s", problem.DidYouMean(filepath.Join(filepath.Dir(filepath.Dir(value)), near)))
	}
}
