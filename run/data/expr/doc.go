// Package expr compiles and evaluates PDI's $-expressions.
//
// Sizes, conditions, file names and attributes of a specification tree are expressions over the data in the store. They are
// read once and evaluated at every share. So a text is compiled to a Program, and the Program is bound to the cells of a
// Scope. Each evaluation then runs a few instructions and allocates nothing for numbers.
//
//	text ──Compile──▶ Program ──Bind(Scope)──▶ Bound ──▶ Long    int64
//	                  │ Form: what it is                ├▶ Double  float64
//	                  │ Refs: what it reads, where      ├▶ Text    string
//	                  │ Static: what types imply        ├▶ Ref     typed memory
//	                  └ Lints: what was intended        └▶ Copy    into given memory
//
// Reading order: scope.go has the memory that expressions read, value.go and number.go have numbers, and program.go has
// compiled expressions. parse.go and lint.go make these from texts, with arith.go and format.go for operators and format
// specs. eval.go evaluates them, copy.go copies results into memory, and static.go and describe.go derive what is known
// without values.
//
// There are two dialects: Documented is the language as documented, Upstream is what the original program does. They share one
// grammar and differ in the few places where the code checks the dialect.
package expr
