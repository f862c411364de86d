package data

// Spec is a specification tree as the engine takes it: one Section for each
// file, included ones before the file that includes them. The order matters
// only for the order of plugins and of declarations.
type Spec struct {
	Sections []Section

	// Logging is the `logging` node of the main tree; included files have no say.
	Logging *Node
}

// Section holds what one tree says. Every field is the node as written, nil
// when the key is absent; the engine reads it and its errors carry the node.
type Section struct {
	Types      *Node // name -> type
	Metadata   *Node // name -> type, kept by copy
	Data       *Node // name -> type, kept by reference
	Plugins    *Node // name -> configuration
	PluginPath *Node // a path or a list of paths; shown, never loaded from
}

// Tree returns the Spec of a single tree without includes: its root sections by
// name. A root that is no mapping declares nothing.
func Tree(root *Node) Spec {
	return Spec{
		Logging: root.Lookup("logging"),
		Sections: []Section{{
			Types:      root.Lookup("types"),
			Metadata:   root.Lookup("metadata"),
			Data:       root.Lookup("data"),
			Plugins:    root.Lookup("plugins"),
			PluginPath: root.Lookup("plugin_path"),
		}},
	}
}
