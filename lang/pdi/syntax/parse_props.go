package syntax

import (
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/token"
)

// maxExpanded is the number of nodes to which all aliases up to an offset together may expand. A large file may have many small aliases, so its limit
// is higher; in a small file, so many nodes can only come from aliases that multiply.
func maxExpanded(offset int) int { return min(100_000+10*offset, 1_000_000) }

// maxSuggest is the largest number of anchors among which a similar name is searched.
const maxSuggest = 200

// anchors holds the names that aliases may use.
type anchors struct {
	names   map[string]*anchor
	count   int     // nodes so far, expanded aliases included
	added   int     // the part of count that comes from aliases
	used    []*Node // aliases with a target
	full    bool    // the limit was exceeded, so all aliases are Broken
	deepest int     // level of the innermost node since the last open anchor
}

type anchor struct {
	node   *Node // nil while the node is being read
	name   Text
	count  int // the number of nodes before it
	size   int // number of nodes in it
	height int // number of levels in it
	before int // deepest before it
}

func (x properties) any() bool { return !x.anchor.Empty() || !x.tag.Empty() }

// names are the bytes of an anchor's name and of a tag's handle.
var names = token.NewSet("0-9A-Za-z_-")

// afterName are the bytes, besides blanks, that may follow an alias or an anchor.
const afterName = "?:,]}%@`"

// properties reads anchor and tag, in either order. Most nodes have none.
func (p *parser) properties() (properties, bool) {
	if b := p.peek(0); b != '&' && b != '!' {
		return properties{}, true
	}
	return p.someProperties()
}

func (p *parser) someProperties() (x properties, ok bool) {
	for {
		start := p.pos
		var next properties
		switch p.peek(0) {
		case '&':
			name, ok := p.name("anchor", Anchor)
			if !ok {
				return x, false
			}
			next.anchor = name
		case '!':
			if !p.tag() {
				return x, false
			}
			next.tag = Text{Start: int32(start), End: int32(p.pos)}
		default:
			return x, true
		}
		merged, ok := p.merge(x, next)
		if !ok {
			return x, false
		}
		if x = merged; !next.anchor.Empty() {
			p.define(next.anchor)
		}
		if c := p.peek(0); c != ' ' && c != '\t' {
			return x, true
		}
		// Blanks before the next property are read here; other blanks are left to the caller.
		at := p.pos + blankLen(p.text[p.pos:])
		if at >= len(p.text) || p.text[at] != '&' && p.text[at] != '!' {
			return x, true
		}
		p.take(at-p.pos, Blank)
	}
}

// merge combines the properties of one node.
func (p *parser) merge(a, b properties) (properties, bool) {
	switch {
	case !a.anchor.Empty() && !b.anchor.Empty():
		p.report(TwoProperties, int(b.anchor.Start)-1, int(b.anchor.End), "this node has an anchor already").
			At(p.tree.Span(a.anchor), "the first one").Helped("keep one of the two")
		return a, false
	case !a.tag.Empty() && !b.tag.Empty():
		p.report(TwoProperties, int(b.tag.Start), int(b.tag.End), "this node has a tag already").
			At(p.tree.Span(a.tag), "the first one").Helped("keep one of the two")
		return a, false
	}
	if a.anchor.Empty() {
		a.anchor = b.anchor
	}
	if a.tag.Empty() {
		a.tag = b.tag
	}
	return a, true
}

// name reads `&name` or `*name`.
func (p *parser) name(what string, k token.Kind) (Text, bool) {
	end := p.pos + 1
	for end < len(p.text) && names[p.text[end]] {
		end++
	}
	if end == p.pos+1 || !p.gapAt(end) && !strings.Contains(afterName, p.text[end:end+1]) {
		stop := end
		for stop < len(p.text) && !p.gapAt(stop) && stop < end+40 {
			stop++
		}
		p.report(BadName, p.pos, stop, "`%s` is not the name of an %s", problem.Clip(p.text[p.pos:stop], problem.Short), what).
			Helped("names are made of letters, digits, `_` and `-`; quote the text if it is a value")
		return Text{}, false
	}
	name := Text{Start: int32(p.pos + 1), End: int32(end)}
	p.take(end-p.pos, k)
	p.fresh = false
	return name, true
}

// tagBytes are the bytes of a tag besides the brackets of its long form.
var tagBytes = token.NewSet("0-9A-Za-z_;/?:@&=+$.!~*'()%-")

// tag reads `!`, `!name`, `!handle!name` or `!<name>`.
func (p *parser) tag() bool {
	end := p.pos + 1
	long := p.peek(1) == '<'
	if long {
		end++
	}
	bang := 0
	for end < len(p.text) && (tagBytes[p.text[end]] || long && strings.IndexByte(",[]", p.text[end]) >= 0) {
		if p.text[end] == '%' && !isEscape(p.text, end) {
			break
		}
		if p.text[end] == '!' && bang == 0 && allNames(p.text[p.pos+1:end]) {
			bang = end
		}
		end++
	}
	empty := end == p.pos+2 && long || bang > 0 && end == bang+1
	if long {
		if end < len(p.text) && p.text[end] == '>' {
			end++
		} else {
			empty = true
		}
	}
	if empty || !p.gapAt(end) && p.text[end] != ',' {
		stop := end
		for stop < len(p.text) && !p.gapAt(stop) && stop < end+40 {
			stop++
		}
		p.report(BadTag, p.pos, stop, "`%s` is not a tag", problem.Clip(p.text[p.pos:stop], problem.Short)).
			Helped("PDI ignores tags: remove it, or quote the text if it is a value")
		return false
	}
	if bang > p.pos+1 && !p.handles[p.text[p.pos:bang+1]] {
		p.report(BadTag, p.pos, bang+1, "no `%%TAG` line declares `%s`", problem.Clip(p.text[p.pos:bang+1], problem.Short)).
			Helped("PDI ignores tags: remove it, or quote the text if it is a value")
		return false
	}
	p.take(end-p.pos, Tag)
	p.fresh = false
	return true
}

