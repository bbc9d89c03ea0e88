package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Lost lists the lost items of every compaction, the most valuable first: by
// what summaries were measured to drop and an agent needs most (DESIGN section
// 7), the newest of a kind first. An item that several compactions lost is
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
		return cmp.Or(cmp.Compare(value(a), value(b)), cmp.Compare(b.Seq, a.Seq))
	})
	return lost
}

// value ranks an item, the lowest first. What is done or read out of prose comes
// last.
func value(it Item) int {
	switch {
	case it.Kind == Todo && it.Detail == "completed":
		return 11
	case it.Weak:
		return 9
	case it.Kind == File && it.Detail == "read":
		return 10
	}
	return slices.Index([]Kind{Error, Decision, Todo, Phase, Flow, File, Prompt, Command}, it.Kind)
}

// titles are the headings of a restored text.
var titles = map[Kind]string{
	Decision: "Decisions", Flow: "Working notes", Todo: "Todo items", Prompt: "Prompts", File: "Files",
	Command: "Commands that worked", Error: "Commands that failed", Phase: "Phase",
}

// Text gives items as markdown for restoring (S1.13): one section per kind, in
// the order in which the kinds first come, every item under its id. A removed
// secret stands as its mark (DECISIONS 2.14). It is empty for no items.
func Text(items []Item) string {
	var order []Kind
	by := map[Kind][]Item{}
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
		fmt.Fprintf(&b, "## %s\n\n", titles[k])
		for _, it := range by[k] {
			b.WriteString(it.markdown())
		}
	}
	return b.String()
}

// markdown gives one item of a list. Commands and errors are fenced: they are
// foreign text, and data.
func (it Item) markdown() string {
	switch it.Kind {
	case Command, Error:
		s := "- " + it.ID + "\n" + indent(fenced(it.Text))
		if it.Detail != "" {
			s += indent(fenced(it.Detail))
		}
		return s
	case Todo:
		box := "[ ]"
		if it.Detail == "completed" {
			box = "[x]"
		}
		return fmt.Sprintf("- %s %s (%s)\n", box, hang(it.Text), it.ID)
	case Flow:
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
