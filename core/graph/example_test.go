package graph

import "fmt"

// pipeline is a picture with everything in it.
func pipeline() *Graph {
	return &Graph{
		Title: "track.pipe",
		Nodes: []*Node{
			{ID: "reader", Kind: "frame_list_input", Out: []Port{{"image", "kwiver:image"}, {"timestamp", "kwiver:timestamp"}, {"image_file_name", ""}}, Detail: []string{"image_list_file = frames.txt"}},
			{ID: "stabilise", Kind: "image_filter", Group: "pre", In: []Port{{"image", "kwiver:image"}}, Out: []Port{{"image", "kwiver:image"}}},
			{ID: "denoise", Kind: "image_filter", Group: "pre", In: []Port{{"image", "kwiver:image"}, {"strength", "float"}}, Out: []Port{{"image", "kwiver:image"}}},
			{ID: "detector", Kind: "image_object_detector", Group: "detect", In: []Port{{"image", "kwiver:image"}}, Out: []Port{{"detections", ""}, {"scores", ""}}, Detail: []string{"threshold = 0.35"}},
			{ID: "nms", Label: "suppress", Kind: "filter", Group: "inner", In: []Port{{"detections", ""}, {"scores", ""}}, Out: []Port{{"detections", ""}}},
			{ID: "refine", Kind: "filter", Group: "inner", In: []Port{{"in", ""}}, Out: []Port{{"out", ""}}},
			{ID: "tracker", Kind: "tracker", In: []Port{{"image", ""}, {"timestamp", ""}, {"detections", ""}, {"feedback", ""}}, Out: []Port{{"tracks", ""}, {"state", ""}}},
			{ID: "delay", Kind: "delay", In: []Port{{"in", ""}}, Out: []Port{{"out", ""}}},
			{ID: "writer", Kind: "track_writer", In: []Port{{"tracks", ""}, {"image_file_name", ""}}},
			{ID: "viewer", Kind: "image_viewer", In: []Port{{"image", ""}}},
		},
		Edges: []*Edge{
			{From: "reader", FromPort: "image", To: "stabilise", ToPort: "image", Label: "capacity 40"},
			{From: "stabilise", FromPort: "image", To: "denoise", ToPort: "image"},
			{From: "denoise", FromPort: "image", To: "detector", ToPort: "image", Label: "10"},
			{From: "denoise", FromPort: "image", To: "tracker", ToPort: "image"},
			{From: "denoise", FromPort: "image", To: "viewer", ToPort: "image", Style: Dashed, Label: "drops"},
			{From: "detector", FromPort: "detections", To: "nms", ToPort: "detections"},
			{From: "detector", FromPort: "scores", To: "nms", ToPort: "scores"},
			{From: "nms", FromPort: "detections", To: "refine", ToPort: "in"},
			{From: "refine", FromPort: "out", To: "tracker", ToPort: "detections", Label: "8"},
			{From: "reader", FromPort: "timestamp", To: "tracker", ToPort: "timestamp"},
			{From: "reader", FromPort: "image_file_name", To: "writer", ToPort: "image_file_name"},
			{From: "tracker", FromPort: "tracks", To: "writer", ToPort: "tracks", Style: Thick},
			{From: "tracker", FromPort: "state", To: "delay", ToPort: "in"},
			{From: "delay", FromPort: "out", To: "tracker", ToPort: "feedback", Label: "one step back", Style: Dotted},
		},
		Groups: []*Group{
			{ID: "pre", Label: "preprocess"},
			{ID: "detect"},
			{ID: "inner", Label: "clean up", Parent: "detect"},
		},
	}
}

// includes is a tree with a file that is read twice and one that reads itself.
func includes() *Graph {
	return &Graph{
		Title:     "what run.pipe reads",
		Direction: Down,
		Nodes: []*Node{
			{ID: "run.pipe", Kind: "pipe"},
			{ID: "base.conf", Kind: "conf", Detail: []string{"120 lines"}},
			{ID: "detector.conf", Kind: "conf"},
			{ID: "common.conf", Kind: "conf", Detail: []string{"14 lines"}},
			{ID: "site.conf", Kind: "conf"},
		},
		Edges: []*Edge{
			{From: "run.pipe", To: "base.conf", Label: "line 3"},
			{From: "run.pipe", To: "detector.conf", Label: "line 4"},
			{From: "base.conf", To: "common.conf"},
			{From: "base.conf", To: "site.conf"},
			{From: "detector.conf", To: "common.conf"},
			{From: "site.conf", To: "base.conf", Style: Dashed},
			{From: "detector.conf", To: "missing.conf", Style: Dotted},
			{From: "common.conf", To: "version.conf"},
		},
	}
}

func ExampleGraph_TopoSort() {
	g := &Graph{Edges: []*Edge{{From: "compile", To: "run"}, {From: "fetch", To: "compile"}}}
	fmt.Println(g.TopoSort())
	// Output: [fetch compile run] true
}

func ExampleGraph_Cycle() {
	g := &Graph{Edges: []*Edge{{From: "a", To: "b"}, {From: "b", To: "c"}, {From: "c", To: "b"}}}
	fmt.Println(g.Cycle())
	// Output: [b c]
}