func allNames(s string) bool {
	for i := range len(s) {
		if !names[s[i]] {
			return false
		}
	}
	return true
}

func isEscape(text string, at int) bool {
	_, ok := hexValue(text, at+1, 2)
	return ok
}

// define registers a name, before its node is read.
func (p *parser) define(name Text) {
	text := p.tree.Of(name)
	if old := p.anchors.names[text]; old != nil {
		p.report(DuplicateAnchor, int(name.Start)-1, int(name.End), "the anchor `%s` is defined twice", problem.Clip(text, problem.Short)).
			At(p.tree.Span(old.name), "the first one").Helped("give one of them another name")
		return
	}
	if p.anchors.names == nil {
		p.anchors.names = map[string]*anchor{}
	}
	p.anchors.names[text] = &anchor{name: name, count: p.anchors.count, before: p.anchors.deepest}
	p.anchors.deepest = p.depth
}

// attach gives a finished node its properties.
func (p *parser) attach(n *Node, x properties, first int) *Node {
	if x.any() {
		p.setProperties(n, x, first)
	}
	return n
}

func (p *parser) setProperties(n *Node, x properties, first int) {
	if n.Kind == Alias {
		p.report(TwoProperties, int(n.Text.Start), int(n.Text.End), "an alias stands for a node that has its own anchor and tag").
			Helped("remove the anchor or the tag before it")
		return
	}
	n.rare = &rare{properties: x}
	n.Tokens.First = int32(first)
	if a := p.anchors.names[p.tree.Of(x.anchor)]; a != nil && a.name == x.anchor && a.node == nil {
		a.node = n
		a.size = p.anchors.count - a.count
		a.height = p.anchors.deepest - p.depth
		p.anchors.deepest = max(p.anchors.deepest, a.before)
	}
}

// alias reads `*name`.
func (p *parser) alias() *Node {
	n := p.node(Alias, PlainStyle, p.pos)
	name, ok := p.name("alias", Star)
	if !ok {
		return nil
	}
	n.Text.End = int32(p.pos)
	n.Value = p.tree.Of(name)
	p.close(n)
	n.rare = &rare{target: p.target(n, name)}
	return n
}

// target returns the node that an alias refers to, or a Broken node if there is a problem.
func (p *parser) target(n *Node, name Text) *Node {
	a := p.anchors.names[n.Value]
	switch {
	case a == nil:
		found := p.report(UndefinedAlias, int(name.Start), int(name.End), "there is no anchor `%s` before this alias", problem.Clip(n.Value, problem.Short))
		if len(p.anchors.names) <= maxSuggest {
			found.Suggest(false, slices.Sorted(maps.Keys(p.anchors.names))...)
		}
		if len(found.Help) == 0 {
			found.Helped("write `&%s` before the node it stands for, or quote the text if it is a value", problem.Clip(n.Value, problem.Short))
		}
	case a.node == nil:
		p.report(RecursiveAlias, int(name.Start)-1, int(name.End), "the alias `%s` is inside the node it stands for", problem.Clip(n.Value, problem.Short)).
			At(p.tree.Span(a.name), "which begins here").Helped("a tree cannot contain itself: write what is intended")
	case p.anchors.full:
		// The problem is reported once.
	case p.anchors.added+a.size > maxExpanded(int(name.Start)):
		p.anchors.full = true
		for _, u := range p.anchors.used { // no user of the tree may expand them
			u.rare.target = p.nothing(u)
		}
		p.anchors.used = nil
		p.report(AliasBomb, int(name.Start)-1, int(name.End), "the aliases up to here stand for more than %d nodes", maxExpanded(int(name.Start))).
			Helped("aliases of aliases multiply: write a smaller tree")
	case p.depth+a.height > maxDepth:
		p.report(TooDeep, int(name.Start)-1, int(name.End), "with the node of this alias, collections are nested more than %d levels deep", maxDepth).
			Helped("use fewer levels")
	default:
		p.anchors.added += a.size
		p.anchors.count += a.size
		p.anchors.deepest = max(p.anchors.deepest, p.depth+a.height)
		p.anchors.used = append(p.anchors.used, n)
		return a.node
	}
	return p.nothing(n)
}

// nothing returns the Broken node for an alias without a target.
func (p *parser) nothing(n *Node) *Node {
	b := p.node(Scalar, Broken, int(n.Text.Start))
	b.Text, b.Tokens = n.Text, n.Tokens
	return b
}
