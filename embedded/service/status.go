package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"journal/embedded/copies"
	"journal/embedded/rebuild"
	"journal/embedded/store/archive"
	"journal/embedded/store/ownership"
	"journal/events/text"
	"journal/journal/spool"
	"journal/journal/spool/losses"
	"journal/journal/team"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/journal/wire/sock"
	"journal/projections"
)

// Status is the state of a journal. Scripts rely on its form.
type Status struct {
	Owner    *Process `json:"owner"` // null when none runs
	Store    string   `json:"store"`
	Events   uint64   `json:"events"`
	LastSeq  uint64   `json:"last_seq"`
	Bytes    uint64   `json:"bytes"`
	Spooled  int      `json:"spooled"`
	Archived uint64   `json:"archived"`  // newest sequence of the second copy
	Aside    int      `json:"set_aside"` // spool files that could not be read
	Disk     Disk     `json:"disk"`
	Paused   []string `json:"paused"` // projects whose recording is stopped; "*" is all
	// Losses is what the log lost for good; unacknowledged losses are a problem.
	Losses []projections.Loss `json:"losses"`
	// Damage is what the idle owner found in both copies, and Scrubbed is when it last finished, RFC 3339 in UTC; empty
	// for never.
	Damage   []copies.Damage `json:"damage"`
	Scrubbed string          `json:"scrubbed"`
	// SetBack says that a team's hub has events of this device that its log lacks (team.Status).
	SetBack bool `json:"set_back"`
	// Obstacles keep the next owner from starting; Problems includes them.
	Obstacles []rebuild.Obstacle `json:"-"`
	Healthy   bool               `json:"healthy"`
	Problems  []string           `json:"problems"`
	Unknown   []string           `json:"unknown"` // what was not checked completely, which is no problem
}

// Process is a running owner.
type Process struct {
	PID     int    `json:"pid"`
	Since   string `json:"since"` // RFC 3339, UTC
	Socket  string `json:"socket"`
	Version string `json:"version"`
	// Outdated says that it is an older build than this program. It makes way when a
	// session starts, or when a verb of the newer program reads the log.
	Outdated bool `json:"outdated"`
}

// statusWait bounds the requests to an owner that may hang, and then the reading of files.
const statusWait = 3 * time.Second

