package graph_test

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
)

// pipeline is a picture that uses every feature.
func pipeline() *graph.Graph {
	return &graph.Graph{
		Title: "track.pipe",
		Nodes: []*graph.Node{
			{ID: "reader", Kind: "frame_list_input", Out: []graph.Port{{"image", "kwiver:image"}, {"timestamp", "kwiver:timestamp"}, {"image_file_name", ""}}, Detail: []string{"image_list_file = frames.txt"}},
			{ID: "stabilise", Kind: "image_filter", Group: "pre", In: []graph.Port{{"image", "kwiver:image"}}, Out: []graph.Port{{"image", "kwiver:image"}}},
			{ID: "denoise", Kind: "image_filter", Group: "pre", In: []graph.Port{{"image", "kwiver:image"}, {"strength", "float"}}, Out: []graph.Port{{"image", "kwiver:image"}}},
			{ID: "detector", Kind: "image_object_detector", Group: "detect", In: []graph.Port{{"image", "kwiver:image"}}, Out: []graph.Port{{"detections", ""}, {"scores", ""}}, Detail: []string{"threshold = 0.35"}},
			{ID: "nms", Label: "suppress", Kind: "filter", Group: "inner", In: []graph.Port{{"detections", ""}, {"scores", ""}}, Out: []graph.Port{{"detections", ""}}},
			{ID: "refine", Kind: "filter", Group: "inner", In: []graph.Port{{"in", ""}}, Out: []graph.Port{{"out", ""}}},
			{ID: "tracker", Kind: "tracker", In: []graph.Port{{"image", ""}, {"timestamp", ""}, {"detections", ""}, {"feedback", ""}}, Out: []graph.Port{{"tracks", ""}, {"state", ""}}},
			{ID: "delay", Kind: "delay", In: []graph.Port{{"in", ""}}, Out: []graph.Port{{"out", ""}}},
			{ID: "writer", Kind: "track_writer", In: []graph.Port{{"tracks", ""}, {"image_file_name", ""}}},
			{ID: "viewer", Kind: "image_viewer", In: []graph.Port{{"image", ""}}},
		},
		Edges: []*graph.Edge{
			{From: "reader", FromPort: "image", To: "stabilise", ToPort: "image", Label: "capacity 40"},
			{From: "stabilise", FromPort: "image", To: "denoise", ToPort: "image"},
			{From: "denoise", FromPort: "image", To: "detector", ToPort: "image", Label: "10"},
			{From: "denoise", FromPort: "image", To: "tracker", ToPort: "image"},
			{From: "denoise", FromPort: "image", To: "viewer", ToPort: "image", Style: graph.Dashed, Label: "drops"},
			{From: "detector", FromPort: "detections", To: "nms", ToPort: "detections"},
			{From: "detector", FromPort: "scores", To: "nms", ToPort: "scores"},
			{From: "nms", FromPort: "detections", To: "refine", ToPort: "in"},
			{From: "refine", FromPort: "out", To: "tracker", ToPort: "detections", Label: "8"},
			{From: "reader", FromPort: "timestamp", To: "tracker", ToPort: "timestamp"},
			{From: "reader", FromPort: "image_file_name", To: "writer", ToPort: "image_file_name"},
			{From: "tracker", FromPort: "tracks", To: "writer", ToPort: "tracks", Style: graph.Thick},
			{From: "tracker", FromPort: "state", To: "delay", ToPort: "in"},
			{From: "delay", FromPort: "out", To: "tracker", ToPort: "feedback", Label: "one step back", Style: graph.Dotted},
		},
		Groups: []*graph.Group{
			{ID: "pre", Label: "preprocess"},
			{ID: "detect"},
			{ID: "inner", Label: "clean up", Parent: "detect"},
		},
	}
}

// includes is a tree of include files, with one file included twice and
// another that includes itself.
func includes() *graph.Graph {
	return &graph.Graph{
		Title:     "what run.pipe reads",
		Direction: graph.Down,
		Nodes: []*graph.Node{
			{ID: "run.pipe", Kind: "pipe"},
			{ID: "base.conf", Kind: "conf", Detail: []string{"120 lines"}},
			{ID: "detector.conf", Kind: "conf"},
			{ID: "common.conf", Kind: "conf", Detail: []string{"14 lines"}},
			{ID: "site.conf", Kind: "conf"},
		},
		Edges: []*graph.Edge{
			{From: "run.pipe", To: "base.conf", Label: "line 3"},
			{From: "run.pipe", To: "detector.conf", Label: "line 4"},
			{From: "base.conf", To: "common.conf"},
			{From: "base.conf", To: "site.conf"},
			{From: "detector.conf", To: "common.conf"},
			{From: "site.conf", To: "base.conf", Style: graph.Dashed},
			{From: "detector.conf", To: "missing.conf", Style: graph.Dotted},
			{From: "common.conf", To: "version.conf"},
		},
	}
}

// hostile has every character with a special meaning in some format.
func hostile() *graph.Graph {
	odd := "a \"b\" 'c' <d> [e] {f} |g| #h; `i` \\j &k\nl\x00\xff\u202em"
	return &graph.Graph{
		Title: odd,
		Nodes: []*graph.Node{
			{ID: odd, Kind: odd, Group: odd, Detail: []string{odd}, Out: []graph.Port{{odd, odd}}},
			{ID: "end", Label: odd, Group: odd},
			nil,
			{ID: `trailing\`},
		},
		Edges:  []*graph.Edge{{From: odd, FromPort: odd, To: "end", ToPort: odd, Label: odd, Style: 99}, nil, {From: "end", To: `trailing\`}},
		Groups: []*graph.Group{{ID: odd, Parent: "other"}, nil, {ID: "other", Parent: odd}},
	}
}

// long is a chain that needs several rows, with edges between rows and labels
// with every letter.
func long() *graph.Graph {
	g := &graph.Graph{Title: "long"}
	var letters strings.Builder
	for c := ' '; c <= '~'; c++ {
		letters.WriteRune(c)
	}
	label := letters.String()
	for i := range 36 {
		at := i * 9 % (len(label) - 12)
		n := &graph.Node{ID: fmt.Sprint("n", i), Label: label[at : at+12], In: []graph.Port{{Name: "in"}, {Name: "side"}}, Out: []graph.Port{{Name: "out", Type: "number"}}}
		if i%7 == 0 {
			n.Detail = []string{label[at : at+5], "more"}
		}
		g.Nodes = append(g.Nodes, n)
		if i > 0 {
			g.Edges = append(g.Edges, &graph.Edge{From: fmt.Sprint("n", i-1), FromPort: "out", To: n.ID, ToPort: "in"})
		}
		if i > 8 && i%4 == 0 {
			g.Edges = append(g.Edges, &graph.Edge{From: fmt.Sprint("n", i-9), FromPort: "out", To: n.ID, ToPort: "side", Label: "far", Style: graph.Dashed})
		}
	}
	g.Edges = append(g.Edges, &graph.Edge{From: "n35", FromPort: "out", To: "n2", ToPort: "side", Style: graph.Thick})
	return g
}
