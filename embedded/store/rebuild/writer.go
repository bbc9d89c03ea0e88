package rebuild

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// writer fills an empty log, each record at its own sequence.
type writer struct {
	blocks *blocks.Writer
	digest digest
	last   uint64                // sequence of the newest record
	ids    map[[16]byte]struct{} // of the messages that idOf was asked of lately
	before map[[16]byte]struct{} // of those before them
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
	r.Seq = w.last
	w.digest.add(r)
	return w.blocks.Put(r)
}

// maxIDs are how many ids are kept at a time, far more than come while the server remembers one.
const maxIDs = 1 << 16

// idOf gives the message id that a record from elsewhere is written under: none for a record that no owner stored, and
// none when an id comes again so soon that no server would have taken it: that is the same report delivered twice.
func (w *writer) idOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	key := [16]byte(sum[:16])
	_, again := w.ids[key]
	_, before := w.before[key]
	if again || before || !journal.IsID(id) {
		return ""
	}
	if w.ids == nil || len(w.ids) == maxIDs {
		w.ids, w.before = map[[16]byte]struct{}{}, w.ids
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

// digest is a hash over the sequences, subjects, ids and stored bytes of records.
type digest struct{ hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) add(r record.Record) {
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, r.Seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(r.Subject)))
	b = append(append(append(b, r.Subject...), r.ID...), 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(r.Data)))
	// A hash does not fail.
	_, _ = d.Write(b)
	_, _ = d.Write(r.Data)
}

func (d digest) sum() string { return string(d.Sum(nil)) }
