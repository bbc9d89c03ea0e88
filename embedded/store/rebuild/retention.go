package rebuild

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
)

// Retention says what of old sessions a person does not want to keep. The zero value
// keeps everything. What lasts (events.Lasting) is kept in any case, and so is everything
// of a session in which something came within a day.
type Retention struct {
	Age      time.Duration            // of sessions in which nothing came for so long; 0: of none
	Projects map[string]time.Duration // the same for some projects, by key; 0: of none there
	Bytes    uint64                   // of the store; beyond it the oldest sessions go; 0: no bound
}

const (
	// retentionPause lies between two looks at a log: each reads all of it.
	retentionPause = 24 * time.Hour
	// retentionYoung is how long after its newest event a session is kept whole.
	retentionYoung = 24 * time.Hour
	// retentionWorth is the part of a log's events for whose sake it is written anew.
	retentionWorth = 20
	// retentionRoom is the part of the bound that is free after it was kept.
	retentionRoom = 10
)

// retainedName is the file whose time is that of the last look.
const retainedName = "retained"

// keepsAll says whether nothing is ever removed.
func (r Retention) keepsAll() bool { return r.Age <= 0 && r.Bytes == 0 && len(r.Projects) == 0 }

// age is how long sessions of a project are kept, 0 for ever.
func (r Retention) age(project string) time.Duration {
	if age, own := r.Projects[project]; own {
		return age
	}
	return r.Age
}

// Retained says what became of a look at a log.
type Retained struct {
	Looked    bool   `json:"-"`
	Forgotten uint64 `json:"forgotten"` // events that were removed
	Sessions  int    `json:"sessions"`  // of which they were
	Reason    string `json:"reason,omitempty"`
}

// Retain removes for good what a person does not want to keep, by the rebuild of journal
// forget, if that is worth it. It looks at most once a day. Copies that a repair put
// aside hold everything, so while there are some nothing is removed: a person has to look
// at them first. The directory may not be owned: the caller holds its lock and has called
// Resume. Until the new copies count, the end of ctx ends it without a trace.
func (r Retention) Retain(ctx context.Context, lock *ownership.Lock, now time.Time, logger *slog.Logger) (Retained, error) {
	at := filepath.Join(lock.Dir(), retainedName)
	if fi, err := os.Stat(at); r.keepsAll() || err == nil && now.Sub(fi.ModTime()).Abs() < retentionPause {
		return Retained{}, nil
	}
	out := Retained{Looked: true}
	err := r.retain(ctx, lock, now, logger, &out)
	if ctx.Err() != nil {
		return out, ctx.Err() // it comes again when there is time
	}
	if err != nil {
		out.Reason = err.Error()
	}
	b, encodeErr := json.Marshal(out)
	if encodeErr == nil {
		encodeErr = disk.ReplaceDurable(at, append(b, '\n'))
	}
	return out, errors.Join(err, encodeErr)
}

func (r Retention) retain(ctx context.Context, lock *ownership.Lock, now time.Time, logger *slog.Logger, out *Retained) error {
	if aside := Suspects(lock.Dir()); len(aside) > 0 {
		return fmt.Errorf("nothing is removed while copies that a repair replaced are there: %s", aside[0])
	}
	all, total, err := sessionsOf(ctx, lock.Dir())
	if err != nil {
		return err
	}
	old := r.old(all, now, sizeOf(filepath.Join(lock.Dir(), storeName)))
	var fading uint64
	for _, s := range old {
		fading += s.fading
	}
	if fading == 0 || fading < total/retentionWorth {
		return nil
	}
	gone, err := Rebuild(ctx, lock, Options{Reason: "retention", Logger: logger, Forget: func(e events.Envelope) bool {
		_, is := old[sessionKey{e.Project, e.Session}]
		return is && !events.Lasting(e.Type)
	}})
	out.Forgotten, out.Sessions = gone.Forgotten, len(old)
	return err
}

type sessionKey struct{ project, session string }

// pastSession is what retention has to know of a session.
type pastSession struct {
	newest int64  // ns since 1970 UTC, by the reporters' clock
	fading uint64 // events that do not last
	bytes  uint64 // of these, as they are encoded
}

// sessionsOf reads both copies of a log, and says how many events it holds.
func sessionsOf(ctx context.Context, dir string) (all map[sessionKey]pastSession, total uint64, err error) {
	all = map[sessionKey]pastSession{}
	_, err = walk(ctx, dir, false, nil, func(at entry) error {
		total++
		e, foreign, err := journal.Decode(at.Record)
		if at.origin == lost || foreign || err != nil || e.Session == events.None {
			return nil // what cannot be read is for a repair, without which nothing is removed
		}
		key := sessionKey{e.Project, e.Session}
		s := all[key]
		s.newest = max(s.newest, e.At)
		if !events.Lasting(e.Type) {
			s.fading++
			s.bytes += uint64(len(at.Data))
		}
		all[key] = s
		return nil
	})
	return all, total, err
}

// old gives the sessions of which something is to be removed from a store of a size.
func (r Retention) old(all map[sessionKey]pastSession, now time.Time, size uint64) map[sessionKey]pastSession {
	old := map[sessionKey]pastSession{}
	type candidate struct {
		sessionKey
		pastSession
	}
	var rest []candidate
	var plain, freed uint64
	for key, s := range all {
		plain += s.bytes
		age := now.Sub(time.Unix(0, s.newest))
		switch limit := r.age(key.project); {
		case s.fading == 0 || age < retentionYoung:
		case limit > 0 && age > limit:
			old[key] = s
			freed += s.bytes
		default:
			rest = append(rest, candidate{key, s})
		}
	}
	if r.Bytes == 0 || size <= r.Bytes || plain == 0 {
		return old
	}
	// What the events take in the store is taken to be their share of it.
	excess := float64(size-r.Bytes+r.Bytes/retentionRoom) / float64(size) * float64(plain)
	slices.SortFunc(rest, func(a, b candidate) int { return cmp.Compare(a.newest, b.newest) })
	for _, c := range rest {
		if float64(freed) >= excess {
			break
		}
		old[c.sessionKey] = c.pastSession
		freed += c.bytes
	}
	return old
}
