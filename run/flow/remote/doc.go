// Package remote runs a pipeline on several machines: it has the edges between sites, and
// coordinates how the sites begin and end a run.
//
//	       site deck                   server                   site gpu
//	process ─edge─▶ sender ─ batches, parts ─▶ server ─▶ receiver ─edge─▶ process
//	                   ◀──── acknowledgements ────────────┘
//
//	  Site ─ Report ─▶ Coordinator ─ Order ─▶ every Site
//
// A site runs its part of the pipeline (flow.Part). It has one connection to a server that
// speaks NATS's protocol: either the server in package broker, for one run, or any NATS
// server. An edge between sites is a stream of numbered messages. The sender keeps each
// message until the receiver has acknowledged it. This limits the data in flight, in
// number and in bytes, and lets the sender repeat messages if a server is lost. A receiver
// acknowledges messages only after its process has taken their data, so a slow consumer
// makes its producer wait.
//
// One Coordinator leads all sites. It begins the run when all of them are connected and
// have the same version and plan. If one fails or is lost, it ends all of them with the
// first cause. It also detects that all sites wait for each other: it then enlarges the
// smallest full edge, or ends the run, as the engine does on a single site.
package remote
