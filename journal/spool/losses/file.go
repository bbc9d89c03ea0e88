package losses

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"journal/events/text"
	"journal/journal/disk"
)

// name is the name of the file in a journal directory.
const name = "owner.drops"

const (
	// Unhandled is the file to which journal-hook appends the time of each hook that no program handled: a line with the ns
	// since 1970 UTC.
	Unhandled       = "owner.unhandled"
	unhandledReason = "journal could not be run; install it again"
)

// taken is the file of the hooks that TakeDue counts. It is the file Unhandled under another name, so that later hooks go to a new
// file. A hook that opened the file before may write until takenAge has passed without a write: only then TakeDue counts and removes it.
const (
	taken    = "owner.unhandled.taken"
	takenAge = time.Second
)

// unhandled returns the number and the times of the hooks in a file of hooks that no program handled.
func unhandled(path string) (calls Span) {
	f, _, err := disk.Open(path)
	if err != nil {
		return calls // without a readable file there are none
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		ns, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			continue
		}
		calls.note(1, time.Unix(0, ns))
	}
	return calls
}

// takeUnhandled returns the hooks of the file taken. ok is false if the file is missing or too young. In place of a missing file it
// renames the file Unhandled to taken; after an error the next call tries again.
func takeUnhandled(dir string) (calls Span, ok bool) {
	path, now := filepath.Join(dir, taken), time.Now()
	fi, err := os.Lstat(path)
	if err != nil {
		if os.Rename(filepath.Join(dir, Unhandled), path) == nil {
			_ = os.Chtimes(path, now, now) // otherwise the age is that of the newest hook
		}
		return Span{}, false
	}
	if now.Sub(fi.ModTime()).Abs() < takenAge {
		return Span{}, false
	}
	return unhandled(path), true
}

// addUnhandled adds hooks that no program handled to the lost events, each as one event.
func (r *Record) addUnhandled(calls Span) {
	if calls.Events == 0 {
		return
	}
	r.Lost.add(calls)
	r.Reason = cmp.Or(r.Reason, unhandledReason)
}

// Path returns the path of the file in a journal directory.
func Path(dir string) string { return filepath.Join(dir, name) }

// Make makes the file of a directory if it is missing or empty. Otherwise it costs a stat.
func Make(dir string) error {
	fi, err := os.Lstat(Path(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && fi.Size() > 0 {
		return nil
	}
	return update(dir, false, func(*Record) {})
}

// Read returns the record of a directory, with the hooks that no program handled added to Lost. Without a file it returns a
// zero record with these hooks.
func Read(dir string) (Record, error) {
	var r Record
	switch file, err := disk.ReadFile(Path(dir), fileSize); {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
	case err != nil:
		return Record{}, fmt.Errorf("read the count of losses: %w", err)
	default:
		var whole bool
		if r, whole = decode(file); !whole {
			return Record{}, fmt.Errorf("%s is damaged", Path(dir))
		}
	}
	r.addUnhandled(unhandled(filepath.Join(dir, taken)))
	r.addUnhandled(unhandled(filepath.Join(dir, Unhandled)))
	return r, nil
}

// Note counts events that could not be stored, with the newest reason. shown must be true if the caller shows the loss to the
// person. first is true if nobody has shown a loss since the last TakeDue.
func Note(dir string, events int, at time.Time, reason string, shown bool) (first bool, err error) {
	err = update(dir, true, func(r *Record) {
		r.Lost.note(events, at)
		r.Reason, first = reason, !r.Shown
		r.Shown = r.Shown || shown
	})
	return first && err == nil, err
}

// CountOvertaking counts events that were stored while the spool could not be read.
func CountOvertaking(dir string, events int, at time.Time) error {
	return update(dir, false, func(r *Record) {
		if r.Late > 0 { // both counts are of an earlier spool that could not be read
			r.Ahead, r.Late = Span{}, 0
		}
		r.Ahead.note(events, at)
	})
}

// CountLate records the number of reports that waited in the spool while it could not be read. With 0 it clears the count of
// CountOvertaking, because the events overtook nothing.
func CountLate(dir string, reports int) error {
	return update(dir, false, func(r *Record) {
		r.Late = uint64(reports)
		if reports == 0 {
			r.Ahead = Span{}
		}
	})
}

// Acknowledge clears the counts of events that are out of order. found is true if there were such events.
func Acknowledge(dir string) (found bool, err error) {
	err = update(dir, false, func(r *Record) {
		if found = r.Disordered(); found {
			r.Ahead, r.Late = Span{}, 0
		}
	})
	return found && err == nil, err
}

// TakeDue moves the count of lost events into Due. With them it takes the hooks that no program handled, as soon as all of them are
// written, and removes the file of these hooks. If Due still has an earlier count, it changes nothing. It returns the record, whose Due
// is empty if nothing was lost.
func TakeDue(dir string) (current Record, err error) {
	counted := false
	err = update(dir, true, func(r *Record) {
		if r.Due.Events == 0 {
			var calls Span
			calls, counted = takeUnhandled(dir)
			r.addUnhandled(calls)
			r.Due, r.DueReason = r.Lost, r.Reason
			r.Lost, r.Reason, r.Shown = Span{}, "", false
		}
		current = *r
	})
	if err != nil || !counted {
		return current, err
	}
	return current, disk.Remove(filepath.Join(dir, taken))
}

// Settle clears Due, after the log has the log.gap for it.
func Settle(dir string) error {
	return update(dir, true, func(r *Record) { r.Due, r.DueReason = Span{}, "" })
}

// update changes the record in place, under the lock. It makes a missing file. A durable change is synced.
func update(dir string, durable bool, change func(*Record)) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("count of losses: %w", err)
		}
	}()
	f, err := disk.OpenFile(Path(dir), os.O_RDWR|os.O_CREATE|disk.NoFollow, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := disk.Lock(f); err != nil {
		return err
	}
	file, err := io.ReadAll(io.NewSectionReader(f, 0, fileSize))
	if err != nil {
		return err
	}
	r, whole := decode(file)
	change(&r)
	r.Generation++
	b, err := r.encode()
	if err != nil {
		return err
	}
	if !whole { // the file is new or damaged: write both copies
		_, err = f.WriteAt(append(b, b...), 0)
		if err != nil && len(file) == 0 {
			return errors.Join(err, disk.Remove(Path(dir))) // the file holds no count yet, and Make tries again
		}
		err = errors.Join(err, f.Truncate(fileSize), f.Chmod(0o600)) // whatever the umask
	} else {
		_, err = f.WriteAt(b, int64(r.Generation%2)*copySize)
	}
	if err != nil || !durable {
		return err
	}
	return f.Sync()
}

