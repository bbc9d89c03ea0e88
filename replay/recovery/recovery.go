// Package recovery says what an agent is told: what it has to know again after its context was
// compacted, as an agent, a person or a program reads it, and the short texts at a start, at the end
// of a turn and when the context fills up.
//
// It is pure: what it tells follows from folds and from the facts that it is handed, within limits
// that its caller knows. It reads no clock and does no I/O.
package recovery

import (
	"context"
	"slices"

	"journal/events/text"
	"journal/projections"
	"journal/replay"
	"journal/replay/knowledge"
)

// Recovery is what an agent has to know again after a compaction of one lane:
// items that summaries were measured to drop, most needed first. Every item names
// the event it came from.
type Recovery struct {
	Session    string
	Project    string
	Lane       string
	AsOf       uint64 // derived from the log up to here
	Compaction int    // ordinal of the newest compaction in the lane, 0 none
	Trigger    string // manual, auto
	Skill      knowledge.Skill
	Port       knowledge.Port
	Notes      Notes
	Checkpoint projections.CheckpointState // the newest, zero without one
	Items      []knowledge.Item            // those of Skill and Port among them
	// Command is how the agent runs this program, as a path that works where it is;
	// "journal" when empty. It is the caller's to say: a log does not know.
	Command string
}

// Notes is what the newest compaction met of working notes and their promotion
// (S1.7). It is empty when there were neither notes to promote nor a compound
// since the compaction before.
type Notes struct {
	Promoted bool     // compound had run
	Waiting  int      // entries that had not been promoted
	Headings []string // of the newest three of those
	// Files are those of plan, notes and knowledge, and Confidence is that of the knowledge where compound had not run.
	Files      []ListedFile
	Confidence projections.Confidence
}

// Needs are the projections that a recovery is made of.
func Needs() []projections.Projection {
	needs := knowledge.Needs()
	for _, p := range []projections.Projection{projections.LastCompact, projections.Checkpoints, projections.Answers, projections.NoteFiles} {
		if !slices.Contains(needs, p) {
			needs = append(needs, p)
		}
	}
	return needs
}

// Replayed derives a recovery by replaying src up to until, 0 its end.
func Replayed(ctx context.Context, src replay.Source, t projections.Target, c projections.Config, until uint64) (Recovery, error) {
	f := projections.NewFold(t, c, Needs()...)
	if err := replay.Forward(ctx, src, f, until); err != nil {
		return Recovery{}, err
	}
	return Of(f), nil
}

// Of derives a recovery from a fold that holds Needs.
func Of(f *projections.Fold) Recovery {
	t, compact := f.Target(), projections.LastCompact.In(f)
	r := Recovery{
		Session: t.Session, Project: t.Project, Lane: t.Lane, AsOf: f.Seq(),
		Compaction: compact.Count, Trigger: compact.Trigger, Notes: notesOf(f),
		Items: knowledge.Listed(knowledge.Lists(f)...),
	}
	r.Checkpoint, _ = projections.Checkpoints.In(f).Newest()
	r.frame(r.Items)
	return r
}

// frame sets the parts that stand before the sections of a text.
func (r *Recovery) frame(items []knowledge.Item) {
	r.Skill, r.Port = knowledge.Skill{}, knowledge.Port{}
	for _, it := range items {
		switch fields := it.Fields.(type) {
		case knowledge.Skill:
			r.Skill = fields
		case knowledge.Port:
			r.Port = fields
			r.Port.Title = it.Text // which may have been cut
		}
	}
}

// With gives a recovery that tells what others of a team decided too, after what was decided here. They
// come from other logs: no fold of this one holds them, and the recovery is that of the log again
// without them.
func (r Recovery) With(theirs []knowledge.Colleague) Recovery {
	if len(theirs) > 0 {
		r.Items = knowledge.With(r.Items, theirs)
	}
	return r
}

// Empty says that nothing worth giving back is known.
func (r Recovery) Empty() bool {
	return len(r.Items) == 0 && !r.Notes.Promoted && r.Notes.Waiting == 0 && len(r.Notes.Files) == 0
}

// Pressing is the recovery without what a summary keeps by itself or can do without,
// such as earlier requests and files only read, and without what is another session's:
// a summary is of its own (ADR-0033).
func (r Recovery) Pressing() Recovery {
	r.Items = slices.DeleteFunc(slices.Clone(r.Items), func(i knowledge.Item) bool { return i.Foreign || i.Kind.Def().Text.Summary })
	return r
}

// maxHeading bounds a heading in the line about notes, in UTF-16 units.
const maxHeading = 120

// notesOf tells what the newest compaction met. What ran after it is another
// matter: then there is nothing to be said about it any more. Compound is suggested once for a set of notes, and not to
// subagents, which have no person to suggest it to.
func notesOf(f *projections.Fold) Notes {
	c, told := projections.LastCompact.In(f), projections.Answers.In(f)
	if c.Count == 0 {
		return Notes{}
	}
	files := filesThere(c.Flow, projections.NoteFiles.In(f))
	n := Notes{Files: files[:min(len(files), maxNoteFiles)]}
	if !c.CompoundDone && c.Flow.Compound.Seq > c.Seq {
		return n
	}
	n.Promoted = c.CompoundDone
	suggested := told.RecoverySeq
	if told.Recovery >= c.Count {
		suggested = told.EarlierSeq
	}
	if waiting := c.Flow.ForCompound(); c.Unpromoted == 0 || len(waiting) == 0 || waiting[0].Seq < suggested || f.Target().Lane != "" {
		return n
	}
	n.Waiting, n.Confidence = c.Unpromoted, c.Confidence
	for _, h := range c.Headings {
		n.Headings = append(n.Headings, text.CutUnits(text.Line(h), maxHeading))
	}
	return n
}

// maxNoteFiles bounds the files of notes and knowledge that a text names.
const maxNoteFiles = 6
