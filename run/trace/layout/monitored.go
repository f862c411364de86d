package layout

// Monitored is what a thread counted for a region in the mode MONITORING: the number of
// executions, and their time on the clock of records. The rows of a thread come after the
// rings, at the index of its slot; the first row has their number.
type Monitored struct {
	Key     uint64 // the domain, above 56 bits of the region's address or of its name's hash
	Count   uint64
	Total   uint64
	Longest uint64
}

// MonitoredBytes is the size of the rows of a thread.
const MonitoredBytes = 1 << 20
