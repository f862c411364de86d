package forecast

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// modelled is a run in which each rank executes regions, with an event of 100 bytes each. Settings have the same effect as in an engine.
type modelled struct {
	ranks   int
	regions map[string]uint64 // executions on each rank
}

func (m *modelled) forecast(settings []Setting) (*Forecast, error) {
	rate, limit, ranks := map[string]uint64{}, map[string]uint64{}, uint64(m.ranks)
	for _, s := range settings {
		at := strings.LastIndexByte(s.Key, '.')
		section, key := s.Key[:at], s.Key[at+1:]
		n, err := strconv.ParseUint(s.Value, 10, 64)
		switch {
		case key == "tracing_rate" && err == nil:
			rate[section] = n
		case key == "max_num_traces" && err == nil:
			limit[section] = n + 1
		case s.Key == "MPI.default.MPI.rank":
			last := s.Value[strings.LastIndexAny(s.Value, "(-")+1 : len(s.Value)-1]
			if n, err = strconv.ParseUint(last, 10, 64); err != nil {
				return nil, err
			}
			ranks = n + 1
		default:
			return nil, fmt.Errorf("no %s", s.Key)
		}
	}
	f := &Forecast{Cost: Typical()}
	for name, happened := range m.regions {
		section := "Lexgion(User:" + name + ")"
		every := max(rate["Lexgion.default"], rate[section], 1)
		traced := happened / every
		if most := max(limit["Lexgion.default"], limit[section]); most > 0 {
			traced = min(traced, most-1)
		}
		for rank := range m.ranks {
			r := Row{Region: name, Section: section, Domain: mpi, Event: "MPI_Send", Rank: uint32(rank), Happened: happened, Every: uint32(every)}
			if uint64(rank) < ranks && traced > 0 {
				r.Traced, r.First, r.Last, r.Bytes = traced, uint32(every-1), uint32(traced*every-1), int64(100*traced)
			}
			f.Traced, f.Happened, f.Bytes = f.Traced+r.Traced, f.Happened+happened, f.Bytes+r.Bytes
			f.Rows = append(f.Rows, r)
		}
	}
	return f, nil
}

// Find chooses a limit or fewer units only if a rate would leave out far more than needed.
// Otherwise it chooses the rate, which samples the whole run.
func TestBudgetFinds(t *testing.T) {
	for _, c := range []struct {
		name   string
		run    modelled
		bytes  int64
		keep   string
		want   []Setting
		traced uint64
	}{
		{"a rate, which keeps as much as a limit", modelled{1, map[string]uint64{"cell": 1000}}, 10_100, "", []Setting{{"Lexgion(User:cell).tracing_rate", "10"}}, 100},
		{"half is more than has to go", modelled{1, map[string]uint64{"cell": 1000}}, 90_000, "", []Setting{{"Lexgion(User:cell).max_num_traces", "900"}}, 900},
		{"one region of two", modelled{1, map[string]uint64{"cell": 1000, "step": 50}}, 95_000, "", []Setting{{"Lexgion(User:cell).max_num_traces", "900"}}, 950},
		{"few executions, of which no rate keeps one", modelled{1, map[string]uint64{"cell": 3}}, 250, "", []Setting{{"Lexgion(User:cell).max_num_traces", "2"}}, 2},
		{"one execution on each of many ranks", modelled{8, map[string]uint64{"cell": 1}}, 700, "", []Setting{{"MPI.default.MPI.rank", "(0-6)"}}, 7},
		{"one rank of two", modelled{2, map[string]uint64{"cell": 1}}, 100, "", []Setting{{"MPI.default.MPI.rank", "(0)"}}, 1},
		{"what is kept is not limited", modelled{1, map[string]uint64{"cell": 1000, "step": 100}}, 105_000, "cell", []Setting{{"Lexgion(User:step).tracing_rate", "2"}}, 1050},
	} {
		now, err := c.run.forecast(nil)
		if err != nil {
			t.Fatal(err)
		}
		s := Search{Budget: Budget{Bytes: c.bytes}, Now: now, Kept: func(r *Row) bool { return r.Region == c.keep }, Try: c.run.forecast}
		plan := s.Find()
		if diff := cmp.Diff(c.want, plan.Settings); diff != "" || plan.After.Traced != c.traced || plan.Excess > 1 {
			t.Errorf("%s: %d traced, %.3g times the budget (-want +got):\n%s", c.name, plan.After.Traced, plan.Excess, diff)
		}
	}
}

// A setting that does not help is not proposed.
func TestBudgetImpossible(t *testing.T) {
	run := modelled{2, map[string]uint64{"cell": 10}}
	now, err := run.forecast(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := Search{Budget: Budget{Bytes: 10}, Now: now, Kept: func(r *Row) bool { return true }, Try: run.forecast}
	if plan := s.Find(); len(plan.Settings) > 0 || plan.Excess <= 1 {
		t.Errorf("%+v, want len(plan.Settings) at most 0 and plan.Excess more than 1", plan)
	}
}
