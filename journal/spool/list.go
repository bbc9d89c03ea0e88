package spool

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// abandonedAfter is the age from which the writer of a temporary file counts as dead.
// A hook without an answer lives for 1.2 s (ADR-0018), and the slowest measured flush
// took 2.7 s (ADR-0004 rule 11). If the writer lives after all, a report is delivered
// twice, under one id.
const abandonedAfter = 10 * time.Second

// List returns the queue in the order in which it must be drained, which doc.go
// describes. It includes complete temporary files whose writers are dead (ADR-0004
// rule 10).
//
// Entries that are put during the call may be missing. But there are no holes: with an
// entry the result has every entry of the same boot whose Put returned before the Put
// of that entry began.
func (d *Dir) List() ([]Entry, error) {
	first, err := d.scan()
	if err != nil || len(first) == 0 {
		return nil, err
	}
	// One reading of a directory may miss a file that is renamed meanwhile, and yet
	// show a later file. Every entry whose Put ended before the Put of an entry of the
	// first reading began is in the second reading. So the second reading has no holes
	// up to the last entry of the first.
	second, err := d.scan()
	if err != nil {
		return nil, err
	}
	last := map[string]Entry{} // of the first reading, by boot
	for _, e := range first {
		if l, ok := last[e.Boot]; !ok || compareStamps(l, e) < 0 {
			last[e.Boot] = e
		}
	}
	entries := slices.DeleteFunc(second, func(e Entry) bool {
		l, ok := last[e.Boot]
		return !ok || compareStamps(l, e) < 0
	})
	return entries, d.sort(entries)
}

// scan returns the entries that are in the queue now, in no order.
func (d *Dir) scan() ([]Entry, error) {
	names, err := readNames(d.path)
	if err != nil {
		return nil, fmt.Errorf("list spool: %w", err)
	}
	now := time.Now()
	var entries []Entry
	for _, name := range names {
		final, isTmp := strings.CutPrefix(name, tmpPrefix)
		if !isTmp && !queued(name) {
			continue
		}
		e, err := ParseName(final)
		e.Name = name
		if isTmp && (err != nil || !d.abandoned(e, now)) {
			continue
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// abandoned reports whether a temporary file is a complete report whose writer
// is dead. An unreadable file does not count as complete.
func (d *Dir) abandoned(e Entry, now time.Time) bool {
	if !d.untouched(e, now, abandonedAfter) {
		return false
	}
	_, _, err := d.Read(e)
	return err == nil
}

// untouched reports whether an entry is a regular file that was last written
// more than age before or after now. A later time counts as old too: the clock was
// set back, and the file must not wait until it catches up.
func (d *Dir) untouched(e Entry, now time.Time, age time.Duration) bool {
	fi, err := os.Lstat(filepath.Join(d.path, e.Name))
	return err == nil && fi.Mode().IsRegular() && now.Sub(fi.ModTime()).Abs() > age
}

// sort puts entries into the order that doc.go describes.
func (d *Dir) sort(entries []Entry) error {
	oldest, err := d.oldest(entries)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			oldest[a.Boot].Compare(oldest[b.Boot]),
			cmp.Compare(a.Boot, b.Boot),
			compareStamps(a, b),
		)
	})
	return nil
}

// compareStamps orders the entries of one boot by time, then by id, then by name.
func compareStamps(a, b Entry) int {
	return cmp.Or(
		cmp.Compare(a.Nanos, b.Nanos),
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Name, b.Name),
	)
}

// oldest returns, by boot, the oldest modification time of the files of each earlier
// boot. It does not examine the files of the current boot, which most files are.
func (d *Dir) oldest(entries []Entry) (map[string]time.Time, error) {
	oldest := map[string]time.Time{}
	for _, e := range entries {
		if rank(e) != rankEarlier {
			continue
		}
		fi, err := os.Lstat(filepath.Join(d.path, e.Name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list spool: %w", err)
		}
		if t, ok := oldest[e.Boot]; !ok || fi.ModTime().Before(t) {
			oldest[e.Boot] = fi.ModTime()
		}
	}
	return oldest, nil
}

// The ranks of boots, in the order of the queue.
const (
	rankEarlier = iota
	rankZero
	rankCurrent
	rankForeign
)

// rank returns the rank of an entry's boot. An entry without a boot, whose name has
// another form, is foreign.
func rank(e Entry) int {
	switch e.Boot {
	case "":
		return rankForeign
	case bootID():
		return rankCurrent
	case zeroBoot:
		return rankZero
	default:
		return rankEarlier
	}
}
