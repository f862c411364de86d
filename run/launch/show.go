package launch

import (
	"fmt"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// jsonNode is a node in the JSON form of a plan.
type jsonNode struct {
	ID        string            `json:"id"`
	Kind      Kind              `json:"kind"`
	Host      string            `json:"host"`
	Argv      []string          `json:"argv"`
	Env       map[string]string `json:"env"`
	Dir       string            `json:"dir"`
	After     []string          `json:"after"`
	Ready     string            `json:"ready"`
	Restart   string            `json:"restart,omitempty"`
	OnRequest bool              `json:"on_request,omitempty"`
	View      View              `json:"view,omitempty"` // the view that the page shows instead
	Launcher  string            `json:"launcher"`
	Exec      []string          `json:"exec,omitempty"` // what this machine executes, if that is not Argv
	Settings  []jsonSetting     `json:"settings,omitempty"`
}

// jsonSetting is a project's setting for a node.
type jsonSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// JSONPlan is the JSON form of a plan, as WriteJSON writes it.
type JSONPlan struct {
	Version  int        `json:"version"`
	Run      string     `json:"run"`
	Tunables []Tunable  `json:"tunables"`
	Nodes    []jsonNode `json:"nodes"`
}

// WriteJSON writes the plan as JSON.
func (p *Plan) WriteJSON(w io.Writer) error {
	shown := JSONPlan{1, p.Run, p.Tunables, make([]jsonNode, 0, len(p.Nodes))}
	if shown.Tunables == nil {
		shown.Tunables = []Tunable{}
	}
	for _, n := range p.Nodes {
		s := jsonNode{
			ID: n.ID, Kind: n.Kind, Host: n.Host, Argv: n.Argv, Env: map[string]string{}, Dir: n.Dir,
			After: edgeTexts(n.After), Ready: n.Ready.String(), OnRequest: n.OnRequest, View: n.StandIn, Launcher: n.Starter.String(),
		}
		for _, v := range n.Env {
			s.Env[v.Name] = v.Value
		}
		if n.Restart.When != RestartNever {
			s.Restart = n.Restart.String()
		}
		if _, direct := n.Starter.(Local); !direct || n.arranged() {
			s.Exec = n.Starter.Command(n).Argv
		}
		for _, g := range n.Settings {
			s.Settings = append(s.Settings, jsonSetting{g.Key, g.Value, g.Span.String()})
		}
		shown.Nodes = append(shown.Nodes, s)
	}
	return jsontext.Write(w, shown)
}

// WriteText writes the plan for people, in the order in which programs would start.
func (p *Plan) WriteText(w io.Writer) error {
	var b strings.Builder
	last := map[string]int{}
	for i, t := range p.Tunables {
		last[t.Name] = i
	}
	for i, t := range p.Tunables {
		note := ""
		if last[t.Name] != i {
			note = "   set again below"
		}
		fmt.Fprintf(&b, "tunable %s = %s%s\n", t.Name, t.Value, note)
	}
	for _, n := range p.Nodes {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s %s on %s", n.Kind, n.ID, n.Host)
		if n.Address != n.Host {
			fmt.Fprintf(&b, " (%s)", n.Address)
		}
		if n.OnRequest {
			b.WriteString(", declared only")
		}
		fmt.Fprintf(&b, "\n  run    %s\n", QuoteAll(n.Argv))
		if _, direct := n.Starter.(Local); !direct || n.arranged() {
			fmt.Fprintf(&b, "  by     %s\n", QuoteAll(n.Starter.Command(n).Argv))
		}
		if n.StandIn != "" {
			fmt.Fprintf(&b, "  but    %s\n", n.shown())
		}
		if n.Dir != "" {
			fmt.Fprintf(&b, "  in     %s\n", Quote(n.Dir))
		}
		for i, v := range n.Env {
			head := "      "
			if i == 0 {
				head = "with  "
			}
			fmt.Fprintf(&b, "  %s %s=%s\n", head, v.Name, Quote(v.Value))
		}
		for _, v := range n.Secret {
			fmt.Fprintf(&b, "         %s (value not shown)\n", v.Name)
		}
		if len(n.After) > 0 {
			fmt.Fprintf(&b, "  after  %s\n", strings.Join(edgeTexts(n.After), ", "))
		}
		if n.Kind == KindDaemon {
			fmt.Fprintf(&b, "  ready  %s\n", n.Ready)
		}
		if n.Restart.When != RestartNever {
			fmt.Fprintf(&b, "  again  %s\n", n.Restart)
		}
		for i, s := range n.Settings {
			head := "      "
			if i == 0 {
				head = "set   "
			}
			fmt.Fprintf(&b, "  %s %s   %s\n", head, s, s.Span)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
