package paradyn

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pentode-dev/pentode/run/launch"
)

// Dialect selects which of the two grammars a file is read with.
type Dialect string

// The dialects. Auto selects PCL for files that show signs of it.
const (
	PSDL Dialect = "psdl"
	PCL  Dialect = "pcl"
	Auto Dialect = "auto"
)

// ParseDialect returns the dialect of that name; an empty name means PSDL.
func ParseDialect(s string) (Dialect, error) {
	switch d := Dialect(s); d {
	case "":
		return PSDL, nil
	case PSDL, PCL, Auto:
		return d, nil
	}
	return "", fmt.Errorf("`%s` is not a dialect of Paradyn; known are psdl, pcl and auto", s)
}

// Options are the language's options on the command line.
type Options struct {
	System   string        // the system's file; if empty, the path where the search looks for it
	Dialect  Dialect       // if empty, PSDL
	Hostname func() string // returns the name that `localhost` means; if nil, the name of this machine

	// Settings returns the project's settings for the programs of a file; if nil,
	// there are none.
	Settings func(file string) []launch.Settings

	// Place returns where a converted plan runs; if nil, in the current directory
	// of this machine.
	Place func() launch.Place
}

func (o Options) place() launch.Place {
	if o.Place != nil {
		return o.Place()
	}
	dir, _ := os.Getwd() // a removed directory is left empty
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
