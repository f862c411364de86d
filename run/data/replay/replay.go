// Package replay makes the calls of a script on a data store, as a program would.
//
// A specification tree says what happens when data is shared. A script says which data is
// shared, so that a tree can be tried without its program. Each call is a list of words:
// `[expose, n, OUT, 3]`, `[event, step]`, `[expr, $n + 1]`.
//
//	tree ──Parse──▶ Script ──Play, call by call──▶ Store (with its plugins)
//	                                        └────▶ Result: status, value
package replay

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
)

// Script is a list of calls.
type Script []Call

// Call is one call of a script: the operation and its words.
type Call struct {
	Node *data.Node
	Op   string
	Args []*data.Node
}

func (c Call) String() string {
	words := []string{c.Op}
	for _, a := range c.Args {
		words = append(words, flow(a))
	}
	return strings.Join(words, " ")
}

// Names returns those words of the call that are names of data.
func (c Call) Names() []*data.Node {
	switch c.Op {
	case "share", "sharenull", "expose", "poke", "reclaim", "access", "release":
		return c.Args[:1]
	case "multi2":
		return c.Args[1:]
	case "multi":
		var names []*data.Node
		for _, item := range c.Args[1:] {
			if item.Kind == data.SequenceNode && len(item.Items) > 0 && item.Items[0].Kind == data.ScalarNode {
				names = append(names, item.Items[0])
			}
		}
		return names
	}
	return nil
}

// flow writes a node on one line, without quoting texts.
func flow(n *data.Node) string { return n.Flow(func(text string) string { return text }) }

// Operation describes one kind of call in a script.
type Operation struct {
	Name string
	Args string // the words of the call, for the documentation
	Doc  string

	min, max int // the smallest and largest number of words
	play     func(*Player, Call, *Result) error
}

// Operations lists the calls that a script can make.
func Operations() []Operation {
	return []Operation{
		{"share", "NAME ACCESS VALUE", "shares new memory with a value in it", 3, 3, (*Player).share},
		{"sharenull", "NAME ACCESS", "shares no memory", 2, 2, (*Player).shareNull},
		{"expose", "NAME ACCESS VALUE", "shares a datum and reclaims it at once", 3, 3, (*Player).expose},
		{"poke", "NAME VALUE", "changes the memory that was shared last", 2, 2, (*Player).poke},
		{"reclaim", "NAME", "reclaims the last share", 1, 1, (*Player).reclaim},
		{"access", "NAME ACCESS", "accesses a datum and shows its first integer", 2, 3, (*Player).access},
		{"release", "NAME", "ends the last access", 1, 1, (*Player).release},
		{"event", "NAME", "triggers an event", 1, 1, (*Player).event},
		{"multi", "EVENT [NAME, ACCESS, VALUE]…", "shares several data for an event", 1, 1 << 10, (*Player).multi},
		{"multi2", "EVENT NAME NAME", "shares two zeroed data for an event", 3, 3, (*Player).multi2},
		{"tbegin", "EVENT", "begins a transaction", 1, 1, (*Player).begin},
		{"tend", "", "ends the transaction", 0, 0, (*Player).end},
		{"expr", "EXPRESSION", "evaluates an expression as an integer", 1, 1, (*Player).long},
		{"double", "EXPRESSION", "evaluates an expression as a floating-point number", 1, 1, (*Player).double},
		{"str", "EXPRESSION", "evaluates an expression as text", 1, 1, (*Player).text},
		{"finalize", "", "closes the store", 0, 0, (*Player).finalize},
		{"init", "", "makes a new store", 0, 0, (*Player).init},
	}
}

// Parse reads a script: a list of calls.
func Parse(n *data.Node) (Script, error) {
	if n.Blank() {
		return nil, nil
	}
	if n.Kind != data.SequenceNode {
		return nil, data.Errorf(data.StatusSpecTree, n, "expected a list of calls like `[share, name, OUT, 3]`, found a %s", n.Kind)
	}
	var script Script
	for _, item := range n.Items {
		c, err := parseCall(item)
		if err != nil {
			return nil, err
		}
		script = append(script, c)
	}
	return script, nil
}

func parseCall(n *data.Node) (Call, error) {
	if n.Kind != data.SequenceNode || len(n.Items) == 0 || n.Items[0].Kind != data.ScalarNode {
		return Call{}, data.Errorf(data.StatusSpecTree, n, "expected a call like `[share, name, OUT, 3]`, found %s", flow(n))
	}
	c := Call{Node: n, Op: n.Items[0].Text, Args: n.Items[1:]}
	op, err := c.operation()
	if err != nil {
		return c, err
	}
	if len(c.Args) < op.min || len(c.Args) > op.max {
		return c, data.Errorf(data.StatusSpecTree, n, "`%s` takes %s, found %d words", c.Op, expected(op), len(c.Args))
	}
	if len(c.Args) > 0 && c.Args[0].Kind != data.ScalarNode {
		return c, data.Errorf(data.StatusSpecTree, c.Args[0], "expected a name or an expression after `%s`, found %s", c.Op, flow(c.Args[0]))
	}
	return c, nil
}

func expected(op Operation) string {
	if op.Args == "" {
		return "no words"
	}
	return op.Args
}

func (c Call) operation() (Operation, error) {
	var names []string
	for _, op := range Operations() {
		if op.Name == c.Op {
			return op, nil
		}
		names = append(names, "`"+op.Name+"`")
	}
	return Operation{}, data.Errorf(data.StatusSpecTree, c.Node, "unknown call `%s`: the calls are %s", c.Op, strings.Join(names, ", "))
}

// Result is the outcome of a call.
type Result struct {
	Call   Call
	Err    error // the error of the call, or nil
	Value  any   // the value of an expression: int64, float64 or string
	Failed error // the reason why an expression has no value; the call itself has succeeded

	// The result of an access: whether it returned memory, whether that is the memory
	// that was shared last, and its first integer.
	Memory, Same bool
	First        *int32
}

// String writes a result on one line.
func (r Result) String() string {
	switch {
	case r.Err != nil:
		return fmt.Sprintf("%s: %s %v", r.Call, data.StatusOf(r.Err), r.Err)
	case r.Failed != nil:
		return fmt.Sprintf("%s: %s %v", r.Call, data.StatusOf(r.Failed), r.Failed)
	case r.Value != nil:
		return fmt.Sprintf("%s = %v", r.Call, r.Value)
	case r.First != nil:
		return fmt.Sprintf("%s: %d", r.Call, *r.First)
	}
	return r.Call.String() + ": ok"
}
