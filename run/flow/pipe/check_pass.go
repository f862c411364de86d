package pipe

import (
	"slices"
	"strings"
)

// contents maps a port type to the kind of content it has. Data of one content cannot replace data of another. Types that
// are not listed may be different names for the same content.
var contents = map[string]string{
	ImageType: "an image", "kwiver:timestamp": "a time", "kwiver:detected_object_set": "detections", "kwiver:object_track_set": "tracks",
	"string": "a text", "kwiver:file_name": "a text", "kwiver:image_file_name": "a text",
}

// passed finds data that pass through outputs of type `_any` and arrive at an input that cannot take them. No port on the
// way rejects such data, but the process with this input would fail at its first step.
func (c *checker) passed() {
	for i := range c.plan.Edges {
		e := &c.plan.Edges[i]
		if e.FromPort < 0 || e.ToPort < 0 || c.plan.Nodes[e.FromNode].Out[e.FromPort].Type != AnyType {
			continue
		}
		in := &c.plan.Nodes[e.ToNode].In[e.ToPort]
		first := c.sourceEdge(e, 0)
		if first == nil || contents[in.Type] == "" {
			continue
		}
		typ := c.plan.Nodes[first.FromNode].Out[first.FromPort].Type
		if contents[typ] != "" && contents[typ] != contents[in.Type] {
			l := e.link()
			p := c.atLink(&l, false, TypeMismatch, "`%s` passes on `%s` from `%s`, but `%s` takes `%s`", l.From, typ, first.From, l.To, in.Type)
			p.Expected = "connect an output that gives " + contents[in.Type]
		}
	}
}

// sourceEdge follows the data of an edge back through processes that only pass them on. It returns the edge on which the
// data entered these processes, or nil if this is not known.
func (c *checker) sourceEdge(e *PlanEdge, depth int) *PlanEdge {
	const maxDepth = 16
	n := &c.plan.Nodes[e.FromNode]
	own := n.Type.Runs()
	if own == nil || depth == maxDepth {
		return nil
	}
	out, group := own.FindOut(n.Out[e.FromPort].Name)
	if out == nil || out.Passes == "" {
		return nil
	}
	name := out.Passes
	if start, end := strings.IndexByte(name, '<'), strings.IndexByte(name, '>'); start >= 0 && end > start {
		name = name[:start] + group + name[end+1:]
	}
	i := slices.IndexFunc(n.In, func(p PlanPort) bool { return p.Name == name })
	if i < 0 || len(n.In[i].Edges) == 0 {
		return nil
	}
	before := &c.plan.Edges[n.In[i].Edges[0]]
	if before.FromPort < 0 {
		return nil
	}
	if c.plan.Nodes[before.FromNode].Out[before.FromPort].Type == AnyType {
		return c.sourceEdge(before, depth+1)
	}
	return before
}
