package rebuild

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"

	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// batchBytes is how much data is sent before it is waited for: little enough to stay in
// memory beside the server's own copy.
const batchBytes = 4 << 20

// writer fills an empty log, each record at its own sequence.
type writer struct {
	log     *journal.Log
	digest  digest
	ids     map[[16]byte]struct{} // of the messages written lately
	before  map[[16]byte]struct{} // of those before them
	pending []record.Record
	bytes   int
	last    uint64 // sequence of the newest record, pending ones included
}

func newWriter(log *journal.Log) *writer {
	return &writer{log: log, digest: newDigest(), ids: map[[16]byte]struct{}{}}
}

// put writes a record after the ones before.
func (w *writer) put(ctx context.Context, r record.Record) error {
	w.last++
	r.Seq, r.ID = w.last, w.idOf(r.ID)
	w.digest.add(r)
	w.pending = append(w.pending, r)
	w.bytes += len(r.Data)
	if len(w.pending) == journal.MaxBatch || w.bytes >= batchBytes {
		return w.flush(ctx)
	}
	return nil
}

// maxIDs are how many ids are kept at a time, far more than come while the server remembers one.
const maxIDs = 1 << 16

// idOf gives the message id that a record is written under: none for a record
// that no owner stored, so that it stays no event, and none when an id comes
// again so soon that the server would not take it: that is the same report delivered twice.
func (w *writer) idOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	key := [16]byte(sum[:16])
	_, again := w.ids[key]
	_, before := w.before[key]
	if again || before || !journal.IsID(id) {
		return ""
	}
	if len(w.ids) == maxIDs {
		w.ids, w.before = map[[16]byte]struct{}{}, w.ids
	}
	w.ids[key] = struct{}{}
	return id
}

// event writes an event of the log itself.
func (w *writer) event(ctx context.Context, ev events.Event, m events.Meta) error {
	e, err := events.Wrap(ev, m)
	if err != nil {
		return err
	}
	r, err := journal.NewRecord(e)
	if err != nil {
		return err
	}
	return w.put(ctx, r)
}

// flush stores what is pending and checks where it landed.
func (w *writer) flush(ctx context.Context) error {
	if len(w.pending) == 0 {
		return nil
	}
	last, err := w.log.StoreAll(ctx, w.pending)
	if err != nil {
		return fmt.Errorf("write the new store: %w", err)
	}
	if last != w.last {
		return fmt.Errorf("%w: #%d landed at #%d", ErrMismatch, w.last, last)
	}
	w.pending, w.bytes = slices.Delete(w.pending, 0, len(w.pending)), 0
	return nil
}

// digest is a hash over the sequences, subjects and bytes of records.
type digest struct{ hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) add(r record.Record) {
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, r.Seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(r.Subject)))
	b = append(b, r.Subject...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(r.Data)))
	// A hash does not fail.
	_, _ = d.Write(b)
	_, _ = d.Write(r.Data)
}

func (d digest) sum() string { return string(d.Sum(nil)) }
