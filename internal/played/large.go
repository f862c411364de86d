package played

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Events is the number of events that benchmarks read: PENTODE_EVENTS, or a small default.
func Events() int {
	if n, err := strconv.Atoi(os.Getenv("PENTODE_EVENTS")); err == nil {
		return n
	}
	return 200_000
}

// Large writes a trace with the given number of events: four threads enter and leave parallel regions at
// ten places, independently of each other.
func Large(dir string, events int) error {
	const threads = 4
	schema := collect.Schema()
	kinds := map[string]int{}
	for i, e := range schema.Events {
		_, name, _ := strings.Cut(e.Name, ":")
		kinds[name] = i
	}
	if err := ctf.Create(filepath.Join(dir, "ctf"), schema); err != nil {
		return err
	}
	if err := schema.Describe(ctf.Clock{Frequency: 2_400_000_000}); err != nil {
		return err
	}
	regions := recorded.Regions{Version: 1, Program: "bin/heat"}
	for i := range 10 {
		regions.Regions = append(regions.Regions, recorded.Region{Address: fmt.Sprintf("%#x", 0x1000+16*i), Function: "relax", File: "/src/heat.c", Line: 10 + i})
	}
	text, err := regions.Text()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, recorded.RegionsFile), []byte(text), 0o666); err != nil {
		return err
	}
	order := []int{
		kinds["parallel_begin"], kinds["implicit_task_begin"], kinds["barrier_implicit_sync_wait_begin"],
		kinds["barrier_implicit_sync_wait_end"], kinds["implicit_task_end"], kinds["parallel_end"],
	}
	for thread := range uint32(threads) {
		s, err := schema.Stream(fmt.Sprintf("stream_%d", thread), 100, 100+thread)
		if err != nil {
			return err
		}
		for i := range events / threads {
			id, turn := order[i%len(order)], i/len(order)
			if err := s.Event(id, uint64(250*i+i*i%97)); err != nil {
				return err
			}
			s.Text("node17")
			for _, n := range []uint64{100, 0, uint64(thread), 0, uint64(thread)} {
				s.Put(ctf.U32, n)
			}
			for _, f := range schema.Events[id].Fields {
				switch {
				case f.Type == ctf.Text:
					s.Text("")
				case f.Type == ctf.Hex:
					s.Put(f.Type, uint64(0x1000+16*(turn%10)))
				default:
					s.Put(f.Type, uint64(turn))
				}
			}
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}
