// Package expr compiles and evaluates PDI's $-expressions.
//
// Sizes, conditions, file names and attributes of a specification tree are
// expressions over the data in the store. They are read once and evaluated at
// every share, so a text is compiled to a Program, a Program is bound to the
// cells of a Scope, and what is left for each evaluation is a walk over a few
// instructions that allocates nothing for numbers.
//
//	text ──Compile──▶ Program ──Bind(Scope)──▶ Bound ──▶ Long    int64
//	                  │ Form: what it is                ├▶ Double  float64
//	                  │ Refs: what it reads, where      ├▶ Text    string
//	                  │ Static: what types tell         ├▶ Ref     typed memory
//	                  └ Lints: what was intended       └▶ Copy    into given memory
//
// In which order to read it: scope.go is the memory that expressions read, value.go and number.go are numbers, program.go is
// what a text becomes, through parse.go and lint.go, with arith.go and format.go for its parts; eval.go runs it, copy.go makes
// memory of it, and static.go and describe.go tell what is known before.
//
// There are two dialects: Documented is the language of the document, Upstream is what
// the original program does. They share one grammar and differ in the few
// places where the code asks for the dialect.
package expr
