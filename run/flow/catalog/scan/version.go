package scan

import (
	"cmp"
	"io/fs"
	"regexp"
	"sync"
)

var (
	projectLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bproject\s*\(\s*"?([\w-]+)"?(?:\s[^)]*?\bVERSION\s+([\d.]+))?`)
	})
	versionLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bset\s*\(\s*(\w+)_VERSION_(MAJOR|MINOR|PATCH)\s+"?(\d+)"?`)
	})
)

// projectVersion returns the name and version of a source tree from its top CMakeLists.txt: `KWIVER
// 1.8.0`, or "".
func projectVersion(tree fs.FS) string {
	text, err := fs.ReadFile(tree, "CMakeLists.txt")
	if err != nil {
		return ""
	}
	if m := projectLine().FindSubmatch(text); m != nil && len(m[2]) > 0 {
		return string(m[1]) + " " + string(m[2])
	}
	part := map[string]string{}
	name := ""
	for _, m := range versionLine().FindAllSubmatch(text, -1) {
		if name = cmp.Or(name, string(m[1])); name == string(m[1]) {
			part[string(m[2])] = string(m[3])
		}
	}
	if part["MAJOR"] == "" {
		return ""
	}
	version := name + " " + part["MAJOR"]
	for _, p := range []string{"MINOR", "PATCH"} {
		if part[p] != "" {
			version += "." + part[p]
		}
	}
	return version
}
