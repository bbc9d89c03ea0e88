package colleagues

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"journal/events"
	"journal/events/text"
	"journal/journal/team"
	"journal/projections"
	"journal/replay"
	"journal/replay/knowledge"
)

const (
	maxDecided   = 20  // of one copy in one project, the newest
	decidedUnits = 600 // UTF-16 units of a decision, and of a question
)

// decisions gives what others decided in the projects of this log for which both sides chose that,
// newest first. Of what was read out of prose nothing is given: nobody said it on purpose.
func (l *Looker) decisions(own []Project) (all []team.Decision) {
	for _, o := range own {
		for _, p := range l.copies {
			for _, theirs := range p.matching([]Project{o}) {
				if !o.Decided || !theirs.Decided || !Same(o, theirs) {
					continue
				}
				n := 0
				for d := range projections.Decisions.In(p.folds[theirs.Key]).List.Backward() {
					if n == maxDecided {
						break
					}
					if !d.Holds() || d.Weak {
						continue
					}
					n++
					all = append(all, team.Decision{
						Project: o.Key, Member: p.Member, Device: p.Device, Copy: p.Number, Session: d.Session, Seq: d.Seq, At: int64(d.At),
						Text: line(d.Text, decidedUnits), Question: line(d.Question, decidedUnits),
					})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b team.Decision) int {
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.Member, b.Member), cmp.Compare(a.Device, b.Device), cmp.Compare(b.Seq, a.Seq))
	})
	return all
}

// Colleagues gives decisions as recovery texts take them.
func Colleagues(all []team.Decision) []knowledge.Colleague {
	theirs := make([]knowledge.Colleague, len(all))
	for i, d := range all {
		theirs[i] = knowledge.Colleague{Name: d.Member, Seq: d.Seq, At: projections.Stamp(d.At), Text: d.Text}
		if d.Question != "" {
			theirs[i].Text = d.Question + " → " + d.Text
		}
	}
	return theirs
}

// Unread says what a look could not read: members, and copies of others.
type Unread struct {
	members []string
	copies  []copyName
}

// copyName names a copy at the hub. What is under a number never becomes something else.
type copyName struct {
	member, device string
	number         int
}

// Keeps says whether a decision that was known before may still be so: nobody could say otherwise. One
// of a copy that went is none, because what was forgotten went with it.
func (u Unread) Keeps(d team.Decision) bool {
	return slices.Contains(u.members, d.Member) || slices.Contains(u.copies, copyName{d.Member, d.Device, d.Copy})
}

const (
	// readUnits is how much is kept of a text of another's log, in UTF-16 units: twice what is ever shown of
	// one, since white space goes before it is shown.
	readUnits = 2 * decidedUnits
	// readWhole bounds the events that are kept as they are, in bytes.
	readWhole = 2 << 10
)

// brief is another's log, of whose long texts nobody keeps more than is ever shown.
type brief struct{ replay.Source }

func (b brief) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for e, err := range b.Source.Events(ctx, span, sel...) {
			if err == nil && len(e.Body) > readWhole {
				e.More = nil // nothing folds it
				e, err = events.MapEnvelope(e, func(s string) string { return text.CutUnits(s, readUnits) })
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
