package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"journal/embedded/catalogue"
	"journal/embedded/copies"
	"journal/embedded/rebuild"
	"journal/embedded/store/archive"
	"journal/embedded/store/ownership"
	"journal/events/text"
	"journal/journal/spool"
	"journal/journal/spool/losses"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/journal/wire/sock"
	"journal/projections"
)

// Status is the state of a journal. Scripts rely on its JSON form.
type Status struct {
	Owner    *Process `json:"owner"`     // null when none runs
	Store    string   `json:"store"`     // the journal directory
	Events   uint64   `json:"events"`    // number of events in the log; without an owner LastSeq
	LastSeq  uint64   `json:"last_seq"`  // newest sequence
	Bytes    uint64   `json:"bytes"`     // size of the store
	Spooled  int      `json:"spooled"`   // files that wait in the spool
	Archived uint64   `json:"archived"`  // newest sequence in the second copy
	Aside    int      `json:"set_aside"` // spool files that could not be read, or have an event that the log refuses
	Disk     Disk     `json:"disk"`
	Paused   []string `json:"paused"` // projects whose recording is paused; "*" is all
	// Losses holds the permanent losses of the log. A loss that no person has acknowledged is a problem.
	Losses []projections.Loss `json:"losses"`
	// Damage holds what the idle owner and journal verify found in both copies.
	Damage []copies.Damage `json:"damage"`
	// Scrubbed is the end of the owner's last pass over both copies, RFC 3339 in UTC; empty if there was none.
	Scrubbed string `json:"scrubbed"`
	// Obstacles keep the next owner from starting. Problems includes them.
	Obstacles []rebuild.Obstacle `json:"-"`
	Healthy   bool               `json:"healthy"`
	Problems  []string           `json:"problems"`
	Unknown   []string           `json:"unknown"` // incomplete checks, which are no problem
}

// Process is a running owner.
type Process struct {
	PID     int    `json:"pid"`
	Since   string `json:"since"` // RFC 3339, UTC
	Socket  string `json:"socket"`
	Version string `json:"version"`
	// Outdated is true if the owner is of an older build than this program. Such an owner is replaced when a session starts, or when a verb
	// of the newer program reads the log.
	Outdated bool `json:"outdated"`
}

// statusWait bounds the wait for an owner, which may hang, and after that once more the reading of files.
const statusWait = 3 * time.Second

// ReadStatus returns the state of the journal in a directory. It starts and changes nothing.
func ReadStatus(ctx context.Context, dir string) (s Status) {
	s = Status{Store: dir, Paused: []string{}, Losses: []projections.Loss{}, Damage: []copies.Damage{}, Problems: []string{}, Unknown: []string{}}
	defer func() { s.Healthy = len(s.Problems) == 0 }()
	switch err := ownership.Inspect(dir); {
	case errors.Is(err, fs.ErrNotExist):
		if err := ownership.Creatable(dir); err != nil {
			s.problem("the journal cannot be created in %s: %v", dir, err)
		}
		return s
	case errors.Is(err, syscall.ENOTDIR):
		s.problem("%v", err)
		return s
	case err != nil:
		s.problem("%v", err)
	}
	s.checkSpool()
	if r, err := losses.Read(dir); err != nil {
		s.problem("%v", err)
	} else if lost, _ := r.Unrecorded(); lost.Events > 0 {
		s.problem("%s", Dropped(r))
	}
	all, projects, err := client.Pauses(dir)
	if err != nil {
		s.problem("%v", err)
	}
	s.Paused = append(s.Paused, projects...)
	if all {
		s.Paused = append(s.Paused, "*")
	}
	if reason, failedAt, _ := ownership.Failed(dir); !failedAt.IsZero() {
		s.problem("the owner could not start at %s: %s", failedAt.Local().Format(time.DateTime), reason)
	}
	if s.Disk, err = measureDisk(dir, time.Now()); err != nil {
		s.problem("disk: %v", err)
	}
	answers := s.askOwner(ctx)
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	if !answers {
		s.checkFiles(ctx)
	}
	s.addLosses(ctx)
	s.addForeign(ctx)
	s.addDamage()
	s.addObstacles()
	return s
}

