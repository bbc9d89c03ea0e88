package replay

import (
	"context"
	"fmt"
	"slices"

	"journal/projections"
)

// Recovery is what an agent has to know again after a compaction of one lane:
// items that summaries were measured to drop (DESIGN section 7), most needed
// first. Every item names the event it came from.
type Recovery struct {
	Session    string
	Project    string
	Lane       string
	AsOf       uint64 // derived from the log up to here
	Compaction int    // ordinal of the newest compaction in the lane, 0 none
	Trigger    string // manual, auto
	Skill      Skill
	Port       Port
	Notes      Notes
	Checkpoint projections.CheckpointState // the newest, zero without one
	Items      []Item
}

// Port is the unit of work that the session is at, empty without one.
type Port struct {
	ID, Title, Progress string
	Seq                 uint64
}

// Skill is the running skill, empty when none runs.
type Skill struct {
	Name, Phase, PhaseName, Output, Input, Next string
	Done                                        []projections.CompletedPhase
	Seq                                         uint64
}

// Notes is what the newest compaction met of working notes and their promotion
// (S1.7). It is empty when there were neither notes to promote nor a compound
// since the compaction before.
type Notes struct {
	Promoted bool     // compound had run
	Waiting  int      // entries that had not been promoted
	Headings []string // of the newest three of those
}

// Kind says what an item is about.
type Kind string

// The kinds of item, in the order in which a reader meets them.
const (
	Request  Kind = "prompt" // the newest wish of the person
	OpenTodo Kind = "todo"   // an open task, word for word
	PortItem Kind = "port"   // an item of the running port's checklist that is not done
	// Saved is the summary of the newest checkpoint that has one (S0.3).
	Saved    Kind = "checkpoint"
	Done     Kind = "phase"    // a phase of the running skill that is done
	Note     Kind = "flow"     // an entry of the working notes that was not promoted
	Decision Kind = "decision" // a decision
	Edited   Kind = "file"     // a file that was written
	Failed   Kind = "error"    // a command that failed, and how
	Worked   Kind = "command"  // a command that worked
	Earlier  Kind = "earlier"  // an earlier wish of the person
	Read     Kind = "read"     // a file that was only read
)

// Item is one piece of knowledge.
type Item struct {
	Kind   Kind
	Seq    uint64
	Part   int    // of several items that came from one event, from 1; 0 for a single one
	Text   string // foreign text only for Failed, Worked and Note
	Detail string // the error of a Failed; the status of an OpenTodo in progress; number and name of a Done; the text of a Note
	Times  int    // how often; 1 and 0 mean once
	Gone   bool   // a Note that is in no file any more
	// tier orders items across kinds: lower is needed more.
	tier int
	// units is what Text takes, once the item was prepared for a text.
	units int
}

// ID names the item: its kind, the sequence it came from, and its part.
func (i Item) ID() string {
	if i.Part > 0 {
		return fmt.Sprintf("%s-%d.%d", i.Kind, i.Seq, i.Part)
	}
	return fmt.Sprintf("%s-%d", i.Kind, i.Seq)
}

// Needs are the projections that a recovery is made of.
func Needs() []projections.Projection {
	return []projections.Projection{
		projections.LastCompact, projections.Prompts, projections.Todos, projections.Phase,
		projections.Decisions, projections.Files, projections.Commands, projections.Answers,
		projections.Ports, projections.Checkpoints,
	}
}

// Recover derives a recovery by replaying src up to until, 0 its end.
func Recover(ctx context.Context, src Source, t projections.Target, c projections.Config, until uint64) (Recovery, error) {
	f := projections.NewFold(t, c, Needs()...)
	if err := Forward(ctx, src, f, until); err != nil {
		return Recovery{}, err
	}
	return RecoveryOf(f), nil
}

// RecoveryOf derives a recovery from a fold that holds Needs.
func RecoveryOf(f *projections.Fold) Recovery {
	t, compact := f.Target(), projections.LastCompact.In(f)
	r := Recovery{
		Session: t.Session, Project: t.Project, Lane: t.Lane, AsOf: f.Seq(),
		Compaction: compact.Count, Trigger: compact.Trigger,
	}
	r.Notes = notesOf(compact)
	if p := projections.Phase.In(f); p.Active() {
		r.Skill = skillOf(p)
	}
	r.Checkpoint, _ = projections.Checkpoints.In(f).Newest()
	port, _ := projections.Ports.In(f).Running(t.Session)
	if port.ID != "" {
		r.Port = Port{ID: port.ID, Title: port.Title, Progress: port.Progress, Seq: port.Seq}
	}
	r.Items = slices.Concat(
		prompts(projections.Prompts.In(f)),
		todos(projections.Todos.In(f)),
		pending(port),
		saved(projections.Checkpoints.In(f)),
		entries(compact),
		decisions(projections.Decisions.In(f).List, t.Session),
		files(projections.Files.In(f)),
		commands(projections.Commands.In(f)),
		phases(r.Skill),
	)
	slices.SortStableFunc(r.Items, func(a, b Item) int { return a.tier - b.tier })
	return r
}

// Empty says that nothing is known worth giving back.
func (r Recovery) Empty() bool {
	return len(r.Items) == 0 && r.Skill.Name == "" && r.Port.ID == "" && !r.Notes.Promoted && r.Notes.Waiting == 0
}

