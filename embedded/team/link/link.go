// Package link implements owner.Team: it uploads the shared part of a log, records the identities of its projects, and polls colleagues
// for decisions and unfinished work.
package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/owner/writer"
	"journal/embedded/rebuild"
	"journal/embedded/store/ownership"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/peers"
	"journal/embedded/team/upload"
	"journal/events"
	"journal/journal/git"
	"journal/replay/knowledge"
	"journal/replay/recovery"
)

const (
	// checkEvery is the interval of checks of the membership, the share and the projects.
	checkEvery = time.Second
	// flushWait bounds how long an owner on a machine that will be gone waits for the hub:
	// containers are given ten seconds between SIGTERM and SIGKILL, and closing the log
	// takes up to two of them on a busy machine.
	flushWait = 6 * time.Second
	flushPoll = 20 * time.Millisecond
)

// Team implements owner.Team while the journal belongs to a team.
type Team struct {
	owner.TeamConfig
	// invitation is the value of JOURNAL_TEAM: an invitation, or its path, for a machine that will be gone and shares everything. It is empty on
	// other machines.
	invitation string

	link atomic.Pointer[upload.Link] // nil without a membership
	// identified counts the identities that recordProjects has read; it changes when pollOnce has to read them again.
	identified atomic.Int64
	// takeovers holds the ids of the takeovers that are known to be in the log.
	takeovers map[string]bool
}