// checkSpool adds the state of the spool.
func (s *Status) checkSpool() {
	path := filepath.Join(s.Store, "spool")
	queue := spool.Open(path)
	if err := queue.Check(); err != nil {
		s.problem("%v", err)
		return
	}
	var err error
	if s.Spooled, s.Aside, err = queue.Count(); err != nil {
		s.problem("%v", err)
	}
	if s.Aside > 0 {
		s.problem("%s not be read, and the reasons, are in %s", text.Counted(s.Aside, "spool file that could", "spool files that could"), filepath.Join(path, "aside"))
	}
}

// addObstacles adds the obstacles that keep the next owner from starting.
func (s *Status) addObstacles() {
	if s.Owner != nil {
		return
	}
	s.Obstacles = rebuild.Obstacles(s.Store)
	for _, o := range s.Obstacles {
		s.problem("no owner can start: %v; try: %s", o.Err, o.Advice())
	}
}

// addDamage adds the damage that the idle owner and journal verify found.
func (s *Status) addDamage() {
	found := copies.LoadState(s.Store)
	if !found.Done.IsZero() {
		s.Scrubbed = found.Done.UTC().Format(time.RFC3339)
	}
	s.Damage = append(s.Damage, found.Damage(copies.VerifiedDamage(s.Store)...)...)
	for _, where := range []string{copies.Store, copies.Archive} {
		if all := s.DamageIn(where); len(all) > 0 {
			s.problem("the %s is damaged in %s, the first: %s; run: journal repair", where, text.Counted(len(all), "place"), all[0].What)
		}
	}
}

// DamageIn returns the damage of one copy, copies.Store or copies.Archive.
func (s *Status) DamageIn(where string) (found []copies.Damage) {
	for _, d := range s.Damage {
		if d.Where == where {
			found = append(found, d)
		}
	}
	return found
}

// addLosses adds the losses that the log records, and a problem for unacknowledged ones.
func (s *Status) addLosses(ctx context.Context) {
	losses, err := copies.Losses(ctx, s.Store, s.LastSeq)
	if timedOut(ctx, err) {
		s.unknown("what the log lost")
		return
	}
	if err != nil {
		s.problem("what the log lost cannot be read: %v; journal verify reads everything", err)
		return
	}
	s.Losses = losses
	if n := copies.Unacknowledged(losses); n > 0 {
		s.problem("%s lost for good: %s; journal repair --acknowledge ends this warning", text.Counted(n, "event is", "events are"), copies.DescribeUnacknowledged(losses))
	}
}

// addForeign adds a problem for messages of the log that are no events. It ignores errors: addLosses reads the same files and reports them.
func (s *Status) addForeign(ctx context.Context) {
	n, first, _ := copies.Foreign(ctx, s.Store, s.LastSeq, catalogue.Foreign)
	if n > 0 {
		s.problem("%s in the log, the first #%d: a NATS client had them stored, and nothing shows them; journal stop, then a hook, ends what it may have left",
			text.Counted(n, "message that is no event stands", "messages that are no events stand"), first)
	}
}

// Dropped describes the events that could be stored nowhere, and that no log.gap of the log counts yet.
func Dropped(r losses.Record) string {
	date := func(ns int64) string { return time.Unix(0, ns).Local().Format(time.DateTime) }
	lost, reason := r.Unrecorded()
	return fmt.Sprintf("%s from %s to %s could be kept nowhere: %s", text.Counted(lost.Events, "event"), date(lost.First), date(lost.Last), reason)
}

// ownerStatus returns the owner's reply to a status request.
func ownerStatus(ctx context.Context, dir string) (r wire.StatusReply, err error) {
	nc, err := connectWhileHeld(ctx, dir)
	if err != nil {
		return r, err
	}
	defer nc.Close()
	err = ask(ctx, nc, wire.Status, nil, &r)
	return r, err
}

