package rebuild

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/record"
	"journal/journal/spool"
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

// copyBack reads the new store as it is on disk, compares it with what was
// written, and writes the archive again from it where that is needed.
func copyBack(ctx context.Context, dir string, r *Result, want string) (err error) {
	made := filepath.Join(dir, storeName+newSuffix)
	streams, err := blocks.Streams(made)
	if err != nil {
		return err
	}
	if len(streams) != 1 {
		return fmt.Errorf("%w: it has %d streams", ErrMismatch, len(streams))
	}
	each := func(record.Record) error { return nil }
	if r.Archive {
		w, err := archive.Open(filepath.Join(dir, archiveName+newSuffix), archive.Options{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.Close()) }()
		each = w.Append
	}
	sum := newDigest()
	report, err := blocks.Scan(ctx, streams[0], blocks.Options{}, func(r record.Record) error {
		r, err := r.Unpack()
		if err != nil {
			return err
		}
		sum.add(r)
		return each(r)
	})
	if err != nil {
		return err
	}
	if len(report.Damage) > 0 || report.Unknown != "" || report.Records != r.Events || sum.sum() != want {
		return fmt.Errorf("%w: %d of %d records", ErrMismatch, report.Records, r.Events)
	}
	return nil
}

// rename renames within a directory, durably.
func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(to))
}

// exists says whether something is at path; if that cannot be found out, it says yes.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// sizeOf adds up the files below a directory, in bytes. What cannot be read does not count: it cannot be copied either.
func sizeOf(dir string) uint64 {
	n := uint64(0)
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if fi, err := d.Info(); err == nil {
			n += uint64(fi.Size())
		}
		return nil
	})
	return n
}

// SetAside moves spool files that are not reports aside, with the reason, and says how many there were. The directory
// may not be owned.
func SetAside(dir string) (n int, err error) {
	d := spool.Open(filepath.Join(dir, spoolName))
	entries, err := d.List()
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		_, _, broken := d.Read(e)
		if !errors.Is(broken, spool.ErrBroken) {
			continue
		}
		if err := d.SetAside(e, broken.Error()); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Aside lists the files set aside from the spool that hold all of the words and were written before a time; no words
// and the zero time are no conditions. Such a file cannot be read as a report: its bytes are searched.
func Aside(dir string, words []string, before time.Time) ([]string, error) {
	aside := filepath.Join(dir, spoolName, "aside")
	names, err := disk.ReadDir(aside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range names {
		path := filepath.Join(aside, entry.Name())
		fi, err := entry.Info()
		if err != nil || !fi.Mode().IsRegular() || strings.HasSuffix(path, ".reason") || !before.IsZero() && !fi.ModTime().Before(before) {
			continue
		}
		b, err := disk.ReadFile(path, maxAside)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(words, func(w string) bool { return !bytes.Contains(b, []byte(w)) }) {
			found = append(found, path)
		}
	}
	return found, nil
}

// RemoveAll deletes files set aside, with their reasons.
func RemoveAll(paths []string) error {
	for _, p := range paths {
		if err := errors.Join(os.RemoveAll(p), os.RemoveAll(p+".reason")); err != nil {
			return err
		}
	}
	return nil
}
