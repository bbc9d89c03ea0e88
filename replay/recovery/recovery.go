// Package recovery writes the texts that agents get: what an agent has to know again after its context was compacted,
// in a form for agents, people or programs, and the short texts at a start, at the end of a turn and when the context
// fills up.
//
// It is pure: its texts follow from folds, from facts that it is handed, and from the caller's limits. It reads no
// clock and does no I/O.
package recovery

import (
	"context"
	"slices"

	"journal/events/text"
	"journal/projections"
	"journal/replay"
	"journal/replay/knowledge"
)

// Recovery is the knowledge that an agent needs again after a compaction of one lane: items that summaries were
// measured to drop, most needed first. Every item names the event it comes from.
type Recovery struct {
	Session    string
	Project    string
	Lane       string
	AsOf       uint64 // the log was read up to here
	Compaction int    // number of the newest compaction in the lane, 0 for none
	Trigger    string // manual, auto
	Skill      knowledge.Skill
	Port       knowledge.Port
	Notes      Notes
	Checkpoint projections.CheckpointState // the newest, zero without one
	Items      []knowledge.Item            // including those of Skill and Port
	// Command is the agent's command for this program, as a path that works for it; "journal" when empty. Callers set
	// it: the log does not have it.
	Command string
}

// Notes describes the working notes at the newest compaction, and their promotion (S1.7). It is empty if there were no
// notes to promote, and no compound since the compaction before.
type Notes struct {
	Promoted bool     // compound had run
	Waiting  int      // entries that were not promoted
	Headings []string // of the newest three of those
	// Files are the files of plan, notes and knowledge. Confidence rates the knowledge, if compound had not run.
	Files      []ListedFile
	Confidence projections.Confidence
}

// Needs are the projections that a recovery is derived from.
func Needs() []projections.Projection {
	return append(knowledge.Needs(), projections.LastCompact, projections.Checkpoints, projections.Answers, projections.NoteFiles)
}

// Replayed derives a recovery by replaying src up to until, 0 for its end.
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

// frame sets the fields that stand above the sections of a text.
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

// With adds decisions of others of a team, below this log's own. They come from other logs, and no fold of this one
// holds them: without them the same recovery can be derived again.
func (r Recovery) With(theirs []knowledge.MemberDecision) Recovery {
	if len(theirs) > 0 {
		r.Items = knowledge.With(r.Items, theirs)
	}
	return r
}

// Empty reports whether there is nothing worth restoring.
func (r Recovery) Empty() bool {
	return len(r.Items) == 0 && !r.Notes.Promoted && r.Notes.Waiting == 0 && len(r.Notes.Files) == 0
}

// Pressing returns the recovery without items that a summary keeps unprompted or can do without, such as earlier
// requests and files only read, and without other sessions' items: a summary covers its own session (ADR-0033).
func (r Recovery) Pressing() Recovery {
	r.Items = slices.DeleteFunc(slices.Clone(r.Items), func(i knowledge.Item) bool { return i.Foreign || i.Kind.Def().Text.Summary })
	return r
}

// maxHeading bounds a heading in the line about notes, in UTF-16 units.
const maxHeading = 120

// notesOf describes the notes at the newest compaction. After a compound that ran since, only the files are listed.
// Compound is suggested once for a set of notes, and not to subagents: they have no person to suggest it to.
func notesOf(f *projections.Fold) Notes {
	c, answers := projections.LastCompact.In(f), projections.Answers.In(f)
	if c.Count == 0 {
		return Notes{}
	}
	files := filesThere(c.Flow, projections.NoteFiles.In(f))
	n := Notes{Files: files[:min(len(files), maxNoteFiles)]}
	if !c.CompoundDone && c.Flow.Compound.Seq > c.Seq {
		return n
	}
	n.Promoted = c.CompoundDone
	suggested := answers.RecoverySeq
	if answers.Recovery >= c.Count {
		suggested = answers.EarlierSeq
	}
	if waiting := c.Flow.ForCompound(); c.Unpromoted == 0 || len(waiting) == 0 || waiting[0].Seq < suggested || f.Target().Lane != "" {
		return n
	}
	n.Waiting, n.Confidence = c.Unpromoted, c.Confidence
	for _, h := range c.Headings {
		n.Headings = append(n.Headings, text.CutLine(h, maxHeading))
	}
	return n
}

// maxNoteFiles bounds the files of notes and knowledge that a text lists.
const maxNoteFiles = 6
