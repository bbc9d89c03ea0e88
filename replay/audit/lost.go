package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"journal/replay/knowledge"
)

// Lost lists the lost items of every compaction, the most valuable first: by
// what summaries were measured to drop and an agent needs most (ADR-0019 rule 3),
// the newest of a kind first. An item that several compactions lost is
// listed once.
func (r Report) Lost() []Item {
	var lost []Item
	seen := map[string]bool{}
	for _, c := range slices.Backward(r.Compactions) {
		for _, it := range c.Items {
			key := c.Lane + "\x00" + it.ID
			if it.Status == Lost && !seen[key] {
				seen[key] = true
				lost = append(lost, it)
			}
		}
	}
	slices.SortStableFunc(lost, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.known.Worth(), b.known.Worth()), cmp.Compare(b.Seq, a.Seq))
	})
	return lost
}

// Text gives items as markdown for restoring (S1.13): one section per kind, in
// the order in which the kinds first come, every item under its id. A removed
// secret stands as its mark (ADR-0016 rule 2). It is empty for no items.
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
		fmt.Fprintf(&b, "## %s\n\n", by[k][0].known.Kind.Def().Audit.Title)
		for _, it := range by[k] {
			b.WriteString(it.markdown())
		}
	}
	return b.String()
}

// markdown gives one item of a list. Code is fenced: it is foreign text, and data.
func (it Item) markdown() string {
	switch it.known.Kind.Def().Text.Form {
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
	case knowledge.Entry:
		if it.Detail != "" {
			return fmt.Sprintf("- **%s** (%s)\n%s", it.Detail, it.ID, indent(it.Text))
		}
	}
	return fmt.Sprintf("- %s (%s)\n", hang(it.Text), it.ID)
}

// fenced puts a text between fences longer than any in it.
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
