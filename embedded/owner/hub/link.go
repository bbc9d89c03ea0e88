// Package hub keeps an owner's journal linked to the hub of its team: it uploads what is shared, records what
// others know this log's projects by, and asks what they have left unfinished and decided.
package hub

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"journal/embedded"
	"journal/embedded/colleagues"
	"journal/embedded/owner/writer"
	"journal/journal"
	"journal/journal/team"
	"journal/journal/team/upload"
)

const (
	// teamLook lies between two looks for a membership: joining and leaving count within it.
	teamLook = time.Second
	// startPause lies before the first.
	startPause = 500 * time.Millisecond
	// flushWait bounds what an owner on a machine that will be gone waits for the hub to have
	// everything: containers are given ten seconds between SIGTERM and SIGKILL, and closing the log
	// takes up to two of them on a busy machine.
	flushWait = 6 * time.Second
	flushLook = 20 * time.Millisecond
)

// Hub keeps the link to a team's hub while the journal belongs to one. Nothing waits for it.
type Hub struct {
	Config

	link atomic.Pointer[upload.Link] // nil without a membership
	// identified counts how often was looked what others know a project by.
	identified atomic.Int64
}

// Config is what a hub is given, and where what comes of it is recorded. All of it is required but Invitation.
type Config struct {
	Dir    string      // of the journal
	Intact func() bool // the directory is still ours
	Log    *journal.Log
	Copy   *writer.Archiver // says what is new
	Writer *writer.Writer
	// Invitation is one, or the path of one, for a machine that nobody has join and that will
	// be gone: all it records goes to the hub. Empty for others.
	Invitation string
	// Return ends the owner, so that the log is written anew with what it lacks of the hub's copy. It does not wait.
	Return  func(upload.Missing)
	Logger  *slog.Logger
	Trouble func(error)
}

// Start runs it until stop is called, which on a machine that will be gone waits for the hub first.
func (h *Hub) Start() (stop func()) {
	h.enlist()
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		select { // an owner starts because somebody waits for it
		case <-ctx.Done():
		case <-time.After(startPause):
		}
		h.run(ctx)
	})
	return func() {
		h.flush()
		cancel()
		work.Wait()
	}
}

func (h *Hub) run(ctx context.Context) {
	look := time.NewTicker(teamLook)
	defer look.Stop()
	for {
		m, err := team.Load(h.Dir)
		switch {
		case err == nil:
			h.serve(ctx, m)
		case !errors.Is(err, team.ErrNoMember):
			h.Trouble(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// serve keeps the link until ctx or the membership ends.
func (h *Hub) serve(ctx context.Context, m team.Membership) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := upload.New(upload.Config{
		Dir: h.Dir, Member: m, Log: h.Log.Stream(), Source: h.Log, Head: h.Copy.Head,
		Grown: h.Copy.Grown(), Repairs: h.Log.Repairs, Tell: colleagues.NewTeller(h.Dir, h.Log).Tell, Return: h.Return, Logger: h.Logger,
	})
	h.link.Store(l)
	defer h.link.Store(nil)
	var work sync.WaitGroup
	work.Go(func() { l.Run(ctx) })
	defer work.Wait()
	work.Go(func() { h.askOthers(ctx, l, m) })
	work.Go(func() { h.watch(ctx, l, m) })
	looks := &projects{h, map[string]chosen{}}
	for range embedded.Ticks(ctx, teamLook) {
		if err := looks.record(ctx); err != nil && ctx.Err() == nil {
			h.Trouble(err)
		}
		if now, err := team.Load(h.Dir); !h.Intact() || err == nil && !now.Same(m) || errors.Is(err, team.ErrNoMember) {
			cancel()
			return
		}
	}
}

// enlist makes a machine a member's that was told so by its environment: one that nobody prepares,
// and that will be gone.
func (h *Hub) enlist() {
	if h.Invitation == "" {
		return
	}
	if _, err := team.Load(h.Dir); !errors.Is(err, team.ErrNoMember) {
		return // it was before, or somebody has to look at it
	}
	m, err := team.ParseMember(h.Invitation)
	if err == nil {
		_, err = team.JoinPassing(h.Dir, m)
	}
	if err != nil {
		h.Trouble(err)
	}
}

// Busy says whether the hub is reached and does not have everything yet, or too much.
func (h *Hub) Busy() bool {
	l := h.link.Load()
	return l != nil && l.Busy()
}

// flush waits until the hub has everything, on a machine that will be gone.
func (h *Hub) flush() {
	m, err := team.Load(h.Dir)
	if err != nil || !m.Passing {
		return
	}
	for until := time.Now().Add(flushWait); time.Now().Before(until); time.Sleep(flushLook) {
		if l := h.link.Load(); l != nil && l.AtHub() >= h.Copy.Head() {
			return
		}
	}
	h.Trouble(errors.New("the team's hub did not get everything in time"))
}
