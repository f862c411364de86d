package collect

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/layout"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// mergedRegions holds the places of all traces. A program or library has the same number in
// all of them, in the bits above its addresses.
type mergedRegions struct {
	recorded.Regions
	rows    map[uint64]recorded.Region
	numbers map[binaryFile]int
	used    [layout.MaxModules]bool
}

// binaryFile is a program or a library.
type binaryFile struct{ path, buildID string }

// joinRegions joins the places of all traces, and gives each trace the new numbers of its modules.
func joinRegions(inputs []*input) (*mergedRegions, error) {
	m := &mergedRegions{Regions: recorded.Regions{Version: 1, Regions: []recorded.Region{}}, rows: map[uint64]recorded.Region{}, numbers: map[binaryFile]int{}}
	for _, in := range inputs {
		if m.Program == "" {
			m.Program, m.BuildID = in.regions.Program, in.regions.BuildID
		}
		if err := m.add(in); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// add adds the places of a trace.
func (m *mergedRegions) add(in *input) error {
	in.modules = map[int]int{}
	first := binaryFile{m.Program, m.BuildID}
	for _, r := range in.regions.Regions {
		a, err := strconv.ParseUint(r.Address, 0, 64)
		if err != nil {
			continue
		}
		module, at := Module(a)
		file := binaryFile{r.Module, r.BuildID}
		if r.Module == "" {
			file = binaryFile{in.regions.Program, in.regions.BuildID}
		}
		number, err := m.number(file, module, file == first)
		if err != nil {
			return err
		}
		in.modules[module] = number
		if file != first {
			r.Module, r.BuildID, r.Region = file.path, file.buildID, fmt.Sprintf("%s+%#x", filepath.Base(file.path), at)
		}
		r.Address = "0x" + strconv.FormatUint(InModule(number, at), 16)
		m.rows[InModule(number, at)] = r
	}
	return nil
}

// number returns the number that a program or library gets in the merged trace: 0 for the first
// program, otherwise its previous number if that is free.
func (m *mergedRegions) number(file binaryFile, own int, first bool) (int, error) {
	number, known := m.numbers[file]
	switch {
	case known:
		return number, nil
	case first:
		number = 0
	case own > 0 && !m.used[own]:
		number = own
	default:
		for number = 1; number < len(m.used) && m.used[number]; number++ {
		}
		if number == len(m.used) {
			return 0, fmt.Errorf("the traces have more than %d programs and libraries", len(m.used)-1)
		}
	}
	m.numbers[file], m.used[number] = number, true
	return number, nil
}

// moved converts an address of a trace to an address in the merged trace. If its module is
// unknown, as with a killed program, the module gets a number without places, so that it is
// not confused with another one.
func (m *mergedRegions) moved(in *input, address uint64) (uint64, error) {
	if address == 0 || len(m.rows) == 0 { // the initial region, or a trace without places
		return address, nil
	}
	module, at := Module(address)
	to, known := in.modules[module]
	if !known {
		var err error
		if to, err = m.number(binaryFile{fmt.Sprint(in.Dir, " ", module), "not known"}, module, false); err != nil {
			return 0, err
		}
		in.modules[module] = to
	}
	return InModule(to, at), nil
}

// move converts an address, or each address of a list, to the merged trace.
func (m *mergedRegions) move(in *input, v *ctf.Value) (err error) {
	for i := range v.List {
		if v.List[i].Number, err = m.moved(in, v.List[i].Number); err != nil {
			return err
		}
	}
	if v.List == nil {
		v.Number, err = m.moved(in, v.Number)
	}
	return err
}

// places returns the members of an event that are addresses of code.
func places(k *ctf.Kind) (list []int) {
	for i := range k.Fields {
		if m := &k.Fields[i]; (m.Form == ctf.Address || m.Form == ctf.List) && strings.HasSuffix(m.Name, "_codeptr") {
			list = append(list, i)
		}
	}
	return list
}

// write writes the file next to the folder of the streams, if any place is known.
func (m *mergedRegions) write(dir string) error {
	if len(m.rows) == 0 {
		return nil
	}
	for _, a := range slices.Sorted(maps.Keys(m.rows)) {
		m.Regions.Regions = append(m.Regions.Regions, m.rows[a])
	}
	text, err := m.Text()
	if err != nil {
		return err
	}
	f, err := outfile.Replace(filepath.Join(dir, recorded.RegionsFile))
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, text); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Close()
}
