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

// Kind says what an item is about.
type Kind string

// The kinds of item, in the order in which a reader meets them.
const (
	Request  Kind = "prompt"   // the newest wish of the person
	OpenTodo Kind = "todo"     // an open task, word for word
	PortItem Kind = "port"     // an item of the running port's checklist that is not done
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
	Text   string // foreign text only for Failed and Worked
	Detail string // the error of a Failed; the status of an OpenTodo in progress
	Times  int    // how often; 1 and 0 mean once
	// tier orders items across kinds: lower is needed more.
	tier int
}

// ID names the item: its kind and the sequence it came from.
func (i Item) ID() string { return fmt.Sprintf("%s-%d", i.Kind, i.Seq) }

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
	if p := projections.Phase.In(f); p.Active() {
		r.Skill = Skill{
			Name: p.Skill, Phase: p.Phase, PhaseName: p.Name, Output: p.Output, Input: p.Input,
			Next: p.Next, Done: p.Completed, Seq: p.Seq,
		}
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
		decisions(projections.Decisions.In(f), t.Session),
		files(projections.Files.In(f)),
		commands(projections.Commands.In(f)),
	)
	slices.SortStableFunc(r.Items, func(a, b Item) int { return a.tier - b.tier })
	return r
}

// Empty says that nothing is known worth giving back.
func (r Recovery) Empty() bool {
	return len(r.Items) == 0 && r.Skill.Name == "" && r.Port.ID == ""
}

// The tiers. What the lower ones hold fits into the vital part of most
// recoveries; each kind sends its first few there and the rest further down, so
// that many of one kind do not crowd out the others.
const (
	vital = iota
	likely
	useful
	spare
)

// tier gives the tier of the i-th of a kind, of which the first few are in the
// best one it can have.
func tier(i, inFirst, inSecond, best int) int {
	switch {
	case i < inFirst:
		return best
	case i < inFirst+inSecond:
		return best + 1
	default:
		return spare
	}
}

func prompts(l projections.List[projections.PromptState]) []Item {
	var items []Item
	n := l.Len()
	i := 0
	for p := range l.Backward() {
		item := Item{Kind: Earlier, Seq: p.Seq, Text: p.Text}
		switch {
		case i == 0:
			item.Kind, item.tier = Request, vital
		case i == n-1: // the first one often says what all of it is for
			item.tier = likely
		case i < 4:
			item.tier = useful
		default:
			item.tier = spare
		}
		items = append(items, item)
		if i++; i == 30 && n > 31 {
			break
		}
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
		items = append(items, Item{Kind: OpenTodo, Seq: t.Seq, Text: t.Text, Detail: detail, tier: tier(i, 5, 20, vital)})
	}
	return items
}

// pending takes the unchecked items of the running port (S0.4).
func pending(p projections.PortState) []Item {
	var items []Item
	for i, text := range p.Pending {
		items = append(items, Item{Kind: PortItem, Seq: p.Seq, Text: text, tier: tier(i, 5, 20, vital)})
	}
	return items
}

// progress puts what is being worked on before what waits.
func progress(t projections.TodoState) int {
	if t.Status == "in_progress" {
		return 0
	}
	return 1
}

// decisions takes the session's own, explicit before weak, then what other
// sessions of the project decided on purpose; newest first.
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
	all := slices.Concat(own, weak, others)
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
	at := map[string]int{} // command → 1 + index in failed, 0 in neither, -1 worked later
	for c := range l.Backward() {
		switch i := at[c.Command]; {
		case i > 0 && !c.OK:
			failed[i-1].Times++
		case i != 0:
		case c.OK:
			at[c.Command] = -1
			if len(worked) < 12 {
				worked = append(worked, Item{Kind: Worked, Seq: c.Seq, Text: c.Command, tier: tier(len(worked), 6, 6, useful)})
			}
		case len(failed) < 20:
			failed = append(failed, Item{Kind: Failed, Seq: c.Seq, Text: c.Command, Detail: c.Error, Times: 1, tier: tier(len(failed), 2, 4, vital)})
			at[c.Command] = len(failed)
		}
	}
	return append(failed, worked...)
}