// Look returns the state of the journal in a directory. It starts and changes nothing.
func Look(ctx context.Context, dir string) (s Status) {
	s = Status{Store: dir, Paused: []string{}, Losses: []projections.Loss{}, Damage: []copies.Damage{}, Problems: []string{}, Unknown: []string{}}
	defer func() { s.Healthy = len(s.Problems) == 0 }()
	switch err := ownership.Inspect(dir); {
	case errors.Is(err, fs.ErrNotExist):
		if err := ownership.Creatable(dir); err != nil {
			s.problem("the journal cannot be made in %s: %v", dir, err)
		}
		return s
	case errors.Is(err, syscall.ENOTDIR):
		s.problem("%v", err)
		return s
	case err != nil:
		s.problem("%v", err)
	}
	queue := filepath.Join(dir, "spool")
	err := spool.Open(queue).Check()
	if err == nil {
		s.Spooled, s.Aside, err = spool.Open(queue).Count()
	}
	if err != nil {
		s.problem("%v", err)
	}
	if s.Aside > 0 {
		s.problem("%s not be read, and the reasons, are in %s", text.Counted(s.Aside, "spool file that could", "spool files that could"), filepath.Join(queue, "aside"))
	}
	if r, err := losses.Read(dir); err != nil {
		s.problem("%v", err)
	} else if r.Lost.Events > 0 {
		s.problem("%s", Dropped(r))
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
	answers := s.askOwner(ctx)
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	if !answers {
		s.lookAtFiles(ctx)
	}
	s.lookForLosses(ctx)
	s.lookForDamage()
	s.lookAtTeam()
	s.lookForObstacles()
	return s
}

// lookAtTeam adds whether a team's hub has more of this log than the log itself.
func (s *Status) lookAtTeam() {
	st, err := team.LoadStatus(s.Store)
	if s.SetBack = err == nil && st.SetBack; s.SetBack { // journal team status reports what cannot be read
		s.problem("team %s: %s; journal doctor says what to do", st.Team, team.Kept)
	}
	if seen, err := team.LoadSeen(s.Store); err == nil && seen.SetBack() != "" {
		s.problem("team: %s", seen.SetBack())
	}
}

// lookForObstacles adds what keeps the next owner from starting.
func (s *Status) lookForObstacles() {
	if s.Owner != nil {
		return
	}
	s.Obstacles = rebuild.Obstacles(s.Store)
	for _, o := range s.Obstacles {
		s.problem("no owner can start: %v; try: %s", o.Err, o.Advice())
	}
}

// lookForDamage adds the damage that the idle owner and journal verify found.
func (s *Status) lookForDamage() {
	found := copies.LoadState(s.Store)
	if !found.Done.IsZero() {
		s.Scrubbed = found.Done.UTC().Format(time.RFC3339)
	}
	s.Damage = append(s.Damage, found.Damage(copies.VerifiedDamage(s.Store)...)...)
	for _, copy := range []string{copies.Store, copies.Archive} {
		if some := s.DamageIn(copy); len(some) > 0 {
			s.problem("the %s is damaged in %s, the first: %s; journal repair mends it", copy, text.Counted(len(some), "place"), some[0].What)
		}
	}
}

// DamageIn returns the damage of one copy.
func (s *Status) DamageIn(copy string) (some []copies.Damage) {
	for _, d := range s.Damage {
		if d.Where == copy {
			some = append(some, d)
		}
	}
	return some
}

// lookForLosses adds the losses that the log records.
func (s *Status) lookForLosses(ctx context.Context) {
	losses, err := copies.Losses(ctx, s.Store, s.LastSeq)
	if late(ctx, err) {
		s.unknown("what the log lost")
		return
	}
	if err != nil {
		s.problem("what the log lost cannot be read: %v; journal verify reads everything", err)
		return
	}
	s.Losses = losses
	if n := copies.Unseen(losses); n > 0 {
		s.problem("%s lost for good: %s; journal repair --acknowledge ends this warning", text.Counted(n, "event is", "events are"), copies.ToldUnseen(losses))
	}
}

// Dropped says what could be stored nowhere, as long as the log has not taken note of it.
func Dropped(r losses.Record) string {
	at := func(ns int64) string { return time.Unix(0, ns).Local().Format(time.DateTime) }
	return fmt.Sprintf("%s from %s to %s could be kept nowhere: %s", text.Counted(r.Lost.Events, "event"), at(r.Lost.First), at(r.Lost.Last), r.Why)
}

// askOwner adds what the owner says about itself and the log, and reports whether there is an owner.
func (s *Status) askOwner(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	var r wire.StatusReply
	nc, err := connectWhileHeld(ctx, s.Store)
	if err == nil {
		err = ask(ctx, nc, wire.Status, nil, &r)
		nc.Close()
	}
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
	if s.Archived = r.Archived; s.Archived == 0 { // the owner has not opened it yet
		s.lookAtArchive(ctx)
	}
	if r.Problem != "" {
		s.problem("the owner's last trouble: %s", r.Problem)
	}
	if r.Deleted > 0 || r.Events != r.Last || r.Last > 0 && r.First != 1 {
		s.problem("the log has holes: %s up to #%d, first #%d", text.Counted(r.Events, "event"), r.Last, r.First)
	}
	return true
}

// startWait is how long the owner of a large log may take to start or to end without a heartbeat.
const startWait = time.Minute

// beats reports whether the lock's holder has a recent heartbeat.
func beats(dir string) bool {
	h, err := ownership.ReadHolder(dir)
	return err == nil && time.Since(time.Unix(0, h.Heartbeat)) < startWait
}

// lookAtFiles adds how far both copies go, without an owner. The last owner's notes about that can be older than a
// full disk.
func (s *Status) lookAtFiles(ctx context.Context) {
	s.LastSeq = client.Head(s.Store)
	newest, err := copies.Newest(ctx, s.Store)
	if s.LastSeq = max(s.LastSeq, newest); err != nil {
		s.unknown("how far the log goes")
	}
	s.Events, s.Bytes = s.LastSeq, s.Disk.Store
	s.lookAtArchive(ctx)
}

// Copied says how far the second copy goes. It follows the log within half a second, or when the next owner runs, so
// being behind is no problem in itself.
func (s *Status) Copied() string {
	far, rest := fmt.Sprintf("up to #%d", s.Archived), "; the rest follows at once"
	if s.Archived >= s.LastSeq {
		return "all"
	} else if s.Archived == 0 {
		far = "nothing yet"
	}
	if s.Owner == nil {
		rest = "; the next owner copies the rest"
	}
	return far + rest
}

func (s *Status) lookAtArchive(ctx context.Context) {
	var err error
	if s.Archived, err = archive.Last(ctx, filepath.Join(s.Store, archiveName)); late(ctx, err) {
		s.unknown("how far the second copy goes")
	} else if err != nil {
		s.problem("archive: %v", err)
	}
}

// late reports whether an error is only a timeout.
func late(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded))
}

// unknown says what was not read. verify, which takes its time, reads it.
func (s *Status) unknown(what string) {
	s.Unknown = append(s.Unknown, what+" is not known: it was not read to its end; journal verify reads everything")
}

func (s *Status) problem(format string, args ...any) {
	s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
}
