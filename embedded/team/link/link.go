// Package link keeps an owner's journal linked to the hub of its team: it uploads what is shared, records what
// others know this log's projects by, and asks what they have left unfinished and decided.
package link

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/rebuild"
	"journal/embedded/store/ownership"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/upload"
	"journal/events"
	"journal/replay/knowledge"
	"journal/replay/recovery"
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

// Team implements owner.Team while the journal belongs to a team.
type Team struct {
	owner.TeamConfig
	// invitation is one, or the path of one, for a machine that nobody has join and that will be gone: everything it records
	// goes to the hub. It is empty for others.
	invitation string

	link atomic.Pointer[upload.Link] // nil without a membership
	// identified counts how often was looked what others know a project by.
	identified atomic.Int64
}

// Of returns a function that makes the Team of an owner, and nil for a journal that belongs to no team and is not invited.
func Of(invitation string) func(owner.TeamConfig) owner.Team {
	return func(c owner.TeamConfig) owner.Team {
		if invitation == "" && !team.Joined(c.Dir) {
			return nil
		}
		return &Team{TeamConfig: c, invitation: invitation}
	}
}

// Run implements owner.Team.
func (t *Team) Run(ctx context.Context) {
	t.enlist()
	linked, unlink := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() { t.run(linked) })
	<-ctx.Done()
	t.flush()
	unlink()
	work.Wait()
}

// run keeps the link of each membership until ctx ends. It does not begin at once: an owner starts because somebody waits for it.
func (t *Team) run(ctx context.Context) {
	for range embedded.Ticks(ctx, teamLook) {
		m, err := team.Load(t.Dir)
		switch {
		case err == nil:
			t.serve(ctx, m)
		case !errors.Is(err, team.ErrNoMember):
			t.OnError(err)
		}
	}
}

// serve keeps the link until ctx or the membership ends.
func (t *Team) serve(ctx context.Context, m team.Membership) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := upload.New(upload.Config{
		Dir: t.Dir, Member: m, Log: t.Log.Stream(), Source: t.Log, Head: t.Copy.Head,
		Grown: t.Copy.Grown(), Repairs: t.Log.Repairs, Summarizer: colleagues.NewSummarizer(t.Dir, t.Log), Logger: t.Logger,
		Return: func(missing upload.Missing) {
			t.Leave(func(ctx context.Context, lock *ownership.Lock) error { return t.restore(ctx, lock, missing) })
		},
	})
	t.link.Store(l)
	defer t.link.Store(nil)
	var work sync.WaitGroup
	work.Go(func() { l.Run(ctx) })
	defer work.Wait()
	work.Go(func() { t.askOthers(ctx, l, m) })
	looks := &projects{t, map[string]chosen{}}
	for range embedded.Ticks(ctx, teamLook) {
		if err := looks.record(ctx); err != nil && ctx.Err() == nil {
			t.OnError(err)
		}
		if now, err := team.Load(t.Dir); !t.Intact() || err == nil && !now.Same(m) || errors.Is(err, team.ErrNoMember) {
			cancel()
			return
		}
	}
}

// restore rewrites the log with the events that the hub has and the log lacks. Hooks spool meanwhile.
func (t *Team) restore(ctx context.Context, lock *ownership.Lock, m upload.Missing) error {
	r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{
		Reason: "the team's hub had more of it", Logger: t.Logger,
		Remote: &rebuild.Remote{Records: m.There.Stored(ctx, events.Span{}), Merge: m.Merge, Forgets: m.Forgets},
	})
	if err != nil {
		return err
	}
	t.Logger.Warn("the log was restored from the team's hub", "epoch", r.Epoch, "events", r.Events)
	return m.Copy.AdoptedBy(r.Epoch, lock.Dir())
}

// enlist makes a machine a member's by the invitation in its environment: one that nobody prepares,
// and that will be gone.
func (t *Team) enlist() {
	if t.invitation == "" {
		return
	}
	if _, err := team.Load(t.Dir); !errors.Is(err, team.ErrNoMember) {
		return // it was before, or somebody has to look at it
	}
	m, err := team.ParseMember(t.invitation)
	if err == nil {
		err = team.ChangeShare(t.Dir, func(team.Share) (team.Share, error) { return team.Share{All: true}, nil })
	}
	if err == nil {
		_, err = team.Join(t.Dir, m)
	}
	if err != nil {
		t.OnError(err)
	}
}

// Busy implements owner.Team.
func (t *Team) Busy() bool {
	l := t.link.Load()
	return l != nil && l.Busy()
}

// Offers implements owner.Team.
func (t *Team) Offers(project string) []recovery.Offer { return t.heard(project).Unfinished }

// Decisions implements owner.Team.
func (t *Team) Decisions(project string) []knowledge.MemberDecision {
	return colleagues.Colleagues(t.heard(project).Decisions)
}

// heard returns what a file holds of a project.
func (t *Team) heard(project string) team.Heard {
	heard, err := team.LoadHeard(t.Dir, project)
	if err != nil {
		t.Logger.Warn("team", "error", err.Error())
	}
	return heard
}

// flush waits until the hub has everything, on a machine that will be gone.
func (t *Team) flush() {
	if t.invitation == "" {
		return
	}
	for until := time.Now().Add(flushWait); time.Now().Before(until); time.Sleep(flushLook) {
		if l := t.link.Load(); l != nil && l.AtHub() >= t.Copy.Head() {
			return
		}
	}
	t.OnError(errors.New("the team's hub did not get everything in time"))
}
