package copies

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"path/filepath"

	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/record"
	"journal/journal/wire/client"
)

// Origin is the copy from which a record was read.
type Origin int

const (
	Lost      Origin = iota // no copy has a readable record
	InStore                 // the store, even if the archive has it too
	InArchive               // only the archive
)

// Entry is one sequence of a log with its record.
type Entry struct {
	Origin        Origin
	record.Record        // has only Seq if Origin is Lost; Data is valid only during the call
	Packed        []byte // Data as the store has it, nil if the record does not come from the store; valid like Data
}

// Findings holds the damage and differences that a walk found.
type Findings struct {
	Store      blocks.Summary
	Archive    []error // damage of the archive
	Reached    uint64  // last sequence in the archive, 0 for none
	Differ     Ranges  // sequences whose records differ between the copies
	Impossible []Bad   // records with impossible sequences; of several in a row, the first
}

// Bad is one fault of a log. Scripts rely on its JSON form.
type Bad struct {
	Seq   uint64 `json:"seq"`            // first affected sequence, 0 if there is none
	Last  uint64 `json:"last,omitempty"` // last sequence, if there are several
	Where string `json:"where"`          // store, archive, spool, head, lock, format, plan or history
	What  string `json:"what"`
}

// String describes the fault for people.
func (b Bad) String() string {
	if b.Seq == 0 {
		return b.Where + ": " + b.What
	}
	return Range{First: b.Seq, Last: max(b.Seq, b.Last)}.String() + " " + b.Where + ": " + b.What
}

// StreamOf returns the stream of the newest epoch in the store of a directory. ok is false if there is none. The error is that of
// reading a directory.
func StreamOf(dir string) (s blocks.Stream, ok bool, err error) {
	all, err := blocks.Streams(filepath.Join(dir, Store))
	for _, candidate := range all {
		if journal.Epoch(candidate.Name) > journal.Epoch(s.Name) {
			s, ok = candidate, true
		}
	}
	return s, ok, err
}

// Walk calls visit for every sequence, from 1 to the last in either copy. If both copies have a good record, visit gets the record of the
// store, which readers have seen; a difference is a finding. A record with an impossible sequence is a finding too, and is skipped.
// progress, if not nil, gets the bytes of the store read so far, and their total. The error is that of visit, of ctx or of the disk, or
// events.ErrNewer, events.ErrUnreleased or record.ErrNewer for a version that this program does not read.
func Walk(ctx context.Context, dir string, progress func(done, total int64), visit func(Entry) error) (Findings, error) {
	next, stop := iter.Pull2(archive.Read(ctx, filepath.Join(dir, Archive), 0))
	defer stop()
	w := walker{next: 1, remembered: client.Head(dir), visit: visit, pull: next}
	w.advance()
	stream, ok, err := StreamOf(dir)
	if err = errors.Join(err, w.failed); err != nil {
		return w.found, err
	}
	if ok {
		w.found.Store, err = blocks.Scan(ctx, stream, progress, w.record)
		if err != nil {
			return w.found, err
		}
	}
	for w.more {
		if possible, err := w.visitUpTo(w.archived.Seq, Archive); err != nil || !possible {
			return w.found, errors.Join(err, ctx.Err())
		}
		if err := w.fromArchive(); err != nil {
			return w.found, err
		}
	}
	return w.found, errors.Join(w.failed, ctx.Err())
}

// walker is the state of one Walk.
type walker struct {
	found Findings
	visit func(Entry) error
	next  uint64 // the next sequence to visit

	remembered uint64 // sequence in the head file, which the log has reached
	holes      uint64 // number of visited lost sequences

	pull     func() (record.Record, error, bool) // reads the archive
	archived record.Record                       // the archive's next record, if more is true
	more     bool                                // the archive has a next record
	// failed is the error of an archive that is not damaged, but of another version, or that the machine cannot open now. Then the walk must
	// fail: without the archive its records would seem lost.
	failed error
}

// advance reads the next good record of the archive.
func (w *walker) advance() {
	for {
		r, err, ok := w.pull()
		switch {
		case !ok:
			w.more = false
			return
		case errors.Is(err, events.ErrNewer), errors.Is(err, events.ErrUnreleased), disk.Transient(err):
			w.more, w.failed = false, err
			return
		case err != nil:
			w.found.Archive = append(w.found.Archive, err)
		case r.Seq > w.found.Reached:
			w.archived, w.more, w.found.Reached = r, true, r.Seq
			return
		}
	}
}

// record visits a record of the store, after the sequences before it.
func (w *walker) record(r record.Record) error {
	if r.Seq < w.next {
		return nil // blocks.Scan reports records out of order
	}
	if possible, err := w.visitUpTo(r.Seq, Store); err != nil || !possible {
		return err
	}
	both, packed := w.more && w.archived.Seq == r.Seq, r.Data
	r, err := r.Unpack()
	switch {
	case errors.Is(err, record.ErrNewer):
		return err
	case err != nil && both: // the store's data cannot be decompressed
		w.found.Differ.Add(r.Seq)
		return w.fromArchive()
	}
	// If no other copy has the record, one that cannot be decompressed is visited as the store has it.
	if both {
		if w.archived.Subject != r.Subject || !bytes.Equal(w.archived.Data, r.Data) {
			w.found.Differ.Add(r.Seq)
		}
		w.advance()
	}
	w.next++
	return w.visit(Entry{InStore, r, packed})
}

// visitUpTo visits the sequences before the next record of a copy: with the record of the archive, or as lost. possible is false if the
// next record of the copy has an impossible sequence.
func (w *walker) visitUpTo(seq uint64, where string) (possible bool, err error) {
	for w.next < seq {
		if w.more && w.archived.Seq == w.next {
			if err := w.fromArchive(); err != nil {
				return false, err
			}
			continue
		}
		end, source := seq, where // of the next record in either copy
		if w.more && w.archived.Seq < seq {
			end, source = w.archived.Seq, Archive
		}
		switch {
		case w.isPossible(end, source):
			if err := w.visitLost(end); err != nil {
				return false, err
			}
		case end == seq:
			return false, nil
		default:
			w.more = false // the archive is left out from here on
		}
	}
	return true, nil
}

// impossible describes a record with an impossible sequence.
const impossible = "its place cannot be true: too much would be missing before it; it is left out"

// isPossible reports whether the sequence of a copy's next record is possible. If not, it adds a finding, unless the last finding is of the
// same copy.
func (w *walker) isPossible(seq uint64, where string) bool {
	if seq <= w.remembered || w.holes+seq-w.next <= maxHoles {
		return true
	}
	if n := len(w.found.Impossible); n == 0 || w.found.Impossible[n-1].Where != where {
		w.found.Impossible = append(w.found.Impossible, Bad{Seq: seq, Where: where, What: impossible})
	}
	return false
}

// visitLost visits the sequences before another one, which are lost.
func (w *walker) visitLost(before uint64) error {
	for w.next < before {
		p := Entry{Lost, record.Record{Seq: w.next}, nil}
		w.next, w.holes = w.next+1, w.holes+1
		if err := w.visit(p); err != nil {
			return err
		}
	}
	return nil
}

// fromArchive visits the archive's next record.
func (w *walker) fromArchive() error {
	r := w.archived
	w.next = r.Seq + 1
	err := w.visit(Entry{InArchive, r, nil})
	w.advance()
	return err
}
