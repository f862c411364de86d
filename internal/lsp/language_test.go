package lsp_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLanguage: editors ask which language a YAML file is in; the project may say so.
func TestLanguage(t *testing.T) {
	dir := t.TempDir()
	cases := map[string]struct{ text, want string }{
		"tree.yml":          {"duration: 1\ndata:\n  field: {type: array, subtype: double, size: 3}\n", "pdi"},
		"nested.yaml":       {"pdi:\n  metadata: {n: int}\n", "pdi"},
		"configmap.yml":     {"apiVersion: v1\nkind: ConfigMap\ndata:\n  level: int\n", ""},
		"compose.yml":       {"services:\n  web: {image: x}\nvolumes:\n  data:\n", ""},
		"openapi.yml":       {"openapi: 3.0.0\ndata: {x: int}\n", ""},
		"mkdocs.yml":        {"site_name: x\nplugins:\n  - search\n", ""},
		"values.yml":        {"data:\n  size: 10Gi\nmetadata:\n  labels: {app: x}\n", ""},
		"own/site.yml":      {"logging: debug\n", "pdi"},
		"own/ours.yml":      {"data: {n: int}\n", ""},
		"own/pentode.toml":  {"[files]\n\"site.yml\" = \"pdi\"\n\"ours.yml\" = \"none\"\n", ""},
		"pipelines/a.pipe":  {"process n :: numbers\n", "sprokit"},
		"pipelines/not.yml": {"", ""},
	}
	for name, file := range cases {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, dir, "{}")
	for name, file := range cases {
		var answer struct{ Language string }
		c.call("workspace/executeCommand", map[string]any{"command": "pentode.language", "arguments": []string{c.uri(name)}}, &answer)
		if answer.Language != file.want {
			t.Errorf("%s is in the language %q, want %q", name, answer.Language, file.want)
		}
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}
