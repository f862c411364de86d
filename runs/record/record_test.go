package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// kept makes a store with n records, one hour apart, the oldest first. Each record has its own text and a common text.
func kept(t *testing.T, n int) (Store, []*Record) {
	t.Helper()
	s := Store{filepath.Join(t.TempDir(), "states")}
	var list []*Record
	for i := range n {
		at := time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC)
		own, shared := "text "+at.Format(time.TimeOnly), "all have this"
		r := &Record{
			ID: at.Format("20060102-150405") + "-abc0" + string(rune('a'+i)), Kind: Pipeline, Started: at, Ended: at.Add(time.Second),
			Files: []File{{Path: "/x/own.pipe", Hash: Hash(own)}, {Path: "/x/all.pipe", Hash: Hash(shared)}},
		}
		if err := s.Write(r, map[string]string{Hash(own): own, Hash(shared): shared}); err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Files { // as if it had been written then
			path, _ := s.textPath(f.Hash)
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
		list = append(list, r)
	}
	return s, list
}

func TestStore(t *testing.T) {
	s, list := kept(t, 3)
	for _, name := range []string{list[1].ID, "abc0b"} {
		if r, err := s.Open(name); err != nil || !reflect.DeepEqual(r, list[1]) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if err := s.Tag(list[2], []string{"good", "best", "good"}); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Open("best"); err != nil || r.ID != list[2].ID || !slices.Equal(r.Tags, []string{"best", "good"}) {
		t.Errorf("by its tag: %+v, %v", r, err)
	}
	if err := s.Tag(list[1], []string{"best"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"best": "may be " + list[1].ID + " or " + list[2].ID, "c0b": "no run `c0b` is recorded", "../x": "no run", "": "no run",
	} {
		if _, err := s.Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	text, err := s.Text(list[0].Files[0].Hash)
	if err != nil || text != "text 00:00:00" {
		t.Errorf("%q, %v", text, err)
	}
	all, err := s.List()
	if err != nil || len(all) != 3 || all[0].ID != list[0].ID {
		t.Errorf("%v, %v", all, err)
	}
}

// TestDamaged: a changed record or text is not accepted.
func TestDamaged(t *testing.T) {
	s, list := kept(t, 2)
	path, _ := s.textPath(list[0].Files[0].Hash)
	for name, text := range map[string]string{s.Path(list[0].ID): "{", s.Path(list[1].ID): `{"version":2,"id":"` + list[1].ID + `"}`, path: "other"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"is not the record", "of version 2"} {
		if _, err := s.Open(list[i].ID); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	if _, err := s.Text(list[0].Files[0].Hash); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("%v", err)
	}
	for _, hash := range []string{"", "../../x", strings.Repeat("z", 64), Hash("never kept")} {
		if _, err := s.Text(hash); err == nil {
			t.Errorf("there is a text %q, want one", hash)
		}
	}
	if all, err := s.List(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

// TestPrune: the newest and the tagged records stay with their texts; texts that no record needs are deleted.
func TestPrune(t *testing.T) {
	s, list := kept(t, 5)
	if err := s.Tag(list[0], []string{"first"}); err != nil {
		t.Fatal(err)
	}
	path, _ := s.textPath(Hash("all have this"))
	if err := os.Chtimes(path, list[4].Started, list[4].Started); err != nil { // the time of last use
		t.Fatal(err)
	}
	gone, err := s.Prune(2)
	if err != nil || !slices.Equal(gone, []string{list[2].ID, list[1].ID}) {
		t.Errorf("deleted %v, %v", gone, err)
	}
	for i, stays := range []bool{true, false, false, true, true} {
		_, err := s.Open(list[i].ID)
		_, textErr := s.Text(list[i].Files[0].Hash)
		if (err == nil) != stays || (textErr == nil) != stays {
			t.Errorf("%d: %v, %v", i, err, textErr)
		}
		if _, err := os.Stat(filepath.Dir(s.Path(list[i].ID))); (err == nil) != stays {
			t.Errorf("%d: its folder: %v", i, err)
		}
	}
	if _, err := s.Text(Hash("all have this")); err != nil {
		t.Error(err)
	}
	if err := s.Tag(list[0], nil); err != nil {
		t.Fatal(err)
	}
	if gone, err := s.Prune(0); err != nil || len(gone) != 3 {
		t.Errorf("deleted %v, %v", gone, err)
	}
	if _, err := s.Text(Hash("all have this")); err == nil {
		t.Error("a text stays that no record has")
	}
}

// TestPruneOneSecond: of runs that began in the same second, the last to end is the newest, whatever its name.
func TestPruneOneSecond(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "states")}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, id := range []string{"20260101-000000-ffffff", "20260101-000000-aaaaaa", "20260101-000000-cccccc"} {
		if err := s.Write(&Record{ID: id}, nil); err != nil {
			t.Fatal(err)
		}
		written := at.Add(time.Duration(i) * time.Millisecond)
		if err := os.Chtimes(s.Path(id), written, written); err != nil {
			t.Fatal(err)
		}
	}
	if gone, err := s.Prune(1); err != nil || !slices.Equal(gone, []string{"20260101-000000-aaaaaa", "20260101-000000-ffffff"}) {
		t.Errorf("deleted %v, %v", gone, err)
	}
}

// TestUnwritable: the error of a store that cannot be written does not name system calls.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	s := Store{filepath.Join(dir, "states")}
	if err := os.Mkdir(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "r"), nil, 0o600); err != nil { // in place of a folder
		t.Fatal(err)
	}
	err := s.Write(&Record{ID: "r"}, nil)
	if err == nil || strings.Contains(err.Error(), "mkdir") || !strings.HasPrefix(err.Error(), "the record cannot be written: ") {
		t.Errorf("%v", err)
	}
}

func TestIsSecret(t *testing.T) {
	for _, name := range []string{"API_TOKEN", "aws_secret_access_key", "DB_PASSWORD", "PGPASSWORD", "SSH_KEY", "GITHUB_PAT", "MY-KEY", "ApiKey", "HTTP_AUTH", "SESSION_ID", "PIN2"} {
		if !IsSecret(name) {
			t.Errorf("%s is no secret", name)
		}
	}
	for _, name := range []string{"HOME", "PWD", "OLDPWD", "MONKEY", "KEYBOARD", "OMP_NUM_THREADS", "PATH", "COMPASS", "SPINE", "AUTHOR", ""} {
		if IsSecret(name) {
			t.Errorf("%s is a secret, want it not to be", name)
		}
	}
}

// TestForm: other programs read records, so the names of their members stay the same.
func TestForm(t *testing.T) {
	text, err := json.Marshal(Record{
		Files: []File{{}}, Inputs: []File{{}}, Settings: []Setting{{}}, Edges: []Edge{{}}, Programs: []Program{{}}, Results: []Result{{}}, Findings: []Finding{{}}, Stats: []Figure{{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"version":0,"id":"","kind":"","started":"0001-01-01T00:00:00Z","ended":"0001-01-01T00:00:00Z","command":null,"folder":"","out":"",` +
		`"files":[{"path":"","hash":"","size":0}],"inputs":[{"path":"","hash":"","size":0}],"settings":[{"file":"","part":"","key":"","value":""}],"edges":[{"from":"","to":""}],` +
		`"host":{"name":"","system":"","cpus":0},"programs":[{"path":""}],"results":[{"path":"","size":0,"time":"0001-01-01T00:00:00Z"}],` +
		`"findings":[{"code":"","severity":"","at":"","message":""}],"exit":0,"stats":[{"name":"","value":0}]}`
	if string(text) != want {
		t.Errorf("%s; want %v", text, want)
	}
}
