// Package handoff lets a program hand its data to a pipeline in another process.
//
// It belongs to neither engine: the data store of a program gives data, a pipeline takes
// it. Package tensor has the arrays. The programs of a pipeline also use the shared
// memory and the frames of the sockets.
//
//	program: Giver ──▶ slots of a shared memory ──▶ Taker: pipeline
//	           ▲          hello, end: a socket            │
//	           └────── knobs: slots of a second one ◀─────┘
//
// A step is written into a free slot and read once; then the slot is reused. Neither side
// waits for a lock, because a slot belongs to one side at a time. The end of a socket
// tells each side that the other is gone, however it ended. The kernel is called to wake
// the other side only if that side sleeps.
//
// Each side protects itself from data forged by the other: sizes and positions are
// checked against the memory before they are used, and the memory cannot shrink.
package handoff
