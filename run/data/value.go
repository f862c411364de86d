package data

import (
	"strconv"

	"github.com/pentode-dev/pentode/run/data/expr"
)

type Dialect uint8

const (
	Seed Dialect = iota
	Upstream
)

type Value struct {
	node *Node
}

func (env *Env) ParseValue(n *Node) (*Value, error) { return &Value{n}, nil }
func (v *Value) Constant() bool                     { return true }
func (v *Value) Long() (int64, error) {
	x, err := strconv.ParseInt(v.node.Text, 0, 64)
	if err != nil {
		return 0, Errorf(StatusValue, v.node, "no")
	}
	return x, nil
}

var _ expr.Kind
