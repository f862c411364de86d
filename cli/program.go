package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/debuginfo"
)

// programFlags are the traced program, and where a process has loaded it.
type programFlags struct {
	path, base, maps string
	pid              int
}

func (p *programFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&p.path, "elf", "", "PInsight: the traced program, a `FILE` with debug information")
	f.StringVar(&p.base, "base", "", "PInsight: the `ADDRESS` where a position-independent program is loaded")
	f.StringVar(&p.maps, "maps", "", "PInsight: the memory map of a process that runs it, a `FILE` like /proc/PID/maps")
	f.IntVar(&p.pid, "pid", 0, "PInsight: the process `ID` of one that runs it")
}

// open opens the program; it is nil where none was given.
func (p *programFlags) open() (*debuginfo.File, error) {
	path := p.path
	if path == "" && p.pid != 0 {
		var err error
		if path, err = os.Readlink(fmt.Sprintf("/proc/%d/exe", p.pid)); err != nil {
			return nil, fmt.Errorf("there is no process %d, or it is another user's", p.pid)
		}
	}
	if path == "" {
		if p.base != "" || p.maps != "" {
			return nil, errors.New("--base and --maps say where a program is loaded; give it with --elf")
		}
		return nil, nil
	}
	f, err := debuginfo.Open(path, debuginfo.Options{})
	if err != nil {
		return nil, err
	}
	if err := p.load(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// load says where the program is loaded.
func (p *programFlags) load(f *debuginfo.File) error {
	given := 0
	for _, is := range []bool{p.base != "", p.maps != "", p.pid != 0} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return errors.New("--base, --maps and --pid each say where the program is loaded; give one of them")
	case p.base != "":
		base, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(p.base), "0x"), 16, 64)
		if err != nil {
			return fmt.Errorf("--base takes an address such as 0x555555554000, not `%s`", p.base)
		}
		return f.Load(base)
	case p.maps != "":
		return use(p.maps, f.LoadFrom)
	case p.pid != 0:
		return use(fmt.Sprintf("/proc/%d/maps", p.pid), f.LoadFrom)
	}
	return nil
}
