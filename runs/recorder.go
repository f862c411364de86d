package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/suite"
)

// newRecorder begins the record of a run of files, if one is requested. A program that is part of another run has no record. path is a file of the
// run; its project decides what is kept.
func newRecorder(o *Options, kind record.Kind, path string) *recorder {
	if ledger := os.Getenv(outfile.LedgerVariable); ledger != "" { // of the run to which this program belongs
		o.ledger = &outfile.Ledger{Path: ledger}
	}
	if o.Record == nil || os.Getenv(runVariable) != "" || os.Getenv(remote.TicketVariable) != "" {
		return nil
	}
	store, err := record.Here()
	if err != nil {
		return nil // a run that cannot be registered; this is already reported
	}
	here, _ := os.Getwd() // a run whose folder no longer exists fails by itself
	command, folder := o.Program.Args, here
	if o.Record.Command != nil {
		command, folder = o.Record.Command, beneath(here, o.Record.Folder)
	}
	r := &recorder{store: store, here: here, keep: keptRuns(o, path), texts: map[string]string{}, seen: map[string]bool{}, hidden: secretValues()}
	now := time.Now()
	r.Record = record.Record{ID: state.NewID(now), Kind: kind, Started: now, Command: r.all(command), Folder: folder, Fingerprints: map[string]string{}, Env: map[string]string{}, Writes: &record.Writes{}}
	o.recorder, o.ledger = r, store.Ledger(r.ID)
	for _, p := range o.Record.Paths {
		r.Paths = append(r.Paths, filepath.Clean(beneath(here, p)))
	}
	r.Host = record.Host{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU()}
	r.Host.Name, _ = os.Hostname() // a machine may have no name
	names := o.Workspace.Project(path).Records.Env
	if o.Record.Asked != nil {
		names = append(slices.Clone(names), o.Record.Asked()...)
	}
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok && !record.IsSecret(name) {
			r.Env[name] = r.hidden.Replace(value)
		}
	}
	r.program(o.Program.Path)
	if len(r.Programs) > 0 {
		r.Programs[0].Version = o.Version
	}
	return r
}

// recordFile begins the record of a file that is run by itself; a file of a folder is part of the folder's record. Names in the file are relative to
// dir.
func recordFile(o *Options, kind record.Kind, dir string, c *lang.Config) *recorder {
	if o.recorder != nil {
		return nil
	}
	r := newRecorder(o, kind, c.Document.File.Path())
	if r != nil {
		r.Out = r.Folder
		o.files = suite.Alone(o.Workspace, dir, c)
		r.files(o, o.files)
	}
	return r
}

// keptRuns returns how many finished runs are kept, according to the project of a file.
func keptRuns(o *Options, path string) int {
	if keep := o.Workspace.Project(path).Records.Keep; keep != nil {
		return *keep
	}
	return KeptRuns
}

// resultsIn sets the folder of the results, and the files that were there before.
func (r *recorder) resultsIn(dir string, before map[string]fs.FileInfo) {
	if r != nil {
		r.Out, r.before, r.Writes.All = dir, before, true
	}
}

// resultsOf sets the folder of the results of a pipeline that is run by itself: the requested folder, or the folder of its file.
func (r *recorder) resultsOf(out string, asked bool) {
	switch {
	case asked || os.Getenv(outVariable) != "":
		r.resultsIn(out, record.FilesBelow(out))
	case out != "":
		r.Out = out
	}
}

// minSecret is the least length of a secret: a shorter value would occur in many texts by chance.
const minSecret = 4

// secretValues returns a replacer that removes the values of variables that look like secrets from texts.
func secretValues() *strings.Replacer {
	var pairs []string
	for _, entry := range os.Environ() {
		if name, value, _ := strings.Cut(entry, "="); record.IsSecret(name) && len(value) >= minSecret {
			pairs = append(pairs, value, record.Hidden+name+")")
		}
	}
	return strings.NewReplacer(pairs...)
}

func (r *recorder) all(words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = r.hidden.Replace(w)
	}
	return list
}

// files notes the files of a run and their settings. It keeps the texts that were read, even if the files change later.
func (r *recorder) files(o *Options, run *suite.Run) {
	if r == nil {
		return
	}
	for _, c := range run.Files() {
		r.config(o, c)
	}
	prints, whole := suite.Fingerprints(run)
	for _, p := range prints {
		r.Fingerprints[p.Path] = p.Fingerprint.String()
	}
	if len(prints) > 0 {
		r.Fingerprints[seal.Whole] = whole.String()
	}
	if c := run.Configs[suite.Target]; c != nil {
		if m, ok := lang.Model[*coil.Model](c); ok {
			t := m.Target()
			r.Target = fmt.Sprintf("%s %s with %d bits", t.PU, t.Architecture, t.Mode)
		}
	}
	for _, p := range slices.Concat(run.Programs, run.Started) {
		if p.Own != nil && p.Local {
			r.program(p.Own.Argv[0].Text)
		}
	}
	r.paths(run)
}

