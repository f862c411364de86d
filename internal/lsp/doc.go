// Package lsp is the language server: a file for each kind of request.
//
// It uses the same workspace package as the command line. Messages are queued
// as they arrive, and one goroutine handles them in order. The server's own
// work, reading the workspace and pushing findings, is done in small steps
// while no message waits.
//
//	client ──stream──▶ queue ──▶ methods ──▶ session ──▶ configurations
//	   ▲                           │                       │ occurrence tables
//	   └───────── answers ─────────┴── idle: scan, findings ◀── suite ──┘
//
// The files form layers. At the bottom are position (lines of a text) and session (the client's capabilities and files), and above
// them findings and lookup (occurrence tables). Requests are methods of the session, mostly functions of a document's configuration
// and a place in it, so none of them can send a message. The Server above them can send messages: server, scan, diagnostic, sync and
// initialize. At the top are methods, the table of all messages, and serve, which takes messages from the queue.
//
// This package knows no single language: an occurrence has the meaning of a place,
// Config.Complete returns the completions there, and so on.
package lsp
