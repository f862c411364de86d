// Package handoff lets a program hand its data to a pipeline in another process.
//
// Neither engine owns it: the data store of a program gives, a pipeline takes.
// Arrays lie in package tensor; memory that two processes see, and the frames of
// their sockets, are also what the programs of a pipeline use.
//
//	program: Giver ──▶ slots of a shared memory ──▶ Taker: pipeline
//	           ▲          hello, end: a socket            │
//	           └────── knobs: slots of a second one ◀─────┘
//
// A step is written into a free slot and read out of it once; then the slot is used
// again. No side waits for a lock: a slot belongs to one side at a time, and the end of
// a socket tells each that the other is gone, however it ended. The kernel is asked to
// wake the other side only where that sleeps.
//
// Each side reads what the other may have forged: sizes and places are compared with
// the memory before they are used, and the memory itself cannot shrink.
package handoff
