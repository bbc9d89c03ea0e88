package knowledge

import (
	"slices"
	"strings"

	"journal/projections"
)

// Note is an entry of the working notes. A text lists those that were not promoted.
const Note Kind = "flow"

var _ = declare(Def{
	Kind: Note, Needs: []projections.Projection{projections.LastCompact}, Items: notes,
	Text: Text{
		Place: 60, Turn: 50, Form: Entry, Units: 200, Grow: 8, Most: 30, // the rest is in their file, or listed by `journal restore`
		Tiers: Tiers{Best: Likely, First: 3, Second: 7},
	},
	Audit: Audit{Match: ByWords, Place: 20, Worth: keep(85, "working notes"), Title: "Working notes"},
})

// notes takes the newest first. A text lists the notes that wait for a promotion: those that
// stand in a file, and those that vanished in this compaction or since. Notes that vanished
// before were given back then.
func notes(f *projections.Fold) []Item {
	c := projections.LastCompact.In(f)
	items := make([]Item, 0, len(c.Flow.Entries))
	for _, e := range c.Flow.Entries {
		item := Item{
			Kind: Note, Seq: e.Seq, Part: e.Part, Text: e.Heading, Detail: strings.TrimSpace(e.Text),
			Gone: e.DroppedSeq != 0, Entry: &e,
		}
		if item.Text == "" {
			item.Text, item.Detail = item.Detail, ""
		}
		if e.Promoted || e.Plan || e.DroppedSeq != 0 && e.DroppedSeq < c.Since {
			item.Tier = Unlisted
		}
		items = append(items, item)
	}
	return items
}

// Checkpoint is the summary of the newest checkpoint that somebody wrote one for
// (S0.3); what an automatic one tells is derived from the session.
const Checkpoint Kind = "checkpoint"

var _ = declare(Def{
	Kind: Checkpoint, Needs: []projections.Projection{projections.Checkpoints},
	Items: func(f *projections.Fold) []Item {
		for _, c := range slices.Backward(projections.Checkpoints.In(f).List) {
			if c.Summary != "" && !c.Derived {
				return []Item{{Kind: Checkpoint, Seq: c.Seq, Text: c.Summary}}
			}
		}
		return nil
	},
	Text: Text{Place: 40, Turn: 40, Form: Line, Units: 600, Grow: 3, Tiers: Tiers{Best: Vital, First: 1}},
})

// pastAnswer is what a text shows of it where the agent said more since, in UTF-16 units.
const pastAnswer = 400

// LastAnswer is what the agent said at the end of the turn before the newest request.
const LastAnswer Kind = "last-answer"

var _ = declare(Def{
	Kind: LastAnswer, Needs: []projections.Projection{projections.LastAnswer, projections.Prompts, projections.Said},
	Items: func(f *projections.Fold) []Item {
		// An answer to it is what was said last.
		request, asked := projections.Prompts.In(f).Request()
		if a := projections.LastAnswer.In(f); a.Text != "" && asked && a.Seq < request.Seq {
			it := Item{Kind: LastAnswer, Seq: a.Seq, Text: a.Text}
			if projections.Said.In(f).Text != "" {
				it.Most = pastAnswer
			}
			return []Item{it}
		}
		return nil
	},
	Text: Text{
		Place: 44, Turn: 41, Form: Quote, Units: 200, Cap: 900, End: true, Grow: 10, Tiers: Tiers{Best: Likely, First: 1}, Summary: true,
	},
})
