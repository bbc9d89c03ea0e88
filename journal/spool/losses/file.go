package losses

import (
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

// name is the file inside a journal directory.
const name = "owner.drops"

const (
	// Unhandled is the file to which journal-hook adds a line for each call that no program handled: its time, in ns since
	// 1970.
	Unhandled      = "owner.unhandled"
	unhandledBytes = 4 << 20 // 200,000 calls
	unhandledWhy   = "journal could not be run; install it again"
)

// unhandled counts the calls that no program handled.
func unhandled(dir string) (calls Span) {
	b, _ := disk.ReadFile(filepath.Join(dir, Unhandled), unhandledBytes) // none, or something else in its place
	for line := range bytes.Lines(b) {
		ns, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
		if err != nil {
			continue
		}
		calls.note(1, time.Unix(0, ns))
	}
	return calls
}

// lose adds calls that no program handled.
func (r *Record) lose(calls Span) {
	if calls.Events == 0 {
		return
	}
	r.Lost.note(0, time.Unix(0, calls.First))
	r.Lost.note(int(calls.Events), time.Unix(0, calls.Last))
	r.Why = cmp.Or(r.Why, unhandledWhy)
}

// Path returns the file of a journal directory.
func Path(dir string) string { return filepath.Join(dir, name) }

// Make makes the file of a directory if it has none. If there is one it costs a stat.
func Make(dir string) error {
	if _, err := os.Lstat(Path(dir)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	b, err := Record{}.encode()
	if err != nil {
		return err
	}
	f, err := disk.OpenFile(Path(dir), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return fmt.Errorf("make room for the count of drops: %w", err)
	}
	if err = disk.Lock(f); err == nil {
		err = errors.Join(f.Chmod(0o600), fill(f, append(b, b...))) // whatever the umask
	}
	if err != nil {
		err = errors.Join(err, os.Remove(Path(dir)))
	}
	return errors.Join(err, f.Close())
}

// fill writes the file if it is empty: another process may have counted before the lock was taken.
func fill(f *os.File, content []byte) error {
	fi, err := f.Stat()
	if err != nil || fi.Size() > 0 {
		return err
	}
	_, err = f.Write(content)
	return err
}

// Read returns the record of a directory, the zero record if there is none.
func Read(dir string) (Record, error) {
	var r Record
	r.lose(unhandled(dir))
	file, err := disk.ReadFile(Path(dir), fileSize)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return r, nil
	}
	if err != nil {
		return Record{}, fmt.Errorf("read the count of drops: %w", err)
	}
	r, whole := decode(file)
	if !whole {
		return Record{}, fmt.Errorf("%s is damaged", Path(dir))
	}
	r.lose(unhandled(dir))
	return r, nil
}

// Note counts events that could not be kept. shown is set if the caller shows that to the person now; first reports
// that nothing did so since the log last took note.
func Note(dir string, events int, at time.Time, why string, shown bool) (first bool, err error) {
	err = update(dir, true, func(r *Record) {
		r.Lost.note(events, at)
		r.Why, first = why, !r.Shown
		r.Shown = r.Shown || shown
	})
	return first && err == nil, err
}

// Overtaken counts events that were stored while the spool could not be read.
func Overtaken(dir string, events int, at time.Time) error {
	return update(dir, false, func(r *Record) {
		if r.Late > 0 { // from an earlier time
			r.Ahead, r.Late = Span{}, 0
		}
		r.Ahead.note(events, at)
	})
}

// Caught records how many reports were found in the spool once it could be read again. 0:
// nothing was overtaken.
func Caught(dir string, reports int) error {
	return update(dir, false, func(r *Record) {
		r.Late = uint64(reports)
		if reports == 0 {
			r.Ahead = Span{}
		}
	})
}

// Acknowledge clears the note about events out of order, if that is over: a person has seen it. It
// reports whether there was such a note.
func Acknowledge(dir string) (found bool, err error) {
	err = update(dir, false, func(r *Record) {
		if found = r.Disordered(); found {
			r.Ahead, r.Late = Span{}, 0
		}
	})
	return found && err == nil, err
}

// Due sets the count for the log apart, and returns the record. Its Due is empty if
// there is nothing.
func Due(dir string) (due Record, err error) {
	calls, taken := unhandled(dir), false
	err = update(dir, true, func(r *Record) {
		if r.Due.Events == 0 {
			r.lose(calls)
			taken = calls.Events > 0
			r.Due, r.DueWhy = r.Lost, r.Why
			r.Lost, r.Why, r.Shown = Span{}, "", false
		}
		due = *r
	})
	if err != nil || !taken {
		return due, err
	}
	return due, disk.Remove(filepath.Join(dir, Unhandled))
}

// Settle clears Due: the log has taken note of it.
func Settle(dir string) error {
	return update(dir, true, func(r *Record) { r.Due, r.DueWhy = Span{}, "" })
}

// update changes the record in place, under the lock.
func update(dir string, durable bool, change func(*Record)) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("count of drops: %w", err)
		}
	}()
	f, err := disk.OpenFile(Path(dir), os.O_RDWR|disk.NoFollow, 0)
	if errors.Is(err, fs.ErrNotExist) { // it was removed, and there may be room
		if err = Make(dir); err == nil {
			f, err = disk.OpenFile(Path(dir), os.O_RDWR|disk.NoFollow, 0)
		}
	}
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
	r.Turn++
	b, err := r.encode()
	if err != nil {
		return err
	}
	if !whole { // its content is not a record
		_, err = f.WriteAt(append(b, b...), 0)
		err = errors.Join(err, f.Truncate(fileSize))
	} else {
		_, err = f.WriteAt(b, int64(r.Turn%2)*copySize)
	}
	if err != nil || !durable {
		return err
	}
	return f.Sync()
}

