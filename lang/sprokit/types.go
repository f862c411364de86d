package sprokit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

// Standard is a registry of the process types of this program, to add to.
func Standard() *flow.Registry { return catalog.Standard() }

// AddTypes reads declarations of process types into a registry. Types that the
// registry has already stay as they are. The text is a JSON array:
//
//	[{"type": "blur", "doc": "…",
//	  "in":  [["image", "kwiver:image", "required"]],
//	  "out": [["image", "kwiver:image", "shared", "the blurred image"]],
//	  "config": [["radius", "int", "3", "how far", true]],
//	  "needs": "a graphics processor"}]
//
// A port is its name, type, flags and documentation; `<…>` in a name stands
// for what the pipeline chooses. A key is its name, kind (string, int,
// unsigned, double, float, bool, algo, any), default, documentation and
// whether it may change during a run. What is left out at the end is empty.
func AddTypes(r *flow.Registry, text io.Reader) error {
	var list []struct {
		Type, Doc, Check, Properties, Needs string
		In, Out                             []row
		Config                              []row
	}
	data, err := io.ReadAll(io.LimitReader(text, 64<<20))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return jsonError(data, err)
	}
	declared := map[string]bool{}
	for i, d := range list {
		if d.Type == "" {
			return fmt.Errorf("entry %d has no `type`, which is the name of the process type", i+1)
		}
		if declared[d.Type] {
			return fmt.Errorf("process type `%s` is declared twice", d.Type)
		}
		declared[d.Type] = true
		if _, known := r.Lookup(d.Type); known {
			continue
		}
		t := &flow.Type{Name: d.Type, Doc: d.Doc, Needs: d.Needs}
		if t.Needs == "" {
			t.Needs = "the program that brings it: it is only declared here"
		}
		if d.Properties != "" {
			t.Properties = strings.Split(d.Properties, ",")
		}
		if strings.Contains(d.Check, "check_none") {
			t.Level = flow.CheckNone
		} else if strings.Contains(d.Check, "check_sync") {
			t.Level = flow.CheckSync
		}
		if t.In, err = ports(d.In); err == nil {
			t.Out, err = ports(d.Out)
		}
		if err != nil {
			return fmt.Errorf("process type `%s`: %w", d.Type, err)
		}
		if t.Keys, err = keys(d.Config); err != nil {
			return fmt.Errorf("process type `%s`: %w", d.Type, err)
		}
		if err := r.Add(t); err != nil {
			return err
		}
	}
	return nil
}

// jsonError says where a text is not what was expected.
func jsonError(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(-1)
	what := "expected an array of process types"
	switch {
	case errors.As(err, &syntax):
		at, what = syntax.Offset, "it is not JSON"
	case errors.As(err, &kind):
		at = kind.Offset
	}
	if at < 0 {
		return errors.New(what)
	}
	return fmt.Errorf("%s at line %d", what, 1+bytes.Count(data[:min(int(at), len(data))], []byte("\n")))
}

// row is a list of texts, in which numbers and switches may stand too.
type row []string

// UnmarshalJSON takes an array of texts, numbers and switches.
func (r *row) UnmarshalJSON(data []byte) error {
	var list []any
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, v := range list {
		switch v := v.(type) {
		case string:
			*r = append(*r, v)
		case bool:
			*r = append(*r, strconv.FormatBool(v))
		case float64:
			*r = append(*r, strconv.FormatFloat(v, 'g', -1, 64))
		default:
			*r = append(*r, "")
		}
	}
	return nil
}

func (r row) at(i int) string {
	if i < len(r) {
		return r[i]
	}
	return ""
}

func ports(rows []row) ([]flow.Port, error) {
	var list []flow.Port
	for _, r := range rows {
		if r.at(0) == "" || r.at(1) == "" {
			return nil, errors.New("a port needs a name and a type: `[\"image\", \"kwiver:image\", \"required\"]`")
		}
		flags, err := flow.ParseFlags(r.at(2))
		if err != nil {
			return nil, fmt.Errorf("port `%s`: %w", r.at(0), err)
		}
		list = append(list, flow.Port{Name: r.at(0), Type: r.at(1), Flags: flags, Doc: r.at(3)})
	}
	return list, nil
}

func keys(rows []row) ([]flow.Key, error) {
	var list []flow.Key
	for _, r := range rows {
		if r.at(0) == "" {
			return nil, errors.New("a key needs a name: `[\"radius\", \"int\", \"3\"]`")
		}
		key := flow.Key{Name: r.at(0), Kind: flow.Kind(r.at(1)), Default: r.at(2), Doc: r.at(3), Tunable: r.at(4) == "true"}
		switch key.Kind {
		case "":
			key.Kind = flow.String
		case flow.String, flow.Int, flow.Unsigned, flow.Double, flow.Float, flow.Bool, flow.Any:
		case flow.Algo:
			key.Name, _, _ = strings.Cut(key.Name, ":type")
		default:
			return nil, fmt.Errorf("key `%s` has the kind `%s`: expected string, int, unsigned, double, float, bool, algo or any", key.Name, key.Kind)
		}
		list = append(list, key)
	}
	return list, nil
}

// Library is all process types that a pipeline in the working directory can
// use: those of the options, and the clusters that are found.
func Library(env *load.Env, o Options) *flow.Registry {
	if o.Types == nil {
		o.Types = Standard()
	}
	r := resolver{o: newOptions(o), env: env}
	set := newClusterSet(&r)
	dirs := append(r.pathList("SPROKIT_CLUSTER_PATH"), o.ClusterPath...)
	for _, dir := range append(dirs, ".") {
		set.scan(dir)
	}
	all := o.Types.Clone()
	for _, def := range set.order {
		if _, known := all.Lookup(def.model.Cluster.Name); !known {
			_ = all.Add(def.model.clusterType()) // its ports have no flags, so it cannot fail
		}
	}
	return all
}
