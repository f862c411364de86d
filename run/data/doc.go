// Package data knows the memory layout of a simulation's data and keeps a store
// of it that plugins can read.
//
// A specification tree names data and gives each a type whose sizes may depend
// on other data. The package turns such a tree into type templates, evaluates
// them against the store whenever a buffer is shared, and lets plugins see the
// buffer in place: data is never copied, metadata always is, so an expression
// can read it at any later time.
//
//	Node ──ParseType──▶ Template ──Evaluate(scope)──▶ Type ──▶ layout, decode, C/Go/numpy
//	Spec ──New──▶ Store ◀──Share/Access/Release/Reclaim/Event── program
//	                │
//	                └──callbacks──▶ plugins (trace, set_value, serialize, …)
//
// Nothing here reads YAML: whoever has a tree in some syntax hands over Nodes,
// and errors give the offending Node back.
package data
