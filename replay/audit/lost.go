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

// markdown returns an item as an entry of a list. Code is fenced, because it is foreign text.
func (it Item) markdown() string {
	switch it.def.Text.Form {
	case knowledge.Code:
		s := "- " + it.ID + "\n" + indent(fenced(it.Text))
		if it.Detail != "" {
			s += indent(fenced(it.Detail))
		}
		return s
	case knowledge.Box:
		box := "[ ]"
		if it.Detail == "completed" {
			box = "[x]"
		}
		return fmt.Sprintf("- %s %s (%s)\n", box, hang(it.Text), it.ID)
	case knowledge.Reply:
		if it.Detail != "" {
			return fmt.Sprintf("- %s: %s (%s)\n", hang(it.Detail), hang(it.Text), it.ID)
		}
	case knowledge.Entry:
		if it.Detail != "" {
			return fmt.Sprintf("- **%s** (%s)\n%s", it.Detail, it.ID, indent(it.Text))
		}
	}
	return fmt.Sprintf("- %s (%s)\n", hang(it.Text), it.ID)
}

// fenced encloses a text in fences that are longer than any in it.
func fenced(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(s, "\n") + "\n" + fence
}

func indent(s string) string { return "  " + hang(s) + "\n" }

// hang indents every line but the first, so that a text stays in its list item.
func hang(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") }
