package pdi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
)

// projects are trees with their programs, one in each language. They have no mistakes.
var projects = map[string]source.Map{
	"c": {"tree.yml": `metadata:
  rows: int
  step: int
  columns: {type: integer, kind: 8}
data:
  plate: {type: array, subtype: double, size: [$rows, $columns]}
  state: {type: array, subtype: float, size: $rows}
plugins:
  decl_hdf5:
    - {file: 'out_${step}.h5', on_event: [save, finish], write: [plate]}
    - {file: in.h5, on_event: restart, read: [state]}
`, "names.h": `#define PLATE "plate"
static const char *const SAVE = "save";
`, "main.c": `#include "names.h"
static void put(const char *name, const int *value) { PDI_expose(name, value, PDI_OUT); }
int main(void)
{
	int rows = 8, step = 0;
	int64_t columns = 4;
	double plate[8][4];
	float *state = malloc(rows * sizeof *state);
	PC_parse_path("tree.yml");
	put("rows", &rows);
	PDI_expose("columns", &columns, PDI_OUT);
	PDI_share("state", state, PDI_INOUT);
	PDI_event("restart");
	PDI_reclaim("state");
	for (step = 0; step < 9; step++) {
		PDI_expose("step", &step, PDI_OUT);
		PDI_multi_expose(SAVE, PLATE, plate, PDI_OUT, NULL);
	}
	PDI_event("finish");
}
`},
	"c++": {"pdi_out.yml.hpp": `#pragma once
constexpr char const *const PDI_CFG = R"PDI_CFG(
metadata:
  iter : int
  nbstep_diag: int
data:
  density_extents: { type: array, subtype: size_t, size: 1 }
  density: { type: array, subtype: double, size: [ '$density_extents[0]' ] }
  mask_extents: { type: array, subtype: size_t, size: 1 }
  mask: { type: array, subtype: int, size: [ '$mask_extents[0]' ] }
plugins:
  decl_hdf5:
    - file: 'out_${iter:05}.h5'
      on_event: [iteration, last_iteration]
      when: '${iter} % ${nbstep_diag} = 0'
      write: [density, mask]
)PDI_CFG";
`, "solver.hpp": `void solve(int steps);
`, "solver.cpp": `#include "solver.hpp"
void solve(int steps)
{
	std::vector<int> mask(8);
	size_t extents[1] = {8};
	for (int i = 0; i < steps; ++i) {
		ddc::PdiEvent("iteration").with("iter", i).with("density", density);
	}
	PDI_multi_expose("last_iteration", "mask_extents", extents, PDI_OUT, "mask", mask.data(), PDI_OUT, NULL);
}
`, "main.cpp": `#include "pdi_out.yml.hpp"
#include "solver.hpp"
int main()
{
	ddc::expose_to_pdi("nbstep_diag", 5);
	solve(10);
}
`},
	"fortran": {"tree.yml": `metadata:
  nx: int
  time: double
data:
  field: {type: array, subtype: double, size: $nx}
  flags: {type: array, subtype: int, size: $nx}
plugins:
  decl_hdf5:
    - {file: 'out_${time}.h5', on_event: output, write: [field, flags]}
`, "names.f90": `module names
  character(len=*), parameter :: OUTPUT = 'output'
end module
`, "main.f90": `program main
  use names
  use pdi
  integer :: nx, flags(8)
  real(8) :: field(8), time
  call PC_parse_path("tree.yml", tree)
  call PDI_expose("nx", nx, PDI_OUT)
  do i = 1, 9
    call PDI_expose('time', time, PDI_OUT)
    call PDI_share("field", field, PDI_OUT)
    call PDI_share("flags", flags, &
                   PDI_OUT)
    call PDI_event(OUTPUT)
    call PDI_reclaim("flags")
    call PDI_reclaim("field")
  end do
end program
`},
	"python": {"tree.yml": `metadata: {count: int64}
data:
  image: {type: array, subtype: double, size: $count}
  weights: {type: array, subtype: double, size: $count}
plugins:
  decl_hdf5:
    - {file: out.h5, on_event: done, write: [image]}
    - {file: in.h5, on_event: load, read: [weights]}
`, "main.py": `import pdi as store
DONE = "done"

def give(name, value):
    store.expose(name, value, store.OUT)

with open("tree.yml") as f:
    store.init(f.read())
give("count", count)
store.share("weights", weights, store.IN)
store.event("load")
store.reclaim("weights")
store.multi_expose(DONE, [("image", image, store.OUT)])
`},
}

