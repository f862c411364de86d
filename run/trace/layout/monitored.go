package layout

// Monitored is what a thread knows of a region from the mode MONITORING: how often
// it was executed there, and for how long in the clock of records. The rows of a thread
// stand behind the rings, at the place of its slot; the first row holds how many there are.
type Monitored struct {
	Key     uint64 // the domain above 56 bits of the region's address, or of its name's hash
	Count   uint64
	Total   uint64
	Longest uint64
}

// MonitoredBytes is the room for the rows of a thread.
const MonitoredBytes = 1 << 20
