package owner

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"journal/embedded/hubcopy"
	"journal/journal/team"
)

const (
	// teamLook lies between two looks for a membership: joining and leaving count within it.
	teamLook = time.Second
	// flushWait bounds what an owner on a machine that will be gone waits for the hub to have
	// everything: containers are given ten seconds between SIGTERM and SIGKILL, and closing the log
	// takes up to two of them on a busy machine.
	flushWait = 6 * time.Second
	flushLook = 20 * time.Millisecond
)

// uplink runs the link to a team's hub while the journal belongs to one. Nothing waits for it.
type uplink struct {
	*Owner
	link atomic.Pointer[hubcopy.Link] // nil without a membership
	// identified counts how often was looked what others know a project by.
	identified atomic.Int64
}

// start runs it until stop is called, which on a machine that will be gone waits for the hub first.
func (u *uplink) start() (stop func()) {
	u.enlist()
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		pause(ctx, archiveLag, nil) // an owner starts because somebody waits for it
		u.run(ctx)
	})
	return func() {
		u.flush()
		cancel()
		work.Wait()
	}
}

func (u *uplink) run(ctx context.Context) {
	look := time.NewTicker(teamLook)
	defer look.Stop()
	for {
		m, err := team.Load(u.lock.Dir())
		switch {
		case err == nil:
			u.serve(ctx, m)
		case !errors.Is(err, team.ErrNoMember):
			u.trouble(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// serve keeps the link until ctx or the membership ends.
func (u *uplink) serve(ctx context.Context, m team.Membership) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := hubcopy.New(hubcopy.Config{
		Dir: u.lock.Dir(), Member: m, Log: u.log.Stream(), Source: u.log, Head: u.archive.head.Load,
		Grown: u.archive.grown, Repairs: u.log.Repairs, Logger: u.config.Logger,
	})
	u.link.Store(l)
	defer u.link.Store(nil)
	var work sync.WaitGroup
	work.Go(func() { l.Run(ctx) })
	defer work.Wait()
	work.Go(func() { u.handOver(ctx, l, m) })
	known := &identities{u, m.Passing, map[string]string{}}
	look := time.NewTicker(teamLook)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		if err := known.record(ctx); err != nil && ctx.Err() == nil {
			u.trouble(err)
		}
		if now, err := team.Load(u.lock.Dir()); !u.lock.Intact() || err == nil && !now.Same(m) || errors.Is(err, team.ErrNoMember) {
			cancel()
			return
		}
	}
}

// enlist makes a machine a member's that was told so by its environment: one that nobody prepares,
// and that will be gone.
func (u *uplink) enlist() {
	if u.config.Team == "" {
		return
	}
	if _, err := team.Load(u.lock.Dir()); !errors.Is(err, team.ErrNoMember) {
		return // it was before, or somebody has to look at it
	}
	m, err := team.ParseMember(u.config.Team)
	if err == nil {
		_, err = team.JoinPassing(u.lock.Dir(), m)
	}
	if err != nil {
		u.trouble(err)
	}
}

// busy says whether the hub is reached and does not have everything yet, or too much.
func (u *uplink) busy() bool {
	l := u.link.Load()
	return l != nil && l.Busy()
}

// flush waits until the hub has everything, on a machine that will be gone.
func (u *uplink) flush() {
	m, err := team.Load(u.lock.Dir())
	if err != nil || !m.Passing {
		return
	}
	for until := time.Now().Add(flushWait); time.Now().Before(until); time.Sleep(flushLook) {
		if l := u.link.Load(); l != nil && l.AtHub() >= u.archive.head.Load() {
			return
		}
	}
	u.trouble(errors.New("the team's hub did not get everything in time"))
}
