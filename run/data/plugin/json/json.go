// Package json is the plugin `json`: it appends data to JSON files.
package json

import (
	"bytes"
	"os"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
)

// Plugin returns the plugin.
func Plugin() data.Plugin {
	return data.Plugin{
		Name:   "json",
		Title:  "JSON",
		Doc:    "Appends a datum, whenever it is shared for reading, to the array in a JSON file, which is complete after each step: `name: file`, or a list of files.",
		Runs:   data.Everywhere,
		Config: config.OrList(new(output).rule()),
		New:    load,
	}
}

// output is one file to which data is written.
type output struct {
	*data.Context
	file, when      *data.Value
	writeKey, write *data.Node
}

// rule returns the rule of a file, which is read into o.
func (o *output) rule() *config.Rule {
	return &config.Rule{Keys: []config.Key{
		{Name: "file", Rule: config.Only(config.Label), Read: into.Text(&o.file, "the name of a file"), Doc: "The file."},
		{Name: "write", Rule: &config.Rule{List: config.Only(config.Reads)}, Doc: "The data to write.", Read: into.Reader(func(_ *data.Context, key, value *data.Node) error {
			if o.write == nil {
				o.writeKey, o.write = key, value
			}
			return nil
		})},
		into.When(&o.when), config.Log,
	}, Names: config.Only(config.Label), NameIs: config.Reads}
}

func load(c *data.Context) error {
	entries := []*data.Node{c.Config}
	if c.Config.Kind == data.SequenceNode && len(c.Config.Items) > 0 {
		entries = c.Config.Items
	}
	for _, entry := range entries {
		if err := addFile(c, entry); err != nil {
			return err
		}
	}
	c.Greet()
	return nil
}

func addFile(c *data.Context, entry *data.Node) error {
	if entry.Kind != data.MappingNode || len(entry.Pairs) == 0 {
		e := data.Errorf(data.StatusSpecTree, entry, "expected `datum: file` or `file`, `write` and `when`, found a %s", entry.Kind)
		if entry.Kind == data.MappingNode {
			return e.UpstreamAt(nil, "Configuration error #3: Index 0 out of range [0...0] in (ROOT)\n")
		}
		return e.NoMapping(entry, "{")
	}
	out := &output{Context: c}
	if entry.Lookup("file") == nil {
		return addPlain(out, entry)
	}
	err := into.Mapping(c, entry, "a mapping", out.rule(), func(key, _ *data.Node) error {
		return data.Errorf(data.StatusSpecTree, key, "unknown key `%s`: the keys are `file`, `write` and `when`", key.Text).
			Upstream("Unknown keyword '%s' encountered while expecting file, when, or write", key.Text)
	})
	write := out.write
	if err != nil || write == nil {
		return err
	}
	if write.Kind != data.SequenceNode || len(write.Items) == 0 {
		return data.Errorf(data.StatusSpecTree, write, "expected a list of names after `write`, found a %s", write.Kind).
			UpstreamAt(out.writeKey, "Unknown write method. Please use [var1, var2, ...]")
	}
	for _, item := range write.Items {
		name, err := item.Scalar("the name of a datum")
		if err != nil {
			return err
		}
		c.OnShare(name, out.append)
	}
	return nil
}

// addPlain reads `datum: file`. Upstream reads only the first entry.
func addPlain(out *output, entry *data.Node) error {
	done := false
	return entry.Each("a mapping", func(name string, _, value *data.Node) (err error) {
		switch {
		case name == "logging":
		case done:
			out.Log.Warn("`%s` is not written: only the first entry counts; use a list of entries", name)
		default:
			done = true
			if out.file, err = out.Env().ParseText(value, "the name of a file"); err == nil {
				out.OnShare(name, out.append)
			}
		}
		return err
	})
}

func (o *output) append(name string, ref data.Ref) error {
	return o.Timed(func() error {
		if o.when != nil {
			if ok, err := o.when.True(); err != nil || !ok {
				return err
			}
		}
		file, err := o.file.Text()
		if err != nil {
			return err
		}
		memory, err := ref.Read()
		if err != nil {
			o.Log.Error("`%s` is not written to `%s`: it may not be read", name, file)
			return nil
		}
		writer := data.JSON{Machine: o.Env().Machine, Indent: "    ", TextList: true, Spread: o.Env().Dialect == data.Upstream, Deref: func(p *data.Pointer, b []byte) []byte {
			target, err := o.Follow(p, b)
			if err != nil {
				return nil
			}
			return target
		}}
		text := writer.AppendObject(nil, name, ref.Type(), memory)
		if err := o.appendTo(file, text); err != nil {
			return data.Errorf(data.StatusSystem, nil, "cannot write `%s` to `%s`: %v", name, file, err)
		}
		return nil
	})
}

// appendTo adds one element to the array in a file, in place of the closing bracket.
func (o *output) appendTo(name string, element []byte) (err error) {
	f, err := o.Host().Open(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		_, err = f.WriteAt(bytes.Join([][]byte{[]byte("[\n"), element, []byte("\n]")}, nil), 0)
		return err
	}
	// The array's end is found in the last bytes, whatever blanks follow.
	tail := make([]byte, min(info.Size(), 64))
	at := info.Size() - int64(len(tail))
	if _, err := f.ReadAt(tail, at); err != nil {
		return err
	}
	body := bytes.TrimRight(tail, " \t\r\n")
	if !bytes.HasSuffix(body, []byte("]")) {
		return data.Errorf(data.StatusSystem, nil, "the file does not end with a JSON array")
	}
	body = bytes.TrimRight(body[:len(body)-1], " \t\r\n")
	separator := []byte(",\n")
	if bytes.HasSuffix(body, []byte("[")) {
		separator = []byte("\n")
	}
	_, err = f.WriteAt(bytes.Join([][]byte{separator, element, []byte("\n]")}, nil), at+int64(len(body)))
	return err
}
