package recorded

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
)

// RegionsFile has the places of a trace's regions in the program. It is next to the folder of the streams.
const RegionsFile = "regions.json"

// Regions is the content of a RegionsFile.
type Regions struct {
	BuildID string   `json:"build_id,omitempty"`
	Program string   `json:"program"`
	Regions []Region `json:"regions"`
	Version int      `json:"version"`

	byAddress map[uint64]*Region
}

// Region describes a region of the program. Its name in a configuration is the same in every run.
type Region struct {
	Address  string `json:"address"` // in the trace
	Region   string `json:"region,omitempty"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Module   string `json:"module,omitempty"` // the path of another program or of a library
	BuildID  string `json:"build_id,omitempty"`

	where string
}

// ReadRegions reads the file in a folder. If the file is missing, or incomplete because the
// program was killed, there are no regions.
func ReadRegions(dir string) *Regions {
	return parseRegions(os.ReadFile(filepath.Join(dir, RegionsFile)))
}

// RegionsIn reads the file in a folder of files.
func RegionsIn(files fs.FS, dir string) *Regions {
	return parseRegions(fs.ReadFile(files, path.Join(dir, RegionsFile)))
}

// parseRegions parses the text of the file.
func parseRegions(text []byte, err error) *Regions {
	r := &Regions{Version: 1}
	if err != nil || json.Unmarshal(text, r) != nil {
		r = &Regions{Version: 1}
	}
	r.byAddress = map[uint64]*Region{}
	for i := range r.Regions {
		if a, err := strconv.ParseUint(r.Regions[i].Address, 0, 64); err == nil {
			r.byAddress[a] = &r.Regions[i]
			r.Regions[i].where = r.Regions[i].Where()
		}
	}
	return r
}

// At returns the region at an address of the trace, or nil.
func (r *Regions) At(address uint64) *Region { return r.byAddress[address] }

// Text returns the content of the file.
func (r *Regions) Text() (string, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return string(text) + "\n", err
}

// Where returns the place in a readable form, or "" if it is unknown.
func (r *Region) Where() string {
	switch {
	case r != nil && r.where != "":
		return r.where
	case r == nil || r.Function == "" && r.File == "":
		return ""
	case r.Function == "":
		return fmt.Sprintf("%s:%d", filepath.Base(r.File), r.Line)
	case r.Line == 0:
		return fmt.Sprintf("in `%s`", r.Function)
	}
	return fmt.Sprintf("%s:%d in `%s`", filepath.Base(r.File), r.Line, r.Function)
}