// Span is a time and a number of events.
type Span struct {
	First  int64  `json:"first"` // Unix time in nanoseconds
	Last   int64  `json:"last"`
	Events uint64 `json:"events"`
}

// note adds events.
func (s *Span) note(n int, at time.Time) {
	now := at.UnixNano()
	if s.Events == 0 {
		s.First = now
	}
	s.First, s.Last = min(s.First, now), max(s.Last, now)
	s.Events += uint64(n)
}

// Record is the file's content.
type Record struct {
	Turn uint64 `json:"turn"` // grows with every write
	// Lost counts events that could not be kept since the log last took note, Why is the newest reason, and Shown is
	// set if the person has seen it.
	Lost  Span   `json:"lost"`
	Why   string `json:"why,omitempty"`
	Shown bool   `json:"told,omitempty"`
	// Due counts the events about which the owner is about to write a gap, with the reason DueWhy.
	Due    Span   `json:"due"`
	DueWhy string `json:"due_why,omitempty"`
	// Ahead holds the events that were stored while the spool could not be read, and Late the number of reports that
	// were found in it afterwards: they came earlier, and are later in the log.
	Ahead Span   `json:"ahead"`
	Late  uint64 `json:"late,omitempty"`
}

// Disordered reports whether the log has events in another order than they came in.
func (r Record) Disordered() bool { return r.Ahead.Events > 0 && r.Late > 0 }

const (
	maxWhy   = 120  // UTF-16 units of a reason
	copySize = 2048 // bytes of a copy: enough for any two reasons, even escaped
	fileSize = 2 * copySize
	sumSize  = sha256.Size
)

// encode returns a copy: the checksum, and the record in JSON, padded with spaces.
func (r Record) encode() ([]byte, error) {
	r.Why, r.DueWhy = text.CutUnits(r.Why, maxWhy), text.CutUnits(r.DueWhy, maxWhy)
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

// decode returns the newer of the intact copies.
func decode(file []byte) (newest Record, ok bool) {
	for len(file) >= copySize {
		b := file[:copySize]
		file = file[copySize:]
		var r Record
		if sum := sha256.Sum256(b[sumSize:]); !bytes.Equal(sum[:], b[:sumSize]) || json.Unmarshal(b[sumSize:], &r) != nil {
			continue
		}
		if !ok || r.Turn > newest.Turn {
			newest, ok = r, true
		}
	}
	return newest, ok
}
