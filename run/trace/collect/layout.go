// Package collect is the counterpart of the agents in traced programs: it owns the shared
// memory, publishes policies, drains the rings, and writes the trace.
//
//	Policy ──Publish──▶ shared memory ◀──decide── agent (in the program)
//	                        │ rings   ◀──record──   "
//	                        ▼
//	                     Session.drain ──▶ ctf.Stream, one for each thread
//
// The shared memory is a file that only its owner can open. Its content is not trusted: every record is checked before it
// is written. If a program is killed, the records in its rings are still collected.
package collect

import (
	"unsafe"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

// The sizes of array elements in the shared memory, and where the rings begin.
const (
	processSize  = int(unsafe.Sizeof(layout.Process{}))
	slotSize     = int(unsafe.Sizeof(layout.Slot{}))
	recordHeader = int(unsafe.Sizeof(layout.Record{})) // bytes before the payload
	ringsAt      = layout.PoliciesEnd
)

// The offsets of the session's fields.
const (
	sessionMagic     = int(unsafe.Offsetof(layout.Session{}.Magic))
	sessionLayout    = int(unsafe.Offsetof(layout.Session{}.Layout))
	sessionPolicy    = int(unsafe.Offsetof(layout.Session{}.Policy))
	sessionStretch   = int(unsafe.Offsetof(layout.Session{}.Stretch))
	sessionSlots     = int(unsafe.Offsetof(layout.Session{}.Slots))
	sessionRingBytes = int(unsafe.Offsetof(layout.Session{}.RingBytes))
	sessionRingsAt   = int(unsafe.Offsetof(layout.Session{}.RingsAt))
	sessionClock     = int(unsafe.Offsetof(layout.Session{}.Clock))
	sessionWait      = int(unsafe.Offsetof(layout.Session{}.Wait))
	sessionAudit     = int(unsafe.Offsetof(layout.Session{}.Audit))
	sessionClosed    = int(unsafe.Offsetof(layout.Session{}.Closed))
	sessionNoSlot    = int(unsafe.Offsetof(layout.Session{}.NoSlot))
	sessionNoRoom    = int(unsafe.Offsetof(layout.Session{}.NoRoom))
	sessionTeam      = int(unsafe.Offsetof(layout.Session{}.Team))
	sessionThread    = int(unsafe.Offsetof(layout.Session{}.Thread))
	sessionRank      = int(unsafe.Offsetof(layout.Session{}.Rank))
	sessionUpstream  = int(unsafe.Offsetof(layout.Session{}.Upstream))
	sessionOffered   = int(unsafe.Offsetof(layout.Session{}.Offered))
	sessionCuda      = int(unsafe.Offsetof(layout.Session{}.Cuda))
	sessionVersion   = int(unsafe.Offsetof(layout.Session{}.CudaVersion))
	sessionCudaLost  = int(unsafe.Offsetof(layout.Session{}.CudaLost))
	sessionDevice    = int(unsafe.Offsetof(layout.Session{}.Device))
	sessionPyThread  = int(unsafe.Offsetof(layout.Session{}.PythonThread))
	sessionPython    = int(unsafe.Offsetof(layout.Session{}.Python))
	sessionHeartbeat = int(unsafe.Offsetof(layout.Session{}.Heartbeat))
)

// The offsets of the fields of a process.
const (
	processState      = int(unsafe.Offsetof(layout.Process{}.State))
	processPID        = int(unsafe.Offsetof(layout.Process{}.PID))
	processRank       = int(unsafe.Offsetof(layout.Process{}.Rank))
	processSignals    = int(unsafe.Offsetof(layout.Process{}.Signals))
	processEnded      = int(unsafe.Offsetof(layout.Process{}.Ended))
	processPaused     = int(unsafe.Offsetof(layout.Process{}.Paused))
	processWindow     = int(unsafe.Offsetof(layout.Process{}.Window))
	processCuda       = int(unsafe.Offsetof(layout.Process{}.Cuda))
	processPicked     = int(unsafe.Offsetof(layout.Process{}.Picked))
	processActivity   = int(unsafe.Offsetof(layout.Process{}.Activity))
	processModes      = int(unsafe.Offsetof(layout.Process{}.Modes))
	processHeard      = int(unsafe.Offsetof(layout.Process{}.Heard))
	processGeneration = int(unsafe.Offsetof(layout.Process{}.Generation))
)

// The offsets of the fields of a slot.
const (
	slotState   = int(unsafe.Offsetof(layout.Slot{}.State))
	slotProcess = int(unsafe.Offsetof(layout.Slot{}.Process))
	slotPID     = int(unsafe.Offsetof(layout.Slot{}.PID))
	slotTID     = int(unsafe.Offsetof(layout.Slot{}.TID))
	slotThread  = int(unsafe.Offsetof(layout.Slot{}.Thread))
	slotSerial  = int(unsafe.Offsetof(layout.Slot{}.Serial))
	slotReady   = int(unsafe.Offsetof(layout.Slot{}.Ready))
	slotHead    = int(unsafe.Offsetof(layout.Slot{}.Head))
	slotDropped = int(unsafe.Offsetof(layout.Slot{}.Dropped))
	slotLostAt  = int(unsafe.Offsetof(layout.Slot{}.LostAt))
	slotTail    = int(unsafe.Offsetof(layout.Slot{}.Tail))
	slotReading = int(unsafe.Offsetof(layout.Slot{}.Reading))
)

// The offsets of the fields of a module and of a policy.
const (
	moduleSize    = int(unsafe.Sizeof(layout.Module{}))
	moduleState   = int(unsafe.Offsetof(layout.Module{}.State))
	moduleBuildID = int(unsafe.Offsetof(layout.Module{}.BuildID))
	modulePath    = int(unsafe.Offsetof(layout.Module{}.Path))
	policyEpoch   = int(unsafe.Offsetof(layout.Policy{}.Epoch))
	policyMet     = int(unsafe.Offsetof(layout.Policy{}.Met))
)

// The offsets of the fields of a record.
const (
	recordTime    = int(unsafe.Offsetof(layout.Record{}.Time))
	recordType    = int(unsafe.Offsetof(layout.Record{}.Type))
	recordWords   = int(unsafe.Offsetof(layout.Record{}.Words))
	recordNumber  = int(unsafe.Offsetof(layout.Record{}.Number))
	recordTeam    = int(unsafe.Offsetof(layout.Record{}.Team))
	recordThread  = int(unsafe.Offsetof(layout.Record{}.Thread))
	recordAddress = int(unsafe.Offsetof(layout.Record{}.Address))
)
