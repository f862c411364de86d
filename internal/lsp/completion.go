package lsp

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace/project"
)

// completion lists the completions at a place. An included file is completed as a part
// of the first file that includes it.
func (s *session) completion(_ context.Context, p *protocol.PositionParams) (*protocol.CompletionList, error) {
	if f, offset := s.inProject(p); f != nil {
		return s.completeProject(f, offset), nil
	}
	_, at, err := s.place(p)
	if err != nil {
		return nil, err
	}
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	for _, c := range s.contexts(at.File.Path()) {
		for i, item := range c.Complete(at.File, at.Start) {
			if !item.Begins() {
				continue
			}
			if len(list.Items) == maxCompletions {
				list.IsIncomplete = true
				break
			}
			list.Items = append(list.Items, s.completionItem(item, i))
		}
		if len(list.Items) > 0 {
			break
		}
	}
	return list, nil
}

// maxCompletions limits the answer; the client asks again after more typing.
const maxCompletions = 200

func (s *session) completionItem(c lang.Completion, order int) protocol.CompletionItem {
	rank := "a"
	if c.Later {
		rank = "b"
	}
	item := protocol.CompletionItem{
		Label: c.Label, Kind: completionKinds[c.Kind], Detail: c.Detail, SortText: fmt.Sprintf("%s%05d", rank, order),
		TextEdit: &protocol.TextEdit{Range: s.rangeOf(c.Replace), NewText: c.Plain()},
	}
	if c.Doc != "" {
		item.Documentation = protocol.Markdown(c.Doc)
	}
	if c.Snippet && s.client.TextDocument.Completion.CompletionItem.SnippetSupport {
		item.InsertTextFormat, item.TextEdit.NewText = 2, cmp.Or(c.Insert, c.Label)
	}
	return item
}

// completionKinds are the icons that editors show beside a name.
var completionKinds = map[lang.Kind]int{
	lang.Keyword: 14, lang.Section: 9, lang.Key: 10, lang.Word: 12, lang.Path: 17, lang.Macro: 6, lang.Process: 7, lang.Port: 8,
	lang.Type: 7, lang.Cluster: 9, lang.Block: 9, lang.Datum: 6, lang.Member: 5, lang.Plugin: 9, lang.Event: 23, lang.Domain: 9,
	lang.Unit: 11, lang.Region: 3, lang.Feature: 20, lang.Register: 6, lang.Daemon: 7, lang.Tunable: 21, lang.Text: 1, lang.Number: 12,
}

// completeProject lists the completions at a place of a project file.
func (s *session) completeProject(f *source.File, offset int) *protocol.CompletionList {
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	for i, c := range project.Complete(f, offset, s.workspace.Projects.Names, s.programs(f)) {
		item := lang.Completion{Label: c.Label, Insert: c.Insert, Detail: c.Takes, Doc: c.Doc, Kind: lang.Key, Replace: c.Replace}
		if c.Takes == "" {
			item.Kind = lang.Word
		}
		switch {
		case !item.Begins():
		case len(list.Items) == maxCompletions:
			list.IsIncomplete = true
		default:
			list.Items = append(list.Items, s.completionItem(item, i))
		}
	}
	return list
}
