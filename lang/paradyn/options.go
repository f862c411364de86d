package paradyn

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pentode-dev/pentode/run/launch"
)

// Dialect is which of the two grammars a file is read by.
type Dialect string

// The dialects. Auto takes PCL for files that show signs of it.
const (
	PSDL Dialect = "psdl"
	PCL  Dialect = "pcl"
	Auto Dialect = "auto"
)

// ParseDialect reads the name of a dialect; none is PSDL.
func ParseDialect(s string) (Dialect, error) {
	switch d := Dialect(s); d {
	case "":
		return PSDL, nil
	case PSDL, PCL, Auto:
		return d, nil
	}
	return "", fmt.Errorf("`%s` is not a dialect of Paradyn; known are psdl, pcl and auto", s)
}

// Options is what the command line gives the language.
type Options struct {
	System   string        // the system's file; empty: where the search looks for it
	Dialect  Dialect       // empty: PSDL
	Hostname func() string // what `localhost` means; nil: the name of this machine

	// Settings returns what a project says of the programs of a file; nil: nothing.
	Settings func(file string) []launch.Settings

	// Place returns where a converted plan runs; nil: the current directory of
	// this machine.
	Place func() launch.Place
}

func (o Options) place() launch.Place {
	if o.Place != nil {
		return o.Place()
	}
	dir, _ := os.Getwd() // a directory that is gone is unknown
	return launch.Place{Dir: dir, LookPath: func(program string) (string, error) {
		found, err := exec.LookPath(program)
		if err != nil {
			return "", err
		}
		return filepath.Abs(found)
	}}
}

func (o Options) hostname() string {
	if o.Hostname != nil {
		return o.Hostname()
	}
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "localhost"
}
