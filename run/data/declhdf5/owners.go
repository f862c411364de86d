package declhdf5

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// share assigns an owner to each chunk that the selections touch: of the processes with elements in it, the
// process with the fewest chunks so far.
func share(d *hdf5.Dataset, slabs []hdf5.Slab, owners map[uint64]int) error {
	touching := map[uint64][]int{}
	var numbers []uint64
	for rank, at := range slabs {
		err := d.ChunksOf(at, func(number uint64) {
			if touching[number] == nil {
				numbers = append(numbers, number)
			}
			touching[number] = append(touching[number], rank)
		})
		if err != nil {
			return err
		}
	}
	has := make([]int, len(slabs))
	for _, number := range numbers {
		if _, taken := owners[number]; taken {
			continue
		}
		owner := touching[number][0]
		for _, rank := range touching[number][1:] {
			if has[rank] < has[owner] {
				owner = rank
			}
		}
		has[owner]++
		owners[number] = owner
	}
	return nil
}

// owners does the extra work for chunks with filters, each of which one process has to write.
type owners struct {
	*together
	steps  []slot
	needed bool
	places map[int]*hdf5.Dataset // datasets whose chunks this process owns, by the first step of the dataset
	out    [][]piece             // indexed by receiver
	stored map[chunk][]byte
}

// piece is data that a process writes to a chunk owned by another process.
type piece struct {
	Step     int
	Number   uint64
	At       hdf5.Slab // the selection that it belongs to
	Elements []byte
}

// chunk is a chunk of a dataset, identified by the first step of the dataset.
type chunk struct {
	Step   int
	Number uint64
}

// packed is the stored length of a chunk.
type packed struct {
	Chunk chunk
	Size  int
}

func (t *together) owners(p *plan, out data.File) *owners {
	o := &owners{together: t, steps: p.Slots, out: make([][]piece, t.Size()), places: map[int]*hdf5.Dataset{}, stored: map[chunk][]byte{}}
	places := map[int]*hdf5.Place{} // with the chunks of all steps
	for i, s := range p.Slots {
		if s.Owners == nil {
			continue
		}
		o.needed = true
		if s.Same == i {
			place := *s.Place
			places[i] = &place
		} else {
			places[s.Same].Chunks = append(places[s.Same].Chunks, s.Place.Chunks...)
		}
	}
	for i, place := range places {
		if d, err := place.Open(out); err == nil { // an error is found again when the step is performed
			o.places[i] = d
		}
	}
	return o
}

// cut sends the elements of a step to the owners of their chunks.
func (o *owners) cut(i int, d *hdf5.Dataset, m *memory, at hdf5.Slab) error {
	return d.Cut(m.bytes, m.mem, at, func(number uint64, elements []byte) error {
		to := o.steps[i].Owners[number]
		o.out[to] = append(o.out[to], piece{i, number, at, elements})
		return nil
	})
}

// pack exchanges the pieces and compresses the chunks of this process. It takes part in the exchange even
// if this process has the error err.
func (o *owners) pack(err error) error {
	pieces, bad := exchange(o.peers, o.out, o.Timeout)
	if err == nil {
		err = bad
	}
	for i := 0; i < len(o.steps) && err == nil; i++ { // a later step overwrites an earlier one
		err = o.join(i, pieces)
	}
	for i, d := range o.places {
		if err == nil {
			err = d.Pack(func(number uint64, stored []byte) { o.stored[chunk{i, number}] = stored })
		}
	}
	return err
}

// join copies the pieces of a step into their chunks and removes them from the lists.
func (o *owners) join(i int, pieces [][]piece) error {
	for from, list := range pieces {
		for len(list) > 0 && list[0].Step == i {
			if err := o.places[o.steps[i].Same].Join(list[0].Number, list[0].At, list[0].Elements); err != nil {
				return err
			}
			list = list[1:]
		}
		pieces[from] = list
	}
	return nil
}

// ask sends rank 0 the lengths of the chunks, or err, and receives their addresses.
func (o *owners) ask(err error) (places map[chunk]uint64, x *failure, gone error) {
	said := outcome{Failure: failureOf(o.failed(err))}
	for c, stored := range o.stored {
		said.Packed = append(said.Packed, packed{c, len(stored)})
	}
	all, x, gone := o.collect(&said)
	if gone != nil {
		return nil, nil, gone
	}
	var answer addresses
	switch {
	case o.Rank() != 0:
	case x != nil:
		answer.Failure = o.complete(x)
	default:
		answer.Places = map[chunk]uint64{}
		for _, out := range all {
			for _, p := range out.Packed {
				answer.Places[p.Chunk] = o.made[p.Chunk.Step].PlaceChunk(p.Chunk.Number, p.Size)
			}
		}
	}
	gone = spread(o.peers, &answer, o.Timeout)
	return answer.Places, answer.Failure, gone
}

// addresses are the places that rank 0 assigns to chunks.
type addresses struct {
	Failure *failure
	Places  map[chunk]uint64
}

// write writes the chunks of this process.
func (o *owners) write(places map[chunk]uint64) error {
	for c, stored := range o.stored {
		if err := o.places[c.Step].WriteChunk(places[c], stored); err != nil {
			return about(err, o.intents[c.Step].Datum)
		}
	}
	return nil
}
