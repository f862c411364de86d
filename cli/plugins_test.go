package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// counter returns a plugin, as a Go program could define one, that logs each time a datum is shared.
func counter() data.Plugin {
	return data.Plugin{
		Name: "counter", Doc: "Counts.", Runs: data.Everywhere,
		Config: &config.Rule{Keys: []config.Key{{Name: "of", Rule: config.Only(config.Reads), Doc: "The datum."}}},
		New: func(c *data.Context) error {
			of, err := c.Config.Field("of", "the datum")
			if err != nil {
				return err
			}
			n := 0
			c.OnShare(of, func(name string, _ data.Ref) error {
				n++
				c.Log.Warn("%s was shared, number %d", name, n)
				return nil
			})
			return nil
		},
	}
}

// TestOwnPlugin: `check`, the documentation, `data replay` and trees of pipelines all know a plugin that a Go program
// adds.
func TestOwnPlugin(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"tree.yml":  "metadata: {n: int}\nplugins:\n  counter: {of: n}\n",
		"wrong.yml": "metadata: {n: int}\nplugins:\n  counter: {fo: n}\n",
		"near.yml":  "metadata: {n: int}\nplugins:\n  countr: {of: n}\n",
		"calls":     "expose n OUT 3\nexpose n OUT 4\n",
		"in.pipe":   "process a :: numbers\n  end = 2\nprocess e :: expose\n  spec = tree.yml\nconnect from a.number to e.n\n",
	} {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	own := cli.Options{Plugins: []data.Plugin{counter()}}
	careless := counter()
	careless.New = func(c *data.Context) error { return c.Config.Lookup("nothing").Items[0].Each("", nil) }
	for _, c := range []struct {
		own  cli.Options
		args []string
		code int
		want string
	}{
		{own, []string{"check", "--strict", path("tree.yml")}, 0, "no findings"},
		{cli.Options{}, []string{"check", path("tree.yml")}, 1, "`counter` is not a plugin of PDI"},
		{own, []string{"check", path("wrong.yml")}, 1, "did you mean `of`?"},
		{own, []string{"check", path("near.yml")}, 0, "did you mean `counter`?"},
		{cli.Options{Plugins: []data.Plugin{careless}}, []string{"check", path("tree.yml")}, 1, "plugin `counter` panicked on its configuration"},
		{own, []string{"schema", "pdi"}, 0, `"counter"`},
		{own, []string{"data", "replay", path("tree.yml"), path("calls")}, 0, "n was shared, number 2"},
		{own, []string{"run", path("in.pipe"), "-o", path("out")}, 0, "n was shared, number 2"},
		{cli.Options{Plugins: []data.Plugin{{Name: "mpi"}}}, []string{"check", path("tree.yml")}, 2, "there is already a plugin `mpi`"},
		{cli.Options{Plugins: []data.Plugin{counter(), counter()}}, []string{"check", path("tree.yml")}, 2, "there is already a plugin `counter`"},
		{cli.Options{Plugins: []data.Plugin{{Name: "idle", New: counter().New}}}, []string{"check", path("tree.yml")}, 2, "plugin `idle` runs nowhere"},
		{cli.Options{Plugins: []data.Plugin{{Name: "empty", Runs: data.Replays}}}, []string{"check", path("tree.yml")}, 2, "plugin `empty` has no New"},
		{cli.Options{Plugins: []data.Plugin{{}}}, []string{"check", path("tree.yml")}, 2, "has no name"},
	} {
		var out strings.Builder
		code := cli.Run(c.own, c.args, strings.NewReader(""), &out, &out)
		if code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", strings.Join(c.args, " "), code, c.code, c.want, out.String())
		}
	}
}

// TestPluginWithoutConfiguration: a plugin that declares no configuration keys accepts none.
func TestPluginWithoutConfiguration(t *testing.T) {
	dir := t.TempDir()
	tree := filepath.Join(dir, "tree.yml")
	if err := os.WriteFile(tree, []byte("metadata: {n: int}\nplugins:\n  plain: {key: n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own := cli.Options{Plugins: []data.Plugin{{Name: "plain", Runs: data.Everywhere, New: func(*data.Context) error { return nil }}}}
	var out strings.Builder
	if code := cli.Run(own, []string{"check", tree}, strings.NewReader(""), &out, &out); !strings.Contains(out.String(), "`key`") {
		t.Errorf("exit %d, want a finding about `key`:\n%s", code, out.String())
	}
}
