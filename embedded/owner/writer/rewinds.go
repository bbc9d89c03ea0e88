package writer

import (
	"context"

	"journal/events"
)

// completeRewind sets the sequences of a rewind that names events by their ids. The events before the rewind must be stored. If the log
// lacks the first event that the rewind names, it takes back nothing. If it lacks the event after the last one, the rewind takes back all up
// to the newest event. changed is false for other events, and for a rewind that has its sequences.
func (w *Writer) completeRewind(ctx context.Context, e *events.Envelope) (changed bool, err error) {
	ev, ok := events.As[events.ConversationRewound](*e)
	if !ok || ev.First != 0 && ev.Last != 0 {
		return false, nil
	}
	if ev.First == 0 {
		first, err := w.seqOf(ctx, e.Meta, ev.From)
		if err != nil {
			return false, err
		}
		ev.First = first
	}
	if ev.Last == 0 {
		next, err := w.seqOf(ctx, e.Meta, ev.Next)
		if err != nil {
			return false, err
		}
		ev.Last = w.head
		if next > 0 {
			ev.Last = next - 1
		}
	}
	ev.From, ev.Next = "", ""
	filled, err := e.With(ev)
	if err != nil {
		return false, err
	}
	*e = filled
	return true, nil
}

// seqOf returns the sequence of the event with an id in the session of m. If there is none, it returns that of the first event of m's lane
// in a turn with that id. It returns 0 if the log lacks both, or for an empty id.
func (w *Writer) seqOf(ctx context.Context, m events.Meta, id string) (seq uint64, err error) {
	if seq, ok := w.sequences.get(id); ok || id == "" {
		return seq, nil
	}
	err = w.readLog(ctx, events.Span{Until: w.head}, func(e events.Envelope) {
		if e.ID == id || seq == 0 && e.Turn == id && e.Lane == m.Lane {
			seq = e.Seq
		}
	}, events.Selector{Project: m.Project, Session: m.Session})
	return seq, err
}
