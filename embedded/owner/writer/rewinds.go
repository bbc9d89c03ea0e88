package writer

import (
	"context"

	"journal/events"
)

// rewind fills in the numbers of a rewind that names events by their ids. What is before it is stored. If the log lacks
// the first event, the rewind takes back nothing.
func (w *Writer) rewind(ctx context.Context, e *events.Envelope) (changed bool, err error) {
	ev, ok := events.As[events.ConversationRewound](*e)
	if !ok || ev.First != 0 && ev.Last != 0 {
		return false, nil
	}
	if ev.First == 0 {
		first, err := w.placeOf(ctx, e.Meta, ev.From)
		if err != nil {
			return false, err
		}
		ev.First = first
	}
	if ev.Last == 0 {
		next, err := w.placeOf(ctx, e.Meta, ev.Next)
		if err != nil {
			return false, err
		}
		if ev.Last = w.head; next > 0 {
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

// placeOf returns the number of an event of the same session by its id, or of the first one of a turn; 0 if the log
// lacks it.
func (w *Writer) placeOf(ctx context.Context, m events.Meta, id string) (seq uint64, err error) {
	if seq, ok := w.places.get(id); ok || id == "" {
		return seq, nil
	}
	err = w.past(ctx, events.Span{Until: w.head}, func(e events.Envelope) {
		if e.ID == id || seq == 0 && e.Turn == id && e.Lane == m.Lane {
			seq = e.Seq
		}
	}, events.Selector{Project: m.Project, Session: m.Session})
	return seq, err
}
