package rebuild

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"

	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/journal/wire/client"
)

// origin is the copy that a record was read from.
type origin int

const (
	lost     origin = iota // neither: it cannot be read
	stored                 // the store, whether or not the archive has it too
	archived               // the archive only
)

// entry is one sequence of a log with its record.
type entry struct {
	origin        origin
	record.Record        // only Seq if it is lost; Data is valid only during the call
	packed        []byte // Data as stored, nil if not known
}

// findings is what a walk found besides the entries.
type findings struct {
	store   blocks.Summary
	archive []error // damage of the archive
	reached uint64  // last sequence that the archive has
	differ  Ranges  // both copies have good records that differ
	far     []Bad   // records with impossible sequences
}

// streamOf returns the newest epoch in the store of a directory. ok is false if there is
// none.
func streamOf(dir string) (s blocks.Stream, ok bool, err error) {
	all, err := blocks.Streams(filepath.Join(dir, storeName))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	for _, candidate := range all {
		if journal.Epoch(candidate.Name) > journal.Epoch(s.Name) {
			s, ok = candidate, true
		}
	}
	return s, ok, err
}

// walk calls visit for every sequence, from 1 to the last in either copy. If both
// copies have a good record, visit gets the store's, because that is what everybody has
// read; a difference is a finding. A record with an impossible sequence is a finding too,
// and left out. Memory is bounded. With alone, only the store is read, and records stay
// packed.
func walk(ctx context.Context, dir string, alone bool, progress func(done, total int64), visit func(entry) error) (findings, error) {
	w := walker{next: 1, remembered: client.Head(dir), visit: visit, alone: alone}
	if !alone {
		next, stop := iter.Pull2(archive.Read(ctx, filepath.Join(dir, archiveName), 0))
		defer stop()
		w.pull = next
		w.advance()
	}
	stream, ok, err := streamOf(dir)
	if err = errors.Join(err, w.version); err != nil {
		return w.found, err
	}
	if ok {
		w.found.store, err = blocks.Scan(ctx, stream, progress, w.record)
		if err != nil {
			return w.found, err
		}
	}
	for w.more {
		if there, err := w.upTo(w.head.Seq, inArchive); err != nil || !there {
			return w.found, errors.Join(err, ctx.Err())
		}
		if err := w.fromArchive(); err != nil {
			return w.found, err
		}
	}
	return w.found, errors.Join(w.version, ctx.Err())
}

type walker struct {
	found findings
	visit func(entry) error
	next  uint64 // the next sequence to visit
	alone bool

	remembered uint64 // the log is known to have reached this sequence
	holes      uint64 // lost sequences visited so far

	pull func() (record.Record, error, bool)
	head record.Record // the archive's next record, if more is true
	more bool
	// version is set if the archive has a version that this program does not read. That is not damage, and without the
	// archive its records would seem lost.
	version error
}

// advance reads the next good record of the archive.
func (w *walker) advance() {
	for {
		r, err, ok := w.pull()
		switch {
		case !ok:
			w.more = false
			return
		case errors.Is(err, fs.ErrNotExist): // there is no archive yet
		case errors.Is(err, events.ErrNewer), errors.Is(err, events.ErrUnreleased):
			w.more, w.version = false, err
			return
		case err != nil:
			w.found.archive = append(w.found.archive, err)
		case r.Seq > w.found.reached:
			w.head, w.more, w.found.reached = r, true, r.Seq
			return
		}
	}
}

// record visits a record of the store and everything before it.
func (w *walker) record(r record.Record) error {
	if r.Seq < w.next {
		return nil // the scanner reports records out of order
	}
	if there, err := w.upTo(r.Seq, inStore); err != nil || !there {
		return err
	}
	both, packed := w.more && w.head.Seq == r.Seq, r.Data
	if w.alone {
		w.next++
		return w.visit(entry{stored, r, packed})
	}
	r, err := r.Unpack()
	switch {
	case errors.Is(err, record.ErrNewer):
		return err
	case err != nil && both:
		w.found.differ.add(r.Seq)
		return w.fromArchive()
	}
	if both {
		if w.head.Subject != r.Subject || !bytes.Equal(w.head.Data, r.Data) {
			w.found.differ.add(r.Seq)
		}
		w.advance()
	}
	w.next++
	return w.visit(entry{stored, r, packed})
}

// upTo visits the sequences before the next record of a copy: from the archive, or as lost. there is false if that record
// has an impossible sequence.
func (w *walker) upTo(seq uint64, where string) (there bool, err error) {
	for w.next < seq {
		if w.more && w.head.Seq == w.next {
			if err := w.fromArchive(); err != nil {
				return false, err
			}
			continue
		}
		end, of := seq, where
		if w.more && w.head.Seq < seq {
			end, of = w.head.Seq, inArchive
		}
		switch {
		case w.believes(end, of):
			err = w.lose(end)
		case end == seq:
			return false, nil
		default:
			w.more = false
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// impossible is the finding for such a record.
const impossible = "its place cannot be true: too much would be missing before it; it is left out"

// believes reports whether the sequence of a copy's next record is possible. If not, it adds a finding.
func (w *walker) believes(seq uint64, where string) bool {
	if seq <= w.remembered || w.holes+seq-w.next <= mostHoles {
		return true
	}
	if n := len(w.found.far); n == 0 || w.found.far[n-1].Where != where {
		w.found.far = append(w.found.far, Bad{Seq: seq, Where: where, What: impossible})
	}
	return false
}

// lose visits the lost sequences before another one.
func (w *walker) lose(before uint64) error {
	for w.next < before {
		p := entry{lost, record.Record{Seq: w.next}, nil}
		w.next, w.holes = w.next+1, w.holes+1
		if err := w.visit(p); err != nil {
			return err
		}
	}
	return nil
}

// fromArchive visits the archive's next record.
func (w *walker) fromArchive() error {
	r := w.head
	w.next = r.Seq + 1
	err := w.visit(entry{archived, r, nil})
	w.advance()
	return err
}
