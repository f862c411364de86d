package declnetcdf_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/declnetcdf"
)

// TestSealed checks that a file names the run that wrote it, in an attribute that other
// programs can read.
func TestSealed(t *testing.T) {
	dir := t.TempDir()
	tree := strings.ReplaceAll(series, "@", filepath.ToSlash(dir))
	s, err := data.New(data.Tree(datatest.Tree(t, tree)), data.Options{
		Plugins: []data.Plugin{declnetcdf.Plugin(nil)}, Host: data.Host{Console: new(strings.Builder), Seal: seal.New(seal.Seal{Run: "first"})},
	})
	must(t, err)
	writeSeries(t, s, 0, 1)
	must(t, s.Close())
	path := filepath.Join(dir, "2.nc")
	if got, err := declhdf5.Sealed(path); err != nil || got.Run != "first" {
		t.Fatal(got, err)
	}
	contains(t, dump(t, path, "-h"), `:pentode_seal = "{\"pentode_seal\":1,\"run\":\"first\"`, "float field(")
	if out, err := exec.Command(need.Python(t, "netCDF4"), "-c", `
import netCDF4, json, sys
with netCDF4.Dataset(sys.argv[1]) as f:
    assert json.loads(f.pentode_seal)["run"] == "first", f.pentode_seal
    assert f["out/field"].shape[0] == 2
`, path).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
