// Package collect is the other end of the agents in traced programs: it owns
// the shared memory, publishes policies, empties the rings, and writes the
// trace.
//
//	Policy ──Publish──▶ shared memory ◀──decide── agent (in the program)
//	                        │ rings   ◀──record──   "
//	                        ▼
//	                     Session.drain ──▶ ctf.Stream, one for each thread
//
// The memory is a file that only its owner can open. Nothing in it is trusted:
// every record is checked before it is written, and a program that is killed in
// the middle leaves what stood in its rings.
package collect

// The shared memory; run/trace/agent/src/agent.h declares the same.
const (
	magic  = 0x43525450
	layout = 2

	processesAt  = 4096
	processSize  = 128
	maxProcesses = 512

	slotsAt  = 128 << 10
	slotSize = 256
	maxSlots = 4096

	policiesAt  = 2 << 20
	policiesEnd = 66 << 20
	ringsAt     = policiesEnd
)

// Fields of the session.
const (
	sessionMagic     = 0
	sessionLayout    = 4
	sessionPolicy    = 8
	sessionSlots     = 32
	sessionRingBytes = 36
	sessionRingsAt   = 40
	sessionClock     = 48
	sessionWait      = 52
	sessionAudit     = 56
	sessionClosed    = 60
	sessionNoSlot    = 64
	sessionNoRoom    = 68
	sessionTeam      = 72
	sessionThread    = 76
	sessionRank      = 80
	sessionUpstream  = 84
	sessionOffered   = 88
	sessionHeartbeat = 128
)

// Fields of a process.
const (
	processState      = 0
	processPID        = 4
	processRank       = 8
	processSignals    = 16
	processEnded      = 20
	processPaused     = 24
	processWindow     = 28
	processModes      = 32
	processGeneration = 64
)

// Fields of a slot, and its states.
const (
	slotState   = 0
	slotProcess = 4
	slotPID     = 8
	slotTID     = 12
	slotThread  = 16
	slotSerial  = 20
	slotReady   = 24
	slotHead    = 64
	slotDropped = 72
	slotTail    = 128
	slotReading = 192

	slotFree  = 0
	slotInUse = 1
	slotEnded = 2
)

// A record in a ring: time, kind and size, place, payload.
const (
	recordHeader = 32 // bytes before the payload
	nameWords    = 32 // payload of a name
)