// askOwner adds the owner's report about itself and the log, and reports whether an owner has answered.
func (s *Status) askOwner(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	r, err := ownerStatus(ctx, s.Store)
	switch held := ownership.Held(s.Store); {
	case err == nil:
	case errors.Is(err, sock.ErrNoOwner) && held && beats(s.Store):
		s.Unknown = append(s.Unknown, "an owner starts or ends, and does not answer yet; hooks wait in the spool meanwhile")
		return false
	case errors.Is(err, sock.ErrNoOwner) && held:
		s.problem("an owner holds the lock and does not listen: it starts, stops or hangs")
		return false
	case errors.Is(err, sock.ErrNoOwner), !held:
		return false
	default:
		s.problem("the owner does not answer: %v", err)
		return false
	}
	s.Owner = &Process{
		PID: r.PID, Since: time.Unix(0, r.Since).UTC().Format(time.RFC3339), Socket: sock.Path(s.Store), Version: r.Version,
		Outdated: ownership.Outdated(s.Store),
	}
	s.Events, s.LastSeq, s.Bytes = r.Events, r.Last, r.Bytes
	s.Archived = r.Archived
	if s.Archived == 0 { // the owner has not opened the archive yet
		s.checkArchive(ctx)
	}
	if r.Problem != "" {
		s.problem("the owner's last error: %s", r.Problem)
	}
	if r.Deleted > 0 || r.Events != r.Last || r.Last > 0 && r.First != 1 {
		s.problem("the log has holes: %s up to #%d, first #%d", text.Counted(r.Events, "event"), r.Last, r.First)
	}
	return true
}

// startWait is the time for which an owner of a large log may start or end without writing a heartbeat.
const startWait = time.Minute

// beats reports whether the lock's holder has written a heartbeat within startWait.
func beats(dir string) bool {
	h, err := ownership.ReadHolder(dir)
	return err == nil && time.Since(time.Unix(0, h.Heartbeat)).Abs() < startWait
}

// checkFiles adds what the files show without an owner: the newest sequences of both copies, and the size of the store.
func (s *Status) checkFiles(ctx context.Context) {
	s.LastSeq = client.Head(s.Store) // a lower bound: after a full disk it is older than the log
	newest, err := copies.Newest(ctx, s.Store)
	if err != nil {
		s.unknown("how far the log goes")
	}
	s.LastSeq = max(s.LastSeq, newest)
	s.Events, s.Bytes = s.LastSeq, s.Disk.Store
	s.checkArchive(ctx)
}

// Copied describes which part of the log is in the second copy. The copy follows within half a second, or when the next owner runs, so a
// difference is no problem.
func (s *Status) Copied() string {
	if s.Archived >= s.LastSeq {
		return "all"
	}
	end := fmt.Sprintf("up to #%d", s.Archived)
	if s.Archived == 0 {
		end = "nothing yet"
	}
	if s.Owner == nil {
		return end + "; the next owner copies the rest"
	}
	return end + "; the rest follows at once"
}

// checkArchive adds the newest sequence of the second copy.
func (s *Status) checkArchive(ctx context.Context) {
	var err error
	s.Archived, err = archive.Last(ctx, filepath.Join(s.Store, archiveName))
	switch {
	case timedOut(ctx, err):
		s.unknown("how far the second copy goes")
	case err != nil:
		s.problem("archive: %v", err)
	}
}

// timedOut reports whether an error is only a timeout.
func timedOut(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded))
}

// unknown records that a subject was not read completely. journal verify, which has no time limit, reads it.
func (s *Status) unknown(subject string) {
	s.Unknown = append(s.Unknown, subject+" is not known: it was not read to its end; journal verify reads everything")
}

// problem adds a problem.
func (s *Status) problem(format string, args ...any) {
	s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
}
