// Packaging makes all files of a release, in one folder:
// `go run ./packaging DIR`.
//
//	archives   for Linux, macOS and Windows: the program, its manual and completions, and
//	           the licences of its parts
//	packages   .deb and .rpm files for three processors, with the libraries of capi
//	image      a container image with the program and its licences
//	SHA256SUMS and sbom.json
//
// The same commit makes the same bytes in any checkout. Files that need a
// missing program are left out, with a line that reports it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/cli"
)

func main() {
	platforms := flag.String("for", strings.Join(allPlatforms, ","), "the `PLATFORMS` to build, separated by commas")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./packaging [--for linux/amd64,…] DIR")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := release(flag.Arg(0), strings.Split(*platforms, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

// allPlatforms are the platforms of a release.
var allPlatforms = []string{"linux/amd64", "linux/arm64", "linux/ppc64le", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// work is the state of making one release.
type work struct {
	dist    string    // the folder of the release
	stage   string    // the folder of files to pack
	version string    // the version of the program
	commit  time.Time // the time of the commit, which all files get
	program string    // the program that was built last
}

// release makes all files for the given platforms.
func release(dist string, platforms []string) error {
	stage, err := os.MkdirTemp("", "pentode-packaging")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	if dist, err = filepath.Abs(dist); err != nil {
		return err
	}
	w := &work{dist: dist, stage: stage, version: cli.Version}
	if w.commit, err = commitTime(); err != nil {
		return err
	}
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	if err := w.manual(); err != nil {
		return err
	}
	for _, name := range platforms {
		p, err := parsePlatform(name)
		if err != nil {
			return err
		}
		for _, step := range []func(platform) error{w.build, w.notices, w.archive, w.libraries, w.packages, w.image} {
			if err := step(p); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
		}
	}
	if err := w.sbom(); err != nil {
		return err
	}
	return w.checksums()
}

// commitTime returns the time of the commit, or, without a repository, of
// SOURCE_DATE_EPOCH.
func commitTime() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, errors.New("the date of the release is unknown: run this in a git repository, or set SOURCE_DATE_EPOCH")
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is `%s`, not a number of seconds", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// leftOut reports a file missing from the release, and why.
func leftOut(what, why string) { fmt.Printf("left out: %s: %s\n", what, why) }
