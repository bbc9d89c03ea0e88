package rebuild

import (
	"hash/maphash"

	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// writer fills an empty log, each record at its own sequence.
type writer struct {
	blocks *blocks.Writer
	last   uint64                 // sequence of the newest record
	ids    map[[2]uint64]struct{} // of the messages that idOf was asked of lately
	before map[[2]uint64]struct{} // of those before them
}

// put writes a plain record after the ones before. An id that is none is left out: nobody stored the record as an event.
func (w *writer) put(r record.Record) (err error) {
	if !journal.IsID(r.ID) {
		r.ID = ""
	}
	if r.Data, _, err = r.Pack(); err != nil {
		return err
	}
	return w.store(r)
}

// store writes a record as the log stores it.
func (w *writer) store(r record.Record) error {
	w.last++
	return w.blocks.Put(r)
}

// maxIDs are how many ids are kept at a time, far more than come while the server remembers one.
const maxIDs = 1 << 16

// idOf gives the message id that a record from elsewhere is written under: none for a record that no owner stored, and
// none when an id comes again so soon that no server would have taken it: that is the same report delivered twice.
func (w *writer) idOf(id string) string {
	key := [2]uint64{maphash.String(seeds[0], id), maphash.String(seeds[1], id)}
	_, again := w.ids[key]
	_, before := w.before[key]
	if again || before || !journal.IsID(id) {
		return ""
	}
	if w.ids == nil || len(w.ids) == maxIDs {
		w.ids, w.before = map[[2]uint64]struct{}{}, w.ids
	}
	w.ids[key] = struct{}{}
	return id
}

// event writes an event of the log itself.
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
