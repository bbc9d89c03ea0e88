package audit

import (
	"fmt"
	"strings"

	"journal/replay/knowledge"
)

// Text returns items in Markdown, for restoring (S1.13): a section for each kind, in the order of first appearance, and every
// item with its id. It is empty without items.
func Text(items []Item) string {
	var order []knowledge.Kind
	byKind := map[knowledge.Kind][]Item{}
	for _, it := range items {
		if byKind[it.Kind] == nil {
			order = append(order, it.Kind)
		}
		byKind[it.Kind] = append(byKind[it.Kind], it)
	}
	var b strings.Builder
	for i, k := range order {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "## %s\n\n", byKind[k][0].def.Audit.Title)
		for _, it := range byKind[k] {
			b.WriteString(it.markdown())
		}
	}
	return b.String()
}

// markdown returns an item as an entry of a list.
func (it Item) markdown() string {
	switch form := it.def.Text.Form; {
	case form == knowledge.Box:
		return fmt.Sprintf("- [ ] %s (%s)\n", hang(it.Text), it.ID)
	case form == knowledge.Reply && it.Detail != "":
		return fmt.Sprintf("- %s: %s (%s)\n", hang(it.Detail), hang(it.Text), it.ID)
	case form == knowledge.Entry && it.Detail != "":
		return fmt.Sprintf("- **%s** (%s)\n  %s\n", it.Detail, it.ID, hang(it.Text))
	}
	return fmt.Sprintf("- %s (%s)\n", hang(it.Text), it.ID)
}

// hang indents every line but the first, so that a text stays in its list item.
func hang(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") }
