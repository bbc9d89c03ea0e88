package rebuild

import (
	"hash/maphash"

	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// writer fills the empty store of a new log.
type writer struct {
	blocks *blocks.Writer
	last   uint64                 // sequence of the newest record
	ids    map[[2]uint64]struct{} // recent arguments of idOf, hashed
	older  map[[2]uint64]struct{} // older arguments of idOf, hashed
}

// put appends a record with plain Data. It drops an invalid id, because a record with such an id is not an event.
func (w *writer) put(r record.Record) (err error) {
	if !journal.IsID(r.ID) {
		r.ID = ""
	}
	if r.Data, _, err = r.Pack(); err != nil {
		return err
	}
	return w.store(r)
}

// store appends a record with packed Data.
func (w *writer) store(r record.Record) error {
	w.last++
	return w.blocks.Put(r)
}

// maxIDs bounds each map of ids. Hooks cause far fewer messages in the two minutes for which a server remembers an id.
const maxIDs = 1 << 16

// idOf returns the message id for an imported record. The id is empty if it is invalid, or if a recent record has the same id: the server
// would have dropped such a message as a duplicate.
func (w *writer) idOf(id string) string {
	key := [2]uint64{maphash.String(seeds[0], id), maphash.String(seeds[1], id)}
	_, recent := w.ids[key]
	_, old := w.older[key]
	if recent || old || !journal.IsID(id) {
		return ""
	}
	if w.ids == nil || len(w.ids) == maxIDs {
		w.ids, w.older = map[[2]uint64]struct{}{}, w.ids
	}
	w.ids[key] = struct{}{}
	return id
}

// event appends an event about the log itself.
func (w *writer) event(ev events.Event, m events.Meta) error {
	e, err := events.Wrap(ev, m)
	if err != nil {
		return err
	}
	r, err := journal.NewRecord(e)
	if err != nil {
		return err
	}
	return w.put(r)
}

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