// Span is a number of events, with the times of the first and the last.
type Span struct {
	First  int64  `json:"first"` // Unix time in nanoseconds
	Last   int64  `json:"last"`
	Events uint64 `json:"events"`
}

// note adds n events that occurred at a time.
func (s *Span) note(n int, at time.Time) {
	now := at.UnixNano()
	if s.Events == 0 {
		s.First = now
	}
	s.First, s.Last = min(s.First, now), max(s.Last, now)
	s.Events += uint64(n)
}

// add counts the events of another span.
func (s *Span) add(other Span) {
	if other.Events > 0 {
		s.note(int(other.Events), time.Unix(0, other.First))
		s.note(0, time.Unix(0, other.Last))
	}
}

// Record is the file's content.
type Record struct {
	Generation uint64 `json:"turn"` // number of writes
	// Lost counts the events that could not be stored since the last TakeDue. Reason is the newest reason. Shown is true if the
	// loss was shown to the person.
	Lost   Span   `json:"lost"`
	Reason string `json:"why,omitempty"`
	Shown  bool   `json:"told,omitempty"`
	// Due counts the lost events of the log.gap that the owner is about to append, and DueReason is its reason.
	Due       Span   `json:"due"`
	DueReason string `json:"due_why,omitempty"`
	// Ahead counts the events that were stored while the spool could not be read. Late counts the reports that were found in the
	// spool afterwards: their events occurred before those of Ahead, and are behind them in the log.
	Ahead Span   `json:"ahead"`
	Late  uint64 `json:"late,omitempty"`
}

// Unrecorded returns the lost events that no log.gap counts yet, and the newest reason: those of Lost, and those of Due, which an owner
// that died may have left.
func (r Record) Unrecorded() (lost Span, reason string) {
	lost = r.Due
	lost.add(r.Lost)
	return lost, cmp.Or(r.Reason, r.DueReason)
}

// Disordered reports whether events are in the log in another order than they occurred.
func (r Record) Disordered() bool { return r.Ahead.Events > 0 && r.Late > 0 }

const (
	maxReason = 120  // UTF-16 units of a reason
	copySize  = 2048 // bytes of a copy: enough for any two reasons, even escaped
	fileSize  = 2 * copySize
	sumSize   = sha256.Size
)

// encode returns a copy of the record for the file: the checksum, and the record in JSON, padded with spaces to copySize.
func (r Record) encode() ([]byte, error) {
	r.Reason, r.DueReason = text.CutUnits(r.Reason, maxReason), text.CutUnits(r.DueReason, maxReason)
	content, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	b := append(make([]byte, sumSize, copySize), content...)
	b = append(b, bytes.Repeat([]byte{' '}, copySize-len(b))...)
	sum := sha256.Sum256(b[sumSize:])
	copy(b, sum[:])
	return b, nil
}

// decode returns the newer intact copy. ok is false if there is none.
func decode(file []byte) (newest Record, ok bool) {
	for len(file) >= copySize {
		b := file[:copySize]
		file = file[copySize:]
		var r Record
		if sum := sha256.Sum256(b[sumSize:]); !bytes.Equal(sum[:], b[:sumSize]) || json.Unmarshal(b[sumSize:], &r) != nil {
			continue
		}
		if !ok || r.Generation > newest.Generation {
			newest, ok = r, true
		}
	}
	return newest, ok
}