// Of returns an owner.Config.Team, which returns nil for a journal that belongs to no team. invitation is the value of JOURNAL_TEAM.
func Of(invitation string) func(owner.TeamConfig) owner.Team {
	return func(c owner.TeamConfig) owner.Team {
		if invitation == "" && !team.Joined(c.Dir) {
			return nil
		}
		return &Team{TeamConfig: c, invitation: invitation, takeovers: map[string]bool{}}
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

// run serves each membership until ctx ends. It waits for the first tick: an owner starts because somebody waits for it.
func (t *Team) run(ctx context.Context) {
	for range embedded.Ticks(ctx, checkEvery) {
		m, err := team.Load(t.Dir)
		switch {
		case err == nil:
			t.serve(ctx, m)
		case !errors.Is(err, team.ErrNoMember):
			t.OnError(err)
		}
	}
}

// serve runs the link until ctx ends, the membership ends or changes, or the lock no longer guards the directory.
func (t *Team) serve(ctx context.Context, m team.Membership) {
	var work sync.WaitGroup
	defer work.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := upload.New(upload.Config{
		Dir: t.Dir, Member: m, Log: t.Log.Stream(), Source: t.Log, Head: t.Copy.Head,
		Grown: t.Copy.Grown(), Ticks: time.Tick(checkEvery), Repairs: t.Log.Repairs, Summarizer: colleagues.NewSummarizer(t.Dir, t.Log), Logger: t.Logger,
		Restore: func(missing upload.Missing) {
			t.Leave(func(ctx context.Context, lock *ownership.Lock) error { return t.restore(ctx, lock, missing) })
		},
	})
	t.link.Store(l)
	defer t.link.Store(nil)
	work.Go(func() { l.Run(ctx) })
	work.Go(func() { t.pollColleagues(ctx, l, m) })
	recorded := map[string]projectShare{}
	for range embedded.Ticks(ctx, checkEvery) {
		if err := t.recordProjects(ctx, recorded); err != nil && ctx.Err() == nil {
			t.OnError(err)
		}
		now, err := team.Load(t.Dir) // after another error than ErrNoMember the link goes on
		changed := err == nil && !reflect.DeepEqual(now, m)
		if changed || errors.Is(err, team.ErrNoMember) || !t.Intact() {
			return
		}
	}
}

// restore rewrites the log with the events that the hub has and the log lacks. Hooks spool meanwhile.
func (t *Team) restore(ctx context.Context, lock *ownership.Lock, m upload.Missing) error {
	r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{
		Reason: "the team's hub had more of it", Logger: t.Logger,
		Remote: &rebuild.Remote{Records: m.HubLog.Stored(ctx, events.Span{}), Merge: m.Merge, Forgets: m.Forgets},
	})
	if err != nil {
		return err
	}
	t.Logger.Warn("the log was restored from the team's hub", "epoch", r.Epoch, "events", r.Events)
	m.Copy.Adopt = r.Epoch
	return m.Copy.Save(lock.Dir())
}

// enlist joins the team of the invitation in the environment, and shares everything.
func (t *Team) enlist() {
	if t.invitation == "" {
		return
	}
	if _, err := team.Load(t.Dir); !errors.Is(err, team.ErrNoMember) {
		return // it has joined before, or its files need a person
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
func (t *Team) Offers(project string) []recovery.Offer {
	return Heard(t.Dir, project, t.Logger).Unfinished
}

// Decisions implements owner.Team.
func (t *Team) Decisions(project string) []knowledge.MemberDecision {
	return colleagues.MemberDecisions(Heard(t.Dir, project, t.Logger).Decisions)
}

// Heard returns what team.LoadHeard returns, and logs the error as a warning.
func Heard(journal, project string, log *slog.Logger) team.Heard {
	heard, err := team.LoadHeard(journal, project)
	if err != nil {
		log.Warn("team", "error", err.Error())
	}
	return heard
}

// flush waits until the hub has everything, if this machine will be gone.
func (t *Team) flush() {
	if t.invitation == "" {
		return
	}
	for until := time.Now().Add(flushWait); time.Now().Before(until); time.Sleep(flushPoll) {
		if l := t.link.Load(); l != nil && l.AtHub() >= t.Copy.Head() {
			return
		}
	}
	t.OnError(errors.New("the team's hub did not get everything in time"))
}

const (
	// pollWait bounds one poll.
	pollWait = 30 * time.Second
	// atWork is the time after the newest event for which a laptop still polls.
	atWork = 5 * time.Minute
	// seeEvery is the interval at which the hub is compared with what was seen of it, while the two differ.
	seeEvery = 10 * time.Second
)

// pollState is the state of the polls of colleagues. An idle laptop polls nobody.
type pollState struct {
	poller *colleagues.Poller
	wanted string     // the share and Team.identified when Poller.Want was called
	fresh  bool       // nobody was polled since Poller.Want
	nc     *nats.Conn // of the last poll; nil: everything is asked for again
	head   uint64     // end of the log at grown
	grown  time.Time  // when the log was last seen to grow, or the hub was reached
	seen   time.Time  // when the hub was last compared with what was seen of it
	seenBy *nats.Conn // connection of that comparison
}

// pollColleagues polls colleagues for the summaries of projects whose context is shared, and keeps them for sessions that start, which
// never wait for the hub (J.9). It polls over a new connection, and while sessions are at work.
func (t *Team) pollColleagues(ctx context.Context, l *upload.Link, m team.Membership) {
	state := &pollState{poller: colleagues.NewPoller(m)}
	warned := ""
	for range embedded.Ticks(ctx, checkEvery) {
		nc := l.Conn()
		err := errors.Join(t.pollOnce(ctx, state, nc), t.seeAgain(ctx, state, nc, m.Member))
		if err != nil && err.Error() != warned && ctx.Err() == nil {
			t.Logger.Warn("team", "error", err.Error())
			warned = err.Error()
		}
	}
}

// pollOnce polls if that is due. nc is nil while there is no connection.
func (t *Team) pollOnce(ctx context.Context, state *pollState, nc *nats.Conn) error {
	share, err := team.LoadShare(t.Dir)
	if err != nil {
		return err
	}
	if wanted := fmt.Sprint(share, t.identified.Load()); wanted != state.wanted {
		own, err := colleagues.Projects(ctx, t.Log)
		own = slices.DeleteFunc(own, func(p colleagues.Project) bool { return !share.SharesContext(p.Key) })
		if err == nil && len(own) == 0 {
			err = t.save(ctx, colleagues.Found{})
		}
		if err != nil {
			return err
		}
		state.poller.Want(own)
		state.wanted, state.fresh, state.nc = wanted, true, nil
	}
	if nc == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pollWait)
	defer cancel()
	linked := nc != state.nc
	if !state.due(linked, t.Copy.Head(), time.Now()) {
		return nil
	}
	state.nc = nc
	found, asked, trouble := state.poller.Poll(ctx, nc, linked)
	if !asked {
		return trouble
	}
	fresh := state.fresh
	state.fresh = false
	if trouble != nil && (fresh || reflect.DeepEqual(found, colleagues.Found{})) {
		return trouble // the file may have more, and still be right
	}
	return errors.Join(t.save(ctx, found), trouble)
}

// seeAgain compares the hub with what was seen of it, over each new connection, and while the two differ.
func (t *Team) seeAgain(ctx context.Context, state *pollState, nc *nats.Conn, m team.Member) error {
	linked, now := nc != state.seenBy, time.Now()
	if nc == nil || !linked && now.Sub(state.seen) < seeEvery {
		return nil
	}
	state.seen, state.seenBy = now, nc
	seen, err := team.LoadSeen(t.Dir)
	if err != nil || !linked && seen.RollbackNotice() == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pollWait)
	defer cancel()
	return peers.SeeAgain(ctx, nc, m)
}

// due reports whether sessions are at work, also between their events, or the connection is new.
func (s *pollState) due(linked bool, head uint64, now time.Time) bool {
	if linked || head != s.head {
		s.head, s.grown = head, now
	}
	return now.Sub(s.grown) < atWork
}

// save stores what a poll found for sessions that start, and records takeovers. It also stores what an earlier poll found, because people
// change the files.
func (t *Team) save(ctx context.Context, f colleagues.Found) error {
	for _, h := range f.Handovers {
		if err := t.recordTakeover(ctx, h); err != nil {
			return err
		}
	}
	return f.Save(t.Dir)
}

// recordTakeover records once that another device continues work of this log.
func (t *Team) recordTakeover(ctx context.Context, h colleagues.Handover) error {
	id := events.DerivedID("handover", h.Project, h.ID)
	if t.takeovers[id] {
		return nil
	}
	known, err := t.Log.Find(ctx, 0, events.Selector{Project: h.Project, Session: events.None, Type: events.TypeOf[events.HandoverNoticed]()}, id)
	if err == nil && len(known) == 0 {
		err = t.append(ctx, h.HandoverNoticed, id, h.Project)
	}
	t.takeovers[id] = err == nil
	return err
}

// append appends an event of a project.
func (t *Team) append(ctx context.Context, ev events.Event, id, project string) error {
	d, err := writer.DraftOf(ev, events.Meta{ID: id, At: time.Now().UnixNano(), Project: project})
	if err != nil {
		return err
	}
	return t.Writer.Append(ctx, d)
}

// projectShare holds a person's choices for a project.
type projectShare struct {
	choices team.ProjectChoices
	context bool // the context is shared
}

// recordProjects records the identities of the shared projects, by which one repository on two machines is one project (J.9). It reads
// each identity once, and again after a person chose something else. recorded holds the choices with which it was read, by project key.
func (t *Team) recordProjects(ctx context.Context, recorded map[string]projectShare) (trouble error) {
	share, noShare := team.LoadShare(t.Dir)
	projects, noProjects := team.LoadProjects(t.Dir)
	if err := cmp.Or(noShare, noProjects); err != nil {
		return err
	}
	shared := share.Keys()
	if share.All {
		shared = slices.Concat(shared, t.Writer.Projects())
	}
	for _, p := range shared {
		now := projectShare{projects[p], share.SharesContext(p)}
		if before, known := recorded[p]; known && before == now {
			continue
		}
		known, err := t.recordProject(ctx, p, now)
		if known && err == nil {
			recorded[p] = now
			t.identified.Add(1)
		}
		trouble = errors.Join(trouble, err) // an error keeps no other project from being recorded
	}
	return trouble
}

// recordProject reads the identity of a project from its repository, and records it if it is new. known is false while the directory of
// the project is unknown.
func (t *Team) recordProject(ctx context.Context, key string, chosen projectShare) (known bool, err error) {
	var seen events.ProjectSeen
	sel := events.Selector{Project: key, Session: events.None, Type: events.TypeOf[events.ProjectSeen]()}
	for e, err := range t.Log.Events(ctx, events.Span{Until: t.Copy.Head()}, sel) {
		if err != nil {
			return false, err
		}
		if latest, ok := events.As[events.ProjectSeen](e); ok {
			seen = latest
		}
	}
	now := seen
	if now.Root = cmp.Or(seen.Root, chosen.choices.Root); now.Root == "" {
		return false, nil
	}
	identity, err := git.Identify(ctx, now.Root)
	if err != nil {
		return false, err
	}
	if identity.Commits != nil || identity.Remote != "" { // else the directory is gone or no repository: the recorded identity stays
		now.Commits, now.Remote = identity.Commits, identity.Remote
	}
	now.Name, now.Also, now.Handover, now.Decisions = chosen.choices.Name, nil, chosen.context, chosen.context
	if reflect.DeepEqual(now, seen) {
		return true, nil
	}
	return true, t.append(ctx, now, events.NewID(), key)
}