// mistakes are changes to a tree or its program that make the two disagree in one place.
var mistakes = []struct {
	project, file, old, new string
	code                    string
	at, other               string // the text of the finding and of one of its labels; an empty label is not checked
}{
	{"c", "main.c", `put("rows"`, `put("row"`, "pdi/never-shared", "tree.yml rows", "main.c row"},
	{"c", "main.c", `"columns", &c`, `"colums", &c`, "pdi/never-shared", "tree.yml columns", "main.c colums"},
	{"c", "names.h", `"plate"`, `"plates"`, "pdi/never-shared", "tree.yml plate", "main.c PLATE"},
	{"c", "names.h", `"save"`, `"store"`, "pdi/never-triggered", "tree.yml save", ""},
	{"c", "main.c", `PDI_event("finish")`, `PDI_event("finsh")`, "pdi/never-triggered", "tree.yml finish", "main.c finsh"},
	{"c", "main.c", "\tPDI_event(\"finish\");\n", "", "pdi/never-triggered", "tree.yml finish", ""},
	{"c", "tree.yml", "restart", "restrat", "pdi/never-triggered", "tree.yml restrat", "main.c restart"},
	{"c", "main.c", "state, PDI_INOUT", "state, PDI_OUT", "pdi/wrong-direction", "tree.yml state", "main.c state"},
	{"c", "main.c", "plate, PDI_OUT", "plate, PDI_IN", "pdi/wrong-direction", "tree.yml plate", "main.c PLATE"},
	{"c", "main.c", "&step, PDI_OUT", "&step, PDI_IN", "pdi/wrong-direction", "tree.yml step", "main.c step"},
	{"c", "main.c", "double plate", "float plate", "pdi/other-element", "tree.yml {type: array, subtype: double, size: [$rows, $columns]}", "main.c PLATE"},
	{"c", "main.c", "int64_t columns", "int columns", "pdi/other-element", "tree.yml {type: integer, kind: 8}", "main.c columns"},
	{"c", "tree.yml", "subtype: float", "subtype: int", "pdi/other-element", "tree.yml {type: array, subtype: int, size: $rows}", "main.c state"},
	{"c", "main.c", "\tPDI_event(\"finish\");\n", "\tPDI_event(\"finish\");\n\tPDI_expose(\"columns\", &columns, PDI_OUT);\n", "", "", ""}, // twice is no mistake
	{"c++", "solver.cpp", `PdiEvent("iteration")`, `PdiEvent("Iteration")`, "pdi/never-triggered", "pdi_out.yml.hpp iteration", "solver.cpp Iteration"},
	{"c++", "solver.cpp", `"last_iteration"`, `"last_iter"`, "pdi/never-triggered", "pdi_out.yml.hpp last_iteration", "solver.cpp last_iter"},
	{"c++", "main.cpp", `"nbstep_diag"`, `"nbsteps_diag"`, "pdi/never-shared", "pdi_out.yml.hpp nbstep_diag", "main.cpp nbsteps_diag"},
	{"c++", "solver.cpp", `.with("density"`, `.with("dnsity"`, "pdi/never-shared", "pdi_out.yml.hpp density", "solver.cpp dnsity"},
	{"c++", "solver.cpp", `.with("iter", i)`, ``, "pdi/never-shared", "pdi_out.yml.hpp iter", ""},
	{"c++", "solver.cpp", "std::vector<int>", "std::vector<long>", "pdi/other-element", "pdi_out.yml.hpp { type: array, subtype: int, size: [ '$mask_extents[0]' ] }", "solver.cpp mask"},
	{"c++", "solver.cpp", `"mask_extents", extents, PDI_OUT, "mask", mask.data(), PDI_OUT`, `"mask", mask.data(), PDI_OUT, "mask_extents", extents, PDI_OUT`,
		"pdi/size-later", "pdi_out.yml.hpp { type: array, subtype: int, size: [ '$mask_extents[0]' ] }", "solver.cpp mask_extents"},
	{"c++", "solver.cpp", `PDI_multi_expose("last_iteration", "mask_extents", extents, PDI_OUT, `, `PDI_expose("mask_extents", extents, PDI_OUT); PDI_multi_expose("last_iteration", `,
		"pdi/data-reference", "pdi_out.yml.hpp mask_extents", "solver.cpp mask"},
	{"fortran", "main.f90", `"nx", nx`, `"ny", nx`, "pdi/never-shared", "tree.yml nx", "main.f90 ny"},
	{"fortran", "names.f90", "'output'", "'outputs'", "pdi/never-triggered", "tree.yml output", "main.f90 OUTPUT"},
	{"fortran", "main.f90", `call PDI_share("flags"`, `! call PDI_share("flags"`, "pdi/never-shared", "tree.yml flags", ""},
	{"fortran", "main.f90", "real(8) :: field(8)", "real :: field(8)", "pdi/other-element", "tree.yml {type: array, subtype: double, size: $nx}", "main.f90 field"},
	{"fortran", "main.f90", "field, PDI_OUT", "field, PDI_IN", "pdi/wrong-direction", "tree.yml field", "main.f90 field"},
	{"fortran", "tree.yml", "time: double", "time: float", "pdi/other-element", "tree.yml float", "main.f90 time"},
	{"python", "main.py", `DONE = "done"`, `DONE = "doen"`, "pdi/never-triggered", "tree.yml done", "main.py DONE"},
	{"python", "main.py", `give("count"`, `give("cuont"`, "pdi/never-shared", "tree.yml count", "main.py cuont"},
	{"python", "main.py", `("image", image`, `("imgae", image`, "pdi/never-shared", "tree.yml image", "main.py imgae"},
	{"python", "main.py", "weights, store.IN", "weights, store.OUT", "pdi/wrong-direction", "tree.yml weights", "main.py weights"},
}

