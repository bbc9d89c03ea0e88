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
	"journal/journal"
	"journal/journal/record"
	"journal/journal/wire/client"
)

// origin says which copy a record was read from.
type origin int

const (
	lost     origin = iota // from neither: it cannot be read
	stored                 // from the store, whether or not the archive has it
	archived               // from the archive only
)

// entry is one sequence of a log and the record that could be read for it.
type entry struct {
	origin        origin
	record.Record        // with Seq alone when it is lost; Data is valid only during the call
	packed        []byte // Data as the store has it, nil where that is not known
}

// findings is what a walk saw beside the places.
type findings struct {
	store   blocks.Summary
	archive []error // each names damage of the archive
	reached uint64  // last sequence that the archive has
	differ  Ranges  // both copies have a good record, and not the same one
	far     []Bad   // records whose places cannot be true
}

// streamOf finds the newest epoch in the store of a directory; ok is false when
// there is none.
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

// walk goes through the sequences of both copies of a log in their order, from
// 1 to the last that either has, and calls visit for each. Where both copies
// have a good record, it is the store's: its checksum holds, and it is what
// everybody has read; a difference is one of the findings. A record whose place cannot be true is one too, and left out.
// Memory is bounded. With alone it is of the store's alone, as they are stored.
func walk(ctx context.Context, dir string, alone bool, progress func(done, total int64), visit func(entry) error) (findings, error) {
	w := walker{next: 1, remembered: client.Head(dir), visit: visit, alone: alone}
	if !alone {
		next, stop := iter.Pull2(archive.Read(ctx, filepath.Join(dir, archiveName), 0))
		defer stop()
		w.pull = next
		w.advance()
	}
	stream, ok, err := streamOf(dir)
	if err = errors.Join(err, w.newer); err != nil {
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
	return w.found, errors.Join(w.newer, ctx.Err())
}

type walker struct {
	found findings
	visit func(entry) error
	next  uint64 // the sequence that is to be visited next
	alone bool

	remembered uint64 // sequence that the log is known to have come to
	holes      uint64 // places without a record that were visited

	pull func() (record.Record, error, bool)
	head record.Record // the archive's next record, when there are more
	more bool
	// newer is set when the archive is of a later format: that is not damage, and a walk without the archive would call
	// its records lost.
	newer error
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
		case errors.Is(err, archive.ErrNewer):
			w.more, w.newer = false, err
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
		return nil // the scanner reports what is out of order
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

// upTo visits what comes before the next record of a copy: what only the archive has, and what is lost. there is false
// for a record whose place cannot be true.
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

// impossible says what is wrong with such a record.
const impossible = "its place cannot be true: too much would be missing before it; it is left out"

// believes says whether the place of a copy's next record can be true; one that cannot is one of the findings.
func (w *walker) believes(seq uint64, where string) bool {
	if seq <= w.remembered || w.holes+seq-w.next <= mostHoles {
		return true
	}
	if n := len(w.found.far); n == 0 || w.found.far[n-1].Where != where {
		w.found.far = append(w.found.far, Bad{Seq: seq, Where: where, What: impossible})
	}
	return false
}

// lose visits what is lost before a sequence.
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

// fromArchive visits the archive's next record, which is the next of all.
func (w *walker) fromArchive() error {
	r := w.head
	w.next = r.Seq + 1
	err := w.visit(entry{archived, r, nil})
	w.advance()
	return err
}