// The tiers. What the lower ones hold fits into the vital part of most
// recoveries; each kind sends its first few there and the rest further down, so
// that many of one kind do not crowd out the others.
const (
	foremost = iota // the first of each kind that is needed at once
	vital
	likely
	useful
	spare
)

// tier gives the tier of the i-th of a kind, of which the first few are in the
// best one it can have.
func tier(i, inFirst, inSecond, best int) int {
	switch {
	case i == 0 && best == vital:
		return foremost
	case i < inFirst:
		return best
	case i < inFirst+inSecond:
		return best + 1
	default:
		return spare
	}
}

// maxPrompts bounds the prompts of a recovery, the first one apart.
const maxPrompts = 30

// prompts takes the newest ones, and the first one, which often says what all of
// it is for. Words that were said again, such as "go on", count where they were
// said last.
func prompts(l projections.List[projections.PromptState]) []Item {
	var items []Item
	at := map[string]int{} // text → index in items
	left := l.Len()
	for p := range l.Backward() {
		left--
		if i, again := at[p.Text]; again {
			items[i].Times++
			continue
		}
		if len(items) >= maxPrompts && left > 0 {
			continue
		}
		item := Item{Kind: Earlier, Seq: p.Seq, Text: p.Text, Times: 1, tier: spare}
		switch {
		case len(items) == 0:
			item.Kind, item.tier = Request, foremost
		case left == 0:
			item.tier = likely
		case len(items) < 4:
			item.tier = useful
		}
		at[p.Text] = len(items)
		items = append(items, item)
	}
	return items
}

func todos(l projections.TodosState) []Item {
	open := l.Open()
	slices.SortStableFunc(open, func(a, b projections.TodoState) int { return progress(a) - progress(b) })
	var items []Item
	for i, t := range open {
		detail := ""
		if t.Status == "in_progress" {
			detail = t.Status
		}
		items = append(items, Item{Kind: OpenTodo, Seq: t.Seq, Part: t.Part, Text: t.Text, Detail: detail, tier: tier(i, 5, 20, vital)})
	}
	return items
}

// pending takes the unchecked items of the running port (S0.4).
func pending(p projections.PortState) []Item {
	var items []Item
	for i, text := range p.Pending {
		items = append(items, Item{Kind: PortItem, Seq: p.Seq, Part: i + 1, Text: text, tier: tier(i, 5, 20, vital)})
	}
	return items
}

// saved takes the summary of the newest checkpoint that somebody wrote one for;
// automatic ones have none.
func saved(s projections.CheckpointsState) []Item {
	for _, c := range slices.Backward(s.List) {
		if c.Summary != "" {
			return []Item{{Kind: Saved, Seq: c.Seq, Text: c.Summary, tier: foremost}}
		}
	}
	return nil
}

// progress puts what is being worked on before what waits.
func progress(t projections.TodoState) int {
	if t.Status == "in_progress" {
		return 0
	}
	return 1
}

// decisions takes the session's own, explicit before weak, then what other
// sessions of the project decided on purpose; newest first, each text once.
func decisions(l projections.List[projections.DecisionState], session string) []Item {
	var own, weak, others []Item
	for d := range l.Backward() {
		item := Item{Kind: Decision, Seq: d.Seq, Text: d.Text}
		switch {
		case d.Session == session && !d.Weak:
			own = append(own, item)
		case d.Session == session:
			weak = append(weak, item)
		case !d.Weak && len(others) < 20:
			others = append(others, item)
		}
	}
	seen := map[string]bool{}
	all := slices.DeleteFunc(slices.Concat(own, weak, others), func(i Item) bool {
		again := seen[i.Text]
		seen[i.Text] = true
		return again
	})
	for i := range all {
		all[i].tier = tier(i, 4, 12, vital)
	}
	return all
}

func files(l projections.FilesState) []Item {
	var written, read []Item
	for _, f := range l {
		item := Item{Kind: Edited, Seq: f.LastSeq, Text: f.Path, Times: f.Count}
		if f.Op == "read" {
			item.Kind, item.tier = Read, spare
			if len(read) < 15 {
				read = append(read, item)
			}
			continue
		}
		item.tier = tier(len(written), 6, 20, vital)
		written = append(written, item)
	}
	return append(written, read...)
}

// commands takes the failures that no later run of the same command mended, and
// the newest commands that worked.
func commands(l projections.List[projections.CommandState]) []Item {
	var failed, worked []Item
	works := map[string]bool{}   // commands whose older runs say nothing any more
	failedAt := map[string]int{} // command → index in failed
	for c := range l.Backward() {
		if works[c.Command] {
			continue
		}
		i, again := failedAt[c.Command]
		switch {
		case c.OK:
			works[c.Command] = true
			if !again && len(worked) < 12 {
				worked = append(worked, Item{Kind: Worked, Seq: c.Seq, Text: c.Command, tier: tier(len(worked), 6, 6, useful)})
			}
		case again:
			failed[i].Times++
		case len(failed) < 20:
			failedAt[c.Command] = len(failed)
			failed = append(failed, Item{Kind: Failed, Seq: c.Seq, Text: c.Command, Detail: c.Error, Times: 1, tier: tier(len(failed), 2, 4, vital)})
		}
	}
	return append(failed, worked...)
}
