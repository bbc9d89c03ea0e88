package archive

import (
	"fmt"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// Open opens the archive in a directory for writing. It creates the directory, whose parent must exist. If a crash has torn an open
// segment, Open cuts the segment after the last record before the tear, and [Writer.Repaired] returns the damage. If good records follow
// the tear, or the file cannot be read, the old file is kept under another name. The error is a *Damage if the last segment is sealed and
// damaged, events.ErrUnreleased or events.ErrNewer for another version, or that of the disk.
func Open(dir string, o Options) (*Writer, error) {
	w := &Writer{dir: dir, limit: o.SegmentBytes, atOnce: o.AtOnce}
	if w.limit <= 0 {
		w.limit = sealAt
	}
	w.limit = min(w.limit, maxFile/2)
	if err := w.open(); err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	return w, nil
}

// open implements Open.
func (w *Writer) open() error {
	if err := os.Mkdir(w.dir, 0o700); err == nil {
		if err := disk.SyncDir(filepath.Dir(w.dir)); err != nil {
			return err
		}
	} else if !os.IsExist(err) {
		return err
	}
	if err := removeTemporary(w.dir); err != nil {
		return err
	}
	groups, err := list(w.dir)
	if err != nil {
		return err
	}
	for i := len(groups) - 1; i >= 0; i-- {
		if found, err := w.adopt(groups[i]); found || err != nil {
			return err
		}
	}
	return nil
}

// adopt makes the writer continue after the segment in group, whose files begin with the same sequence. found is false if the files hold no
// record.
func (w *Writer) adopt(group []segmentFile) (found bool, err error) {
	var sealed *segment
	if p := group[0]; !p.open() {
		if sealed, err = load(w.dir, p); err != nil {
			return false, err
		}
	}
	if p := group[len(group)-1]; p.open() {
		unsealed, err := load(w.dir, p)
		if err != nil {
			return false, err
		}
		damaged := sealed != nil && len(sealed.damage) > 0
		// The open segment counts if it has more records than the sealed one, or as many and the sealed one is damaged.
		if sealed == nil || unsealed.afterWhole() > sealed.last+1 || damaged && unsealed.afterWhole() > sealed.last {
			return w.repair(unsealed)
		}
		if damaged {
			return false, &sealed.damage[0]
		}
		if unsealed.mayHoldAfter(sealed.last) {
			d := unsealed.damage[0]
			d.First, d.Last, d.Tail = sealed.last+1, sealed.last+1, true
			w.repaired, err = &d, setAside(w.dir, p.name)
		} else { // a crash came just after the open segment was sealed, or while the sealed one was opened again
			err = os.Remove(filepath.Join(w.dir, p.name))
		}
		if err != nil {
			return false, err
		}
	}
	if len(sealed.damage) > 0 {
		return false, &sealed.damage[0]
	}
	w.last, w.chain = sealed.last, sealed.seal.link
	if int64(len(sealed.raw)) < w.limit/2 { // frequent stops must not leave thousands of short segments
		w.reopen = &sealed.segmentFile
	}
	return true, removeOthers(w.dir, sealed.first, sealed.last)
}

// mayHoldAfter reports whether an open segment holds good records after a sequence, or was not read.
func (s *segment) mayHoldAfter(seq uint64) bool { return s.next > seq+1 || s.raw == nil }

// afterWhole returns the sequence after the undamaged beginning of an open segment.
func (s *segment) afterWhole() uint64 {
	if len(s.damage) == 0 {
		return s.next
	}
	next, end := s.first, headerSize
	for _, body := range s.bodies {
		if end += frameHead + len(body); end > s.good {
			break
		}
		next++
	}
	return next
}

// repair cuts an open segment after its undamaged beginning, and makes the writer continue there. found is false if no record is left.
func (w *Writer) repair(s *segment) (found bool, err error) {
	next := s.afterWhole()
	keep := s.mayHoldAfter(next - 1)
	if len(s.damage) > 0 {
		d := s.damage[0]
		w.repaired = &d
	}
	if next == s.first {
		// No record is whole. The first append writes the header again.
		if keep {
			return false, setAside(w.dir, s.name)
		}
		return false, os.Remove(filepath.Join(w.dir, s.name))
	}
	if len(s.damage) > 0 {
		if err := w.rewrite(s, keep); err != nil {
			return false, err
		}
	}
	s.bodies = s.bodies[:next-s.first]
	w.first, w.last, w.chain = s.first, next-1, s.chain()
	if err := disk.SyncDir(w.dir); err != nil {
		return true, err
	}
	return true, w.resume(int64(s.good))
}

// rewrite replaces an open segment by its undamaged beginning. If keep is true, the damaged file is kept under another name. The caller
// syncs the directory.
func (w *Writer) rewrite(s *segment, keep bool) error {
	path := filepath.Join(w.dir, s.name)
	content := appendPacked(s.raw[:headerSize:headerSize], s.raw[headerSize:s.good])
	if err := disk.ReplaceDurable(path+tmpSuffix, content); err != nil {
		return err
	}
	if keep {
		if err := setAside(w.dir, s.name); err != nil {
			return err
		}
	}
	return os.Rename(path+tmpSuffix, path)
}
