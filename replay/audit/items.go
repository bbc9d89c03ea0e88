package audit

import (
	"cmp"
	"fmt"
	"slices"

	"journal/projections"
)

// needs are the projections that the items of an audit come from.
func needs() []projections.Projection {
	return []projections.Projection{
		projections.LastCompact, projections.Decisions, projections.Flow, projections.Todos, projections.Prompts,
		projections.Files, projections.Commands, projections.Phase,
	}
}

// itemsOf lists what a fold knows, by kind. Entries of working notes that were
// promoted up to since are of an earlier time and none of them.
func itemsOf(f *projections.Fold, promotions []uint64, since uint64) []Item {
	items := slices.Concat(
		decisions(projections.Decisions.In(f).List, f.Target().Session),
		entries(projections.Flow.In(f), promotions, since),
		todos(projections.Todos.In(f)),
		prompts(projections.Prompts.In(f)),
		files(projections.Files.In(f)),
		commands(projections.Commands.In(f)),
		phases(projections.Phase.In(f)),
	)
	seen := map[string]bool{}
	for i := range items {
		for n := 2; seen[items[i].ID]; n++ { // two of one event
			items[i].ID = fmt.Sprintf("%s.%d", id(items[i].Kind, items[i].Seq, 0), n)
		}
		seen[items[i].ID] = true
	}
	return items
}

func id(k Kind, seq uint64, part int) string {
	if part > 0 {
		return fmt.Sprintf("%s-%d.%d", k, seq, part)
	}
	return fmt.Sprintf("%s-%d", k, seq)
}

// named is what an event and an item about the same thing have in common.
func named(k Kind, text string) string { return string(k) + "\x00" + text }

// name is named of the item. A command that failed is a command.
func (it Item) name() string {
	if it.Kind == Error {
		return named(Command, it.Text)
	}
	return named(it.Kind, it.Text)
}

// decisions takes the session's own, explicit ones first (DECISIONS 1.4).
func decisions(l projections.List[projections.DecisionState], session string) []Item {
	var items []Item
	for d := range l.All() {
		if d.Session == session {
			items = append(items, Item{ID: id(Decision, d.Seq, 0), Kind: Decision, Text: d.Text, Seq: d.Seq, Weak: d.Weak})
		}
	}
	slices.SortStableFunc(items, func(a, b Item) int {
		switch {
		case a.Weak == b.Weak:
			return 0
		case b.Weak:
			return -1
		default:
			return 1
		}
	})
	return items
}

func entries(s projections.FlowState, promotions []uint64, since uint64) []Item {
	var items []Item
	for _, e := range slices.Backward(s.Entries) {
		if e.Promoted && promotion(e, promotions) <= since {
			continue
		}
		it := Item{ID: id(Flow, e.Seq, e.Part), Kind: Flow, Text: cmp.Or(e.Text, e.Heading), Seq: e.Seq, flow: &e}
		if e.Text != "" {
			it.Detail = e.Heading
		}
		items = append(items, it)
	}
	slices.SortStableFunc(items, func(a, b Item) int { return cmp.Compare(a.Seq, b.Seq) })
	return items
}

// promotion gives the first promotion behind an entry's first observation, 0
// for none. Sections of plans are never promoted.
func promotion(e projections.FlowEntry, promotions []uint64) uint64 {
	if e.Plan {
		return 0
	}
	for _, seq := range promotions {
		if seq > e.Seq {
			return seq
		}
	}
	return 0
}

// todos takes the whole list: the items still open are what matters most, but a
// completed one that is forgotten is done twice.
func todos(l projections.TodosState) []Item {
	var items []Item
	for _, t := range l {
		items = append(items, Item{ID: id(Todo, t.Seq, t.Part), Kind: Todo, Text: t.Text, Detail: t.Status, Seq: t.Seq})
	}
	return items
}

// prompts takes each text once, where it was said last, as recovery texts do.
func prompts(l projections.List[projections.PromptState]) []Item {
	var items []Item
	said := map[string]bool{}
	for p := range l.Backward() {
		if said[p.Text] {
			continue
		}
		said[p.Text] = true
		items = append(items, Item{ID: id(Prompt, p.Seq, 0), Kind: Prompt, Text: p.Text, Seq: p.Seq})
	}
	slices.Reverse(items)
	return items
}

func files(l projections.FilesState) []Item {
	var items []Item
	for _, f := range slices.Backward(l) {
		items = append(items, Item{ID: id(File, f.LastSeq, 0), Kind: File, Text: f.Path, Detail: f.Op, Seq: f.LastSeq})
	}
	return items
}

// commands takes each command once, where it ran last: what failed and works now
// is a command that works.
func commands(l projections.List[projections.CommandState]) []Item {
	var worked, failed []Item
	seen := map[string]bool{}
	for c := range l.Backward() {
		switch {
		case seen[c.Command]:
		case c.OK:
			worked = append(worked, Item{ID: id(Command, c.Seq, 0), Kind: Command, Text: c.Command, Seq: c.Seq})
		default:
			failed = append(failed, Item{ID: id(Error, c.Seq, 0), Kind: Error, Text: c.Command, Detail: c.Error, Seq: c.Seq})
		}
		seen[c.Command] = true
	}
	slices.Reverse(worked)
	slices.Reverse(failed)
	return append(worked, failed...)
}

// phases takes the running skill's phase and its next action: they are one item,
// because one without the other does not say where to go on.
func phases(p projections.PhaseState) []Item {
	if !p.Active() {
		return nil
	}
	text := p.Skill + " " + p.Phase
	if p.Name != "" {
		text += " " + p.Name
	}
	if p.Next != "" {
		text += ": " + p.Next
	}
	return []Item{{ID: id(Phase, p.Seq, 0), Kind: Phase, Text: text, Seq: p.Seq}}
}
