package knowledge_test

import (
	"slices"
	"testing"

	"journal/replay/knowledge"
)

// TestParseID: ids in recovery.sent events of any version name the same items as in an audit.
func TestParseID(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]knowledge.ID{
		"prompt-3":     {Kind: knowledge.Prompt, Seq: 3},
		"earlier-12":   {Kind: knowledge.Prompt, Seq: 12},
		"read-5":       {Kind: knowledge.File, Seq: 5},
		"todo-9.2":     {Kind: knowledge.Todo, Seq: 9, Part: 2},
		"phase-4":      {Kind: knowledge.DonePhase, Seq: 4},
		"phase-4.1":    {Kind: knowledge.DonePhase, Seq: 4, Part: 1},
		"port-7":       {Kind: knowledge.PortItem, Seq: 7},
		"of-later-8.1": {Kind: "of-later", Seq: 8, Part: 1},
	} {
		if got, ok := knowledge.ParseID(s); !ok || got != want {
			t.Errorf("%s is %+v, %t; want %+v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "todo", "todo-", "todo-x", "todo-9.", "todo-9.x", "-9.1.2"} {
		if got, ok := knowledge.ParseID(s); ok {
			t.Errorf("%q is %+v", s, got)
		}
	}
}

// TestKinds: a kind declares all that texts and audits need. Two kinds share ids only if an audit counts them as one.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, d := range knowledge.Kinds() {
		if !d.Text.Frame && d.Text != (knowledge.Text{}) && (d.Text.Form == "" || d.Text.Units == 0) {
			t.Errorf("%s has no form or no room in a text", d.Kind)
		}
		if d.Audit.Match != knowledge.Unaudited && (d.Audit.Title == "" || d.Audit.Worth.Items == "" && d.Audit.Rate == nil && d.Kind != knowledge.Read || !slices.Contains(knowledge.Audited(), knowledge.Item{Kind: d.Kind}.Key().Kind)) {
			t.Errorf("%s is audited and has no title, worth or place in a report", d.Kind)
		}
		if d.Items != nil && len(d.Needs) == 0 {
			t.Errorf("%s has items and names no projection", d.Kind)
		}
		it := knowledge.Item{Kind: d.Kind, Seq: 7, Part: 2}
		if id, ok := knowledge.ParseID(it.ID()); !ok || id != it.Key() {
			t.Errorf("%s is spelled %s, which is %+v", d.Kind, it.ID(), id)
		}
	}
}
