// Package remote runs a pipeline on several machines: edges between sites, and
// the agreement of the sites on beginning and end.
//
//	       site deck                   server                   site gpu
//	process ─edge─▶ sender ─ batches, parts ─▶ server ─▶ receiver ─edge─▶ process
//	                   ◀──── acknowledgements ────────────┘
//
//	  Site ─ Report ─▶ Coordinator ─ Order ─▶ every Site
//
// A site runs its part of the pipeline (flow.Part) and has one connection to
// the server, which speaks NATS's protocol: ours (package broker), for one run, or
// any NATS server. An edge between sites is a stream of numbered messages: the
// sender keeps each one until the receiver has acknowledged it, which bounds
// what is under way, in data and in bytes, and lets it be sent again when a
// server is lost. A receiver acknowledges what its process has taken over, so
// a consumer that waits makes its producer wait.
//
// The Coordinator is one for all sites. It begins the run when all are there
// and agree, ends all of them with the first cause when one fails or is lost,
// and sees when all of them wait for each other: it then lets the smallest full
// edge grow, or ends the run, as the engine does alone.
package remote