// TestMistakes: each mistake between a tree and its program is found once, at its place in both.
func TestMistakes(t *testing.T) {
	for name, files := range projects {
		if list := judged(files); len(list) > 0 {
			t.Errorf("%s without a mistake: %s", name, list.Error())
		}
	}
	for _, m := range mistakes {
		files := maps.Clone(projects[m.project])
		if strings.Count(files[m.file], m.old) == 0 {
			t.Errorf("%s of %s has no `%s`", m.file, m.project, m.old)
			continue
		}
		files[m.file] = strings.Replace(files[m.file], m.old, m.new, 1)
		list := judged(files)
		if m.code == "" {
			if len(list) > 0 {
				t.Errorf("%s, `%s`: %s; want at most 0", m.project, m.new, list.Error())
			}
			continue
		}
		i := slices.IndexFunc(list, func(d *diag.Diagnostic) bool { return d.Code.ID == m.code && pointed(d.Span) == m.at })
		if i < 0 {
			t.Errorf("%s, `%s`: %s at `%s` is not found, but %v", m.project, m.new, m.code, m.at, list.Error())
			continue
		}
		if m.other != "" && !slices.ContainsFunc(list[i].Labels, func(l diag.Label) bool { return pointed(l.Span) == m.other }) {
			t.Errorf("%s, `%s`: no label at `%s`, but %v", m.project, m.new, m.other, list[i].Labels)
		}
	}
}

// judged returns the errors and warnings of a project's tree.
func judged(files source.Map) diag.List {
	for _, name := range []string{"tree.yml", "pdi_out.yml.hpp"} {
		if text, ok := files[name]; ok {
			list := language.Parse(source.NewFile(name, text)).Resolve(&load.Env{Opener: files, Dir: "."}).Diagnostics()
			return slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Severity == diag.Info })
		}
	}
	return nil
}

func pointed(s source.Span) string { return s.File.Path() + " " + s.Text() }
