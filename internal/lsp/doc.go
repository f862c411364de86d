// Package lsp is the language server: a file for each kind of request.
//
// It answers from the workspace that the command line uses. Messages are put
// into a queue as they arrive and handled by one goroutine in their order; what
// the server does by itself, reading the workspace and pushing findings, is
// done in small steps while no message waits.
//
//	client ──stream──▶ queue ──▶ methods ──▶ session ──▶ configurations
//	   ▲                           │                       │ occurrence tables
//	   └───────── answers ─────────┴── idle: scan, findings ◀── suite ──┘
//
// The files stand in layers. At the bottom are position (lines of a text) and session: what the server knows of its client and the
// client's files, with findings and lookup (occurrence tables) over it. Requests are methods of the session, mostly functions of a
// document's configuration and a place in it, so none of them can send a message. Over them is the Server, which can: server, scan,
// diagnostic, sync and initialize. On top are methods, the table of all messages, and serve, which takes them from the queue.
//
// Nothing here knows a language: what a place means is in its occurrence, what
// may be written there comes from Config.Complete, and so on.
package lsp
