package live

import (
	"fmt"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
)

// Usage follows what programs use over time. The zero Usage is ready for use.
type Usage struct {
	last map[int]used
}

// used is the processor time of a program when it was last measured, and the share of a processor computed then.
type used struct {
	cpu   time.Duration
	at    time.Time
	share float64
}

// shareOver is the shortest time over which a share is computed: the system counts in steps of 10 ms.
const shareOver = time.Second

// share returns the share of a processor that a program has used recently, or, at the first call, since its start. The share is more than 1 for
// several processors.
func (u *Usage) share(pid int, cpu time.Duration, started, now time.Time) float64 {
	before, known := u.last[pid]
	if !known || cpu < before.cpu { // another program has the process ID now
		before = used{at: started}
	}
	if took := now.Sub(before.at); took >= shareOver || !known && took > 0 {
		before = used{cpu, now, float64(cpu-before.cpu) / float64(took)}
		if u.last == nil {
			u.last = map[int]used{}
		}
		u.last[pid] = before
	}
	return before.share
}

// Program returns the section of one program: the processor time and memory that it has used, and its command line.
func (u *Usage) Program(pid int, cpu time.Duration, kb int64, command string, started, now time.Time) Section {
	return Section{
		Head:    []string{"program", "cpu", "cpu time", "memory", "command"},
		Columns: []columns.Column{{Kind: columns.Figure}, {Kind: columns.Figure, Keep: 4}, {Kind: columns.Figure, Keep: 1}, {Kind: columns.Figure, Keep: 3}, {Kind: columns.Name, Keep: 2}},
		Rows: []Row{{Name: command, Cells: []string{
			fmt.Sprint(pid), quantity.Share(u.share(pid, cpu, started, now)), quantity.Duration(cpu), bytesize.Text(kb << 10), command,
		}}},
	}
}
