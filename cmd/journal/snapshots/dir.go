package snapshots

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/projections"
	"journal/replay/snapshot"
)

// Dir is the snapshots of one journal directory. Any number of processes may read
// it; the owner of the store alone writes.
type Dir struct{ path string }

// In gives the snapshots beside the store of a journal directory. They need not
// exist yet.
func In(dir string) Dir { return Dir{filepath.Join(dir, "snapshots")} }

// maxFile bounds a snapshot in bytes: what is larger is neither written nor read.
const maxFile = 16 << 20

// Newest gives the newest snapshot of a lane that was taken of this log at a
// sequence up to until, under a configuration. ok is false when there is none;
// why a file is not used is nobody's concern.
func (d Dir) Newest(ctx context.Context, log *journal.Log, t projections.Target, c projections.Config, until uint64) (s snapshot.Snapshot, ok bool) {
	for _, f := range d.of(t) {
		if f.seq > until {
			continue
		}
		s, err := f.read()
		if err != nil || s.Place.Seq != f.seq || s.Place.Stream != log.Stream() || s.Target != t || s.Config != c {
			continue
		}
		record, err := recordAt(ctx, log, f.seq)
		if err != nil || record != s.Place.Record {
			continue
		}
		// The time of the file is that of its last use.
		now := time.Now()
		_ = os.Chtimes(f.path, now, now)
		return s, true
	}
	return snapshot.Snapshot{}, false
}

// Begin gives a fold of some projections from which a replay up to until goes on:
// that of the newest snapshot that fits, else one at the empty log.
func (d Dir) Begin(ctx context.Context, log *journal.Log, t projections.Target, c projections.Config, until uint64, ps ...projections.Projection) *projections.Fold {
	if s, ok := d.Newest(ctx, log, t, c, until); ok {
		if f, err := s.Fold(ps...); err == nil {
			return f
		}
	}
	return projections.NewFold(t, c, ps...)
}

// Save writes the snapshot of a fold of every declared projection, and lets go of
// the lane's older ones. A fold of nothing is not saved.
//
// The file is written aside and renamed, so that no reader sees a part of it. It
// is not synced: after a power cut its digest does not fit, and it is not used.
func (d Dir) Save(ctx context.Context, log *journal.Log, f *projections.Fold, c projections.Config) error {
	if f.Seq() == 0 {
		return nil
	}
	record, err := recordAt(ctx, log, f.Seq())
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	b, err := snapshot.Encode(f, c, snapshot.Place{Stream: log.Stream(), Seq: f.Seq(), Record: record})
	if err != nil || len(b) > maxFile {
		return err
	}
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	path := filepath.Join(d.path, laneName(f.Target())+"-"+strconv.FormatUint(f.Seq(), 10))
	if err := errors.Join(os.WriteFile(path+aside, b, 0o600), os.Rename(path+aside, path)); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	for i, old := range d.of(f.Target()) {
		if i >= keptOfLane {
			_ = os.Remove(old.path) // Prune comes by
		}
	}
	return nil
}

// aside is the suffix of a file that is being written.
const aside = ".new"

// file is the name of a snapshot.
type file struct {
	path string
	seq  uint64
}

// of lists the files of a lane, newest first.
func (d Dir) of(t projections.Target) []file {
	names, err := os.ReadDir(d.path)
	if err != nil {
		return nil // nothing was ever saved
	}
	var all []file
	for _, n := range names {
		number, ok := strings.CutPrefix(n.Name(), laneName(t)+"-")
		if seq, err := strconv.ParseUint(number, 10, 64); ok && err == nil {
			all = append(all, file{filepath.Join(d.path, n.Name()), seq})
		}
	}
	slices.SortFunc(all, func(a, b file) int { return cmp.Compare(b.seq, a.seq) })
	return all
}

func (f file) read() (snapshot.Snapshot, error) {
	b, err := disk.ReadFile(f.path, maxFile)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	return snapshot.Decode(b)
}

// laneName gives the part of a file's name that says whose it is. Ids are foreign
// text of any length, so it is a digest.
func laneName(t projections.Target) string {
	sum := sha256.Sum256([]byte(t.Project + "\x00" + t.Session + "\x00" + t.Lane))
	return hex.EncodeToString(sum[:16])
}

// recordAt gives the digest of what is stored at a sequence.
func recordAt(ctx context.Context, log *journal.Log, seq uint64) (string, error) {
	digest := ""
	for m, err := range log.Stored(ctx, events.Span{After: seq - 1, Until: seq}) {
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(m.Data)
		digest = hex.EncodeToString(sum[:])
	}
	if digest == "" {
		return "", fmt.Errorf("nothing is stored at #%d", seq)
	}
	return digest, nil
}