// config notes a configuration: its files, and the files of its project.
func (r *recorder) config(o *Options, c *lang.Config) {
	for _, f := range c.Files() {
		r.file(f)
	}
	p := o.Workspace.Project(c.Document.File.Path())
	if p.File == nil || r.seen[beneath(r.here, p.File.Path())] {
		return
	}
	r.file(p.File)
	for _, path := range slices.Concat(p.Types, p.Python, p.Catalogs, p.Targets) {
		if f, err := o.Workspace.Env.Opener.Open(path.Name); err == nil { // otherwise it is a folder, or part of this program
			r.file(f)
		}
	}
}

// file notes a file that was read.
func (r *recorder) file(f *source.File) {
	path := beneath(r.here, f.Path())
	if f.Path() == "-" || r.seen[path] {
		return
	}
	r.seen[path] = true
	hash := record.Hash(f.Text())
	r.Files, r.texts[hash] = append(r.Files, record.File{Path: path, Hash: hash, Size: int64(f.Len())}), f.Text()
}

// expect makes the ledger, so that results are noted from the beginning.
func (r *recorder) expect() {
	if r != nil {
		_ = r.store.Expect(r.ID) // without a ledger, results are read at the end
	}
}

// abandon deletes the ledger of a run that could not begin.
func (r *recorder) abandon() {
	if r != nil {
		r.store.Forget(r.ID)
	}
}

// begin writes the record of a live run, so that a killed run has a record too. end reports what cannot be written.
func (r *recorder) begin() {
	if r == nil {
		return
	}
	r.Process = state.Self()
	_ = r.store.Write(&r.Record, r.texts)
}

// end writes the record of a run that is over. It leaves out what cannot be written; that does not change how the run ended.
func (r *recorder) end(o *Options, result *Result, err error) {
	if r == nil {
		return
	}
	if !result.Began {
		r.abandon()
		return
	}
	r.Ended, r.Process = time.Now(), state.Identity{}
	r.findings(result.Findings)
	r.Exit = exitOf(result, err)
	if err != nil {
		r.End = r.hidden.Replace(err.Error())
	}
	r.figures(result)
	r.results()
	r.write(o)
}

// exitOf returns the exit code of a run.
func exitOf(result *Result, err error) int {
	switch {
	case errors.Is(err, flow.ErrStopped):
		return StoppedCode
	case err != nil:
		return 1
	case result.Plan != nil:
		return result.Plan.Code
	}
	return 0
}

func (r *recorder) write(o *Options) {
	err := r.store.End(&r.Record, r.texts)
	if err == nil {
		_, err = r.store.Prune(r.keep)
	}
	if err != nil && !r.unsteered {
		o.warn("the run is not recorded: %s", err)
	}
}

// maxFindings is how many findings a record keeps.
const maxFindings = 200

func (r *recorder) findings(list diag.List) {
	for _, d := range list[:min(len(list), maxFindings)] {
		r.Findings = append(r.Findings, record.Finding{Code: d.Code.ID, Severity: d.Severity.String(), At: d.Span.String(), Message: r.hidden.Replace(d.Message)})
	}
}

// figures notes counts and measurements.
func (r *recorder) figures(result *Result) {
	add := func(name string, value float64, unit string) {
		r.Stats = append(r.Stats, record.Figure{Name: name, Value: value, Unit: unit})
	}
	add("time", r.Ended.Sub(r.Started).Seconds(), "s")
	for _, p := range result.Stats.Processes {
		add(p.Name+" steps", float64(p.Steps), "")
		add(p.Name+" busy", p.Busy.Seconds(), "s")
	}
	if result.Plan == nil {
		return
	}
	for _, n := range result.Plan.Nodes {
		if n.Kind == launch.KindProcess && !n.Ended.IsZero() {
			add(n.ID+" time", n.Ended.Sub(n.Started).Seconds(), "s")
		}
	}
}

// results notes the files that the run has written: all new files in the folder of the results or, if that folder also has other files, new files
// with the name of a result. It reads files that were not hashed while they were written, up to a size.
func (r *recorder) results() {
	isNew := r.Since
	if r.before != nil {
		isNew = func(path string, info fs.FileInfo) bool { return !unchanged(r.before[path], info) }
	}
	read := int64(0)
	r.FindResults(r.store.Ledger(r.ID).Notes(), isNew, func(path string, info fs.FileInfo) string {
		if read+info.Size() > maxRead {
			return ""
		}
		read += info.Size()
		sum, _ := record.Sum(path) // a file that has just been removed has no hash
		return sum
	})
	r.Writes = nil
}

// maxRead is how many bytes of results are read to hash them; of the others only size and time are kept.
const maxRead = 2 * record.MaxHashed
