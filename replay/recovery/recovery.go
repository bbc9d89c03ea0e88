// Package recovery writes the texts that agents get: the recovery text after a compaction, in forms for agents, people and
// programs, and the short texts at a start, at the end of a turn and when the context fills up.
//
// It is pure: its texts follow from folds and the caller's arguments. It reads no clock and does no I/O.
package recovery

import (
	"context"
	"slices"

	"journal/events/text"
	"journal/projections"
	"journal/replay"
	"journal/replay/knowledge"
)

// Recovery is the knowledge that an agent needs again after a compaction of one lane.
type Recovery struct {
	Session    string
	Project    string
	Lane       string
	AsOf       uint64 // sequence up to which the log was read
	Compaction int    // number of the newest compaction in the lane, from 1; 0 for none
	Trigger    string // of that compaction: manual or auto; empty if unknown
	Skill      knowledge.Skill
	Port       knowledge.Port
	Notes      Notes
	Checkpoint projections.CheckpointState // the newest, zero without one
	Items      []knowledge.Item            // most needed first, including those of Skill and Port
	// Command is the command by which the agent calls this program; "journal" when empty. Callers set it: the log does
	// not have it.
	Command string
}

// Notes describes the working notes at the newest compaction, and their promotion (S1.7). It is zero without a compaction.
type Notes struct {
	Promoted bool     // compound had run since the compaction before
	Waiting  int      // number of entries to suggest for a promotion
	Headings []string // of the newest three of those
	// Files lists files of plans, notes and knowledge. Confidence rates the knowledge; it is set if Waiting is.
	Files      []ListedFile
	Confidence projections.Confidence
}

// Needs lists the projections that a recovery is derived from.
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

// frame sets Skill and Port from those of some items, which may have been cut.
func (r *Recovery) frame(items []knowledge.Item) {
	r.Skill, r.Port = knowledge.Skill{}, knowledge.Port{}
	for _, it := range items {
		switch fields := it.Fields.(type) {
		case knowledge.Skill:
			r.Skill = fields
		case knowledge.Port:
			r.Port = fields
			r.Port.Title = it.Text
		}
	}
}

// With adds decisions of other members of the team. They come from other logs, so no fold of this one has them.
func (r Recovery) With(theirs []knowledge.MemberDecision) Recovery {
	if len(theirs) > 0 {
		r.Items = knowledge.WithTheirs(r.Items, theirs)
	}
	return r
}

// Empty reports whether there is nothing to restore.
func (r Recovery) Empty() bool {
	return len(r.Items) == 0 && !r.Notes.Promoted && r.Notes.Waiting == 0 && len(r.Notes.Files) == 0
}

// Pressing returns the recovery without items that a summary keeps unprompted or can do without (knowledge.Text.Unasked),
// and without other sessions' items: a summary covers its own session (ADR-0033).
func (r Recovery) Pressing() Recovery {
	r.Items = slices.DeleteFunc(slices.Clone(r.Items), func(i knowledge.Item) bool { return i.Foreign || i.Kind.Def().Text.Unasked })
	return r
}

// maxHeading bounds a heading in the line about notes, in UTF-16 units.
const maxHeading = 120

// notesOf describes the notes at the newest compaction. If compound ran since, it lists only the files. A text suggests
// compound once for a set of notes, and never to subagents, which have no person who could approve it.
func notesOf(f *projections.Fold) Notes {
	c, answers := projections.LastCompact.In(f), projections.Answers.In(f)
	if c.Count == 0 {
		return Notes{}
	}
	files := listedFiles(c.Flow, projections.NoteFiles.In(f))
	n := Notes{Files: files[:min(len(files), maxNoteFiles)]}
	if !c.CompoundDone && c.Flow.Compound.Seq > c.Seq {
		return n
	}
	n.Promoted = c.CompoundDone
	earlierText := answers.RecoverySeq
	if answers.Recovery >= c.Count { // it is the text of this compaction
		earlierText = answers.EarlierSeq
	}
	waiting := c.Flow.ForCompound()
	if c.Unpromoted == 0 || len(waiting) == 0 || f.Target().Lane != "" {
		return n
	}
	if waiting[0].Seq < earlierText { // it suggested compound for the newest note already
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
