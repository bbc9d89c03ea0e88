package rebuild

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/embedded/copies"
	"journal/embedded/store/ownership"
	"journal/embedded/transcriptcopies"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
)

// Retention bounds the age of sessions, and the size of the store with the copies of transcripts. The zero value keeps everything. Lasting
// events (events.Lasting) are always kept, and so are sessions with an event in the last day.
type Retention struct {
	Age      time.Duration            // since a session's newest event; 0 is unlimited
	Projects map[string]time.Duration // replaces Age for some projects, by key; 0 is unlimited
	Bytes    uint64                   // greatest size; the oldest sessions are removed until the rest is smaller; 0 is unlimited
}

const (
	// retentionPause is the interval of checks: each reads the whole log.
	retentionPause = 24 * time.Hour
	// retentionYoung is the time for which a session is kept whole after its newest event.
	retentionYoung = 24 * time.Hour
	// retentionWorth is 20: a rebuild must remove at least a twentieth of the events.
	retentionWorth = 20
	// retentionRoom is 10: after a rebuild about a tenth of Bytes is free.
	retentionRoom = 10
)

// retainedName is the file with the result of the last check. The file's time is that of the check.
const retainedName = "retained"

// keepsAll reports whether the retention never removes anything.
func (r Retention) keepsAll() bool { return r.Age <= 0 && r.Bytes == 0 && len(r.Projects) == 0 }

// Retained is the result of a check.
type Retained struct {
	Forgotten uint64 `json:"forgotten"`        // number of removed events
	Sessions  int    `json:"sessions"`         // number of the sessions that lost them
	Reason    string `json:"reason,omitempty"` // why the check failed
}

// Retain removes the events that exceed the bounds, as journal forget does, if that is worth a rebuild. It checks at most once a day. While
// there are copies that a repair replaced it removes nothing: they contain everything, and a person has to check them first. No owner may
// be running: the caller holds the lock and has called Resume. If ctx ends before the new copies are complete, the log is not changed.
func (r Retention) Retain(ctx context.Context, lock *ownership.Lock, now time.Time, logger *slog.Logger) (Retained, error) {
	path := filepath.Join(lock.Dir(), retainedName)
	if fi, err := os.Stat(path); r.keepsAll() || err == nil && now.Sub(fi.ModTime()).Abs() < retentionPause {
		return Retained{}, nil
	}
	out := Retained{}
	err := r.retain(ctx, lock, now, logger, &out)
	if ctx.Err() != nil {
		return out, ctx.Err() // nothing is saved, so the next call checks again
	}
	if err != nil {
		out.Reason = err.Error()
	}
	return out, errors.Join(err, out.save(path))
}

// save writes the result to a file.
func (r Retained) save(path string) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return disk.ReplaceDurable(path, append(b, '\n'))
}

// retain implements Retain, and sets fields of out.
func (r Retention) retain(ctx context.Context, lock *ownership.Lock, now time.Time, logger *slog.Logger, out *Retained) error {
	if aside := Suspects(lock.Dir()); len(aside) > 0 {
		return fmt.Errorf("nothing is removed while there are copies that a repair replaced; check and delete %s", aside[0])
	}
	all, total, err := sessionsOf(ctx, lock.Dir())
	if err != nil {
		return err
	}
	size := sizeOf(filepath.Join(lock.Dir(), storeName))
	old := r.old(all, now, size)
	if err := r.dropCopies(lock.Dir(), old, size, now); err != nil {
		return err
	}
	var removable uint64
	for _, s := range old {
		removable += s.removable
	}
	if removable == 0 || removable < total/retentionWorth {
		return nil
	}
	result, err := Rebuild(ctx, lock, Options{Reason: "retention", Logger: logger, Forget: func(e events.Envelope) bool {
		_, selected := old[sessionKey{e.Project, e.Session}]
		return selected && !events.Lasting(e.Type)
	}})
	out.Forgotten, out.Sessions = result.Forgotten, len(old)
	return err
}

// dropCopies removes the copies of transcripts of old sessions. It also removes the oldest other copies while copies and store together
// exceed the bound. size is that of the store.
func (r Retention) dropCopies(dir string, old map[sessionKey]pastSession, size uint64, now time.Time) error {
	kept, err := transcriptcopies.All(dir)
	if err != nil {
		return err
	}
	oldPaths := map[string]bool{}
	for key := range old {
		oldPaths[transcriptcopies.Of(dir, key.project, key.session)] = true
	}
	for _, c := range kept {
		size += c.Bytes
	}
	bound := uint64(math.MaxUint64)
	if r.Bytes > 0 && size > r.Bytes {
		bound = r.Bytes - r.Bytes/retentionRoom
	}
	slices.SortFunc(kept, func(a, b transcriptcopies.Copy) int { return a.Saved.Compare(b.Saved) })
	for _, c := range kept {
		if c.Bytes == 0 || !oldPaths[c.Path] && (size <= bound || now.Sub(c.Saved) < retentionYoung) {
			continue
		}
		size -= c.Bytes
		if err := c.Drop(); err != nil {
			return err
		}
	}
	return nil
}

type sessionKey struct{ project, session string }

// pastSession holds the data of a session that retention needs.
type pastSession struct {
	newest    int64  // greatest time of an event, ns since 1970 UTC, by the reporters' clock
	removable uint64 // number of events that are not lasting
	bytes     uint64 // encoded size of the removable events
}

// sessionsOf returns the sessions in both copies of a log, and the number of events.
func sessionsOf(ctx context.Context, dir string) (all map[sessionKey]pastSession, total uint64, err error) {
	all = map[sessionKey]pastSession{}
	_, err = copies.Walk(ctx, dir, nil, func(entry copies.Entry) error {
		total++
		e, foreign, err := journal.Decode(entry.Record)
		if entry.Origin == copies.Lost || foreign || err != nil || e.Session == events.None {
			return nil // of no session; a rebuild removes nothing from a damaged log
		}
		key := sessionKey{e.Project, e.Session}
		s := all[key]
		s.newest = max(s.newest, e.At)
		if !events.Lasting(e.Type) {
			s.removable++
			s.bytes += uint64(len(entry.Data))
		}
		all[key] = s
		return nil
	})
	return all, total, err
}

// old returns the sessions that exceed the bounds. size is that of the store.
func (r Retention) old(all map[sessionKey]pastSession, now time.Time, size uint64) map[sessionKey]pastSession {
	old := map[sessionKey]pastSession{}
	type candidate struct {
		sessionKey
		pastSession
	}
	var others []candidate
	var encoded, freed uint64
	for key, s := range all {
		encoded += s.bytes
		age := now.Sub(time.Unix(0, s.newest))
		limit, ok := r.Projects[key.project]
		if !ok {
			limit = r.Age
		}
		switch {
		case s.removable == 0 || age < retentionYoung:
		case limit > 0 && age > limit:
			old[key] = s
			freed += s.bytes
		default:
			others = append(others, candidate{key, s})
		}
	}
	if r.Bytes == 0 || size <= r.Bytes || encoded == 0 {
		return old
	}
	// The events' share of the store is estimated by their encoded size.
	excess := float64(size-r.Bytes+r.Bytes/retentionRoom) / float64(size) * float64(encoded)
	slices.SortFunc(others, func(a, b candidate) int { return cmp.Compare(a.newest, b.newest) })
	for _, c := range others {
		if float64(freed) >= excess {
			break
		}
		old[c.sessionKey] = c.pastSession
		freed += c.bytes
	}
	return old
}
