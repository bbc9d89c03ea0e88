package audit

import (
	"fmt"
	"strings"

	"journal/replay/knowledge"
)

// Text returns items as markdown for restoring (S1.13): a section for each kind, in order of first appearance, every item
// with its id. A removed secret stays a mark (ADR-0016 rule 2). Without items it is empty.
func Text(items []Item) string {
	var order []knowledge.Kind
	by := map[knowledge.Kind][]Item{}
	for _, it := range items {
		if by[it.Kind] == nil {
			order = append(order, it.Kind)
		}
		by[it.Kind] = append(by[it.Kind], it)
	}
	var b strings.Builder
	for i, k := range order {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "## %s\n\n", by[k][0].def.Audit.Title)
		for _, it := range by[k] {
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
