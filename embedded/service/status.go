package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"journal/embedded/ownership"
	"journal/journal/archive"
	"journal/journal/client"
	"journal/journal/sock"
	"journal/journal/spool"
	"journal/journal/wire"
)

// Status is how a journal does, in a form that scripts rely on.
type Status struct {
	Owner    *Process `json:"owner"` // null when none runs
	Store    string   `json:"store"`
	Events   uint64   `json:"events"`
	LastSeq  uint64   `json:"last_seq"`
	Bytes    uint64   `json:"bytes"`
	Spooled  int      `json:"spooled"`
	Archived uint64   `json:"archived"` // newest sequence that is in the second copy too
	Aside    int      `json:"aside"`    // spool files that could not be read
	Disk     Disk     `json:"disk"`
	Paused   []string `json:"paused"` // projects whose recording is stopped; "*" is all
	Healthy  bool     `json:"healthy"`
	Problems []string `json:"problems"`
}

// Process is a running owner.
type Process struct {
	PID     int    `json:"pid"`
	Since   string `json:"since"` // RFC 3339, UTC
	Socket  string `json:"socket"`
	Version string `json:"version"`
	// Outdated says that it is of an older build than this program. It makes way when a
	// session starts, or when a verb of the newer program reads the log.
	Outdated bool `json:"outdated"`
}

// statusWait bounds the questions to an owner that may hang.
const statusWait = 3 * time.Second

// Look says how the journal in a directory does. It starts and changes nothing.
func Look(ctx context.Context, dir string) (s Status) {
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	s = Status{Store: dir, Paused: []string{}, Problems: []string{}}
	defer func() { s.Healthy = len(s.Problems) == 0 }()
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return s
	}
	var err error
	queue := filepath.Join(dir, "spool")
	if s.Spooled, s.Aside, err = spool.Open(queue).Count(); err != nil {
		s.problem("spool: %v", err)
	}
	if s.Aside > 0 {
		s.problem("%d spool files could not be read and lie in %s with the reasons", s.Aside, filepath.Join(queue, "aside"))
	}
	if all, projects, err := client.Pauses(dir); err != nil {
		s.problem("%v", err)
	} else if s.Paused = append(s.Paused, projects...); all {
		s.Paused = append(s.Paused, "*")
	}
	if reason, at, _ := ownership.Failed(dir); !at.IsZero() {
		s.problem("the owner could not start at %s: %s", at.Local().Format(time.DateTime), reason)
	}
	if s.Disk, err = disk(dir, time.Now()); err != nil {
		s.problem("disk: %v", err)
	}
	s.askOwner(ctx)
	return s
}

// askOwner adds what the owner says of itself and of the log.
func (s *Status) askOwner(ctx context.Context) {
	var r wire.StatusReply
	nc, err := connectWhileHeld(ctx, s.Store)
	if err == nil {
		err = ask(ctx, nc, wire.Status, nil, &r)
		nc.Close()
	}
	switch {
	case err == nil:
	case errors.Is(err, sock.ErrNoOwner) && ownership.Held(s.Store):
		s.problem("an owner holds the lock and does not listen: it starts, stops or hangs")
		return
	case errors.Is(err, sock.ErrNoOwner):
		s.LastSeq = client.Head(s.Store)
		s.Events, s.Bytes = s.LastSeq, s.Disk.Store
		if s.Archived, err = archive.Last(ctx, filepath.Join(s.Store, archiveName)); err != nil {
			s.problem("archive: %v", err)
		}
		return
	default:
		s.problem("the owner does not answer: %v", err)
		return
	}
	s.Owner = &Process{
		PID: r.PID, Since: time.Unix(0, r.Since).UTC().Format(time.RFC3339), Socket: sock.Path(s.Store), Version: r.Version,
		Outdated: ownership.Outdated(s.Store),
	}
	s.Events, s.LastSeq, s.Bytes, s.Archived = r.Events, r.Last, r.Bytes, r.Archived
	if r.Problem != "" {
		s.problem("the owner's last trouble: %s", r.Problem)
	}
	if r.Deleted > 0 || r.Events != r.Last || r.Last > 0 && r.First != 1 {
		s.problem("the log has holes: %d events up to #%d, first #%d", r.Events, r.Last, r.First)
	}
}

func (s *Status) problem(format string, args ...any) {
	s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
}
