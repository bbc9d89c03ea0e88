package hubcopy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/journal"
	"journal/journal/team"
)

// Config is what a link needs. All of it is required.
type Config struct {
	Dir    string // journal directory, whose owner this process is
	Member team.Membership
	Log    string // the log's stream
	Source Source
	Head   func() uint64 // newest sequence of the log
	// Grown says that the log may have grown. Whoever sends does not wait for anybody to listen.
	Grown <-chan struct{}
	// Repairs counts the repairs that the log tells of.
	Repairs func(context.Context) (uint64, error)
	Logger  *slog.Logger
}

const (
	// look is the least that lies between two looks at the log and the link, so that what comes
	// at once is copied together; so much lies between them while something is on its way.
	look = 100 * time.Millisecond
	// lookIdle lies between them while nothing is: a laptop at rest is not to be woken. What is
	// shared is seen within it.
	lookIdle = time.Second
	// soon is how long after the link broke it is likely to stand again at any moment.
	soon = 10 * time.Second
	// askBehind and askIdle lie between two questions to the hub, by whether its copy is behind.
	askBehind = time.Second
	askIdle   = 10 * time.Second
	// stall is how long the hub's copy may stand still while the link stands and it is behind,
	// before the consumer is set to where the copy is.
	stall = 5 * time.Second
	// unlinked is how long the server may try to reach the hub before it is started anew: leaf
	// nodes are known to stop trying.
	unlinked = 2 * time.Minute

	pauseFirst = time.Second
	pauseMost  = time.Minute
)

// errAnew ends a session for the next: something that it was made with has changed.
var errAnew = errors.New("the link begins anew")

// Link is a laptop's link to its hub.
type Link struct {
	Config
	copy   team.Copy
	status team.Status
	told   team.Status // as it was written last
	last   *lastLine
	hubSeq atomic.Uint64
	busy   atomic.Bool
	up     atomic.Bool
}

// New makes a link that does nothing before Run.
func New(c Config) *Link { return &Link{Config: c, last: &lastLine{}} }

// AtHub is the newest sequence that the hub's copy is known to hold.
func (l *Link) AtHub() uint64 { return l.hubSeq.Load() }

// Busy says whether the hub is reached, and does not have everything yet or has too much.
func (l *Link) Busy() bool { return l.busy.Load() }

// Connected says whether the hub answered last time.
func (l *Link) Connected() bool { return l.up.Load() }

// Run keeps the link until ctx ends. It returns when nothing of it is left running.
func (l *Link) Run(ctx context.Context) {
	l.status = team.Status{Team: l.Member.Team, Member: l.Member.Name, Device: l.Member.Device}
	if was, err := team.LoadStatus(l.Dir); err == nil {
		l.status.Contact, l.status.Since, l.status.Hub, l.status.SetBack = was.Contact, was.Since, was.Hub, was.SetBack
	}
	pause := pauseFirst
	for ctx.Err() == nil {
		began := time.Now()
		err := l.session(ctx)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, errAnew):
			continue
		case errors.Is(err, errHoles):
			l.copy = l.copy.Again()
			err = errors.Join(err, l.copy.Save(l.Dir), team.RemoveStore(l.Dir))
		case errors.Is(err, errBroken):
			err = errors.Join(err, team.RemoveStore(l.Dir))
		}
		if ctx.Err() != nil {
			break
		}
		l.status.Connected = false
		l.trouble(err, false)
		if time.Since(began) > pauseMost {
			pause = pauseFirst
		}
		wait(ctx, pause)
		pause = min(2*pause, pauseMost)
	}
	l.status.Connected = false
	l.tell()
}

// wait waits, but not beyond ctx.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// trouble says what went wrong: once for people, in the log file, and in the status.
func (l *Link) trouble(err error, refused bool) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != l.status.Problem {
		l.Logger.Warn("team", "error", text)
	}
	l.status.Problem, l.status.Refused = text, refused
	l.tell()
}

// choose decides which copy the hub is to have.
func (l *Link) choose(ctx context.Context) error {
	was, err := team.LoadCopy(l.Dir)
	if err != nil {
		return err
	}
	share, err := team.LoadShare(l.Dir)
	if err != nil {
		return err
	}
	repairs, err := l.Repairs(ctx)
	if err != nil {
		return err
	}
	l.copy = was.Next(journal.Epoch(l.Log), repairs, share)
	if l.copy.Number == was.Number {
		return nil
	}
	l.status.Hub = 0
	// What the old copy holds may have to be gone; the new one is made from the log.
	return errors.Join(team.RemoveStore(l.Dir), l.copy.Save(l.Dir))
}

// session runs one server, for one copy. Its error is never nil.
func (l *Link) session(ctx context.Context) error {
	if err := l.choose(ctx); err != nil {
		return err
	}
	w := wireOf(l.Member, l.copy.Number)
	s, err := startServer(l.Dir, l.Member, w, slog.New(l.last.over(l.Logger)))
	if err != nil {
		return err
	}
	defer s.close()
	h, err := newHub(s, l.Member)
	if err != nil {
		return err
	}
	v := &session{Link: l, server: s, hub: h, wire: w, lost: time.Now()}
	if !l.copy.Share.None() {
		if v.copier, err = openCopy(ctx, s, w, l.Source, l.copy.Share); err != nil {
			return err
		}
		js, err := jetstream.New(s.home)
		if err != nil {
			return err
		}
		v.feed = feed{js, w}
		if err := v.feed.exist(ctx); err != nil {
			return err
		}
	}
	return v.run(ctx)
}

// session is a link while its server runs.
type session struct {
	*Link
	server *linkServer
	hub    *hub
	wire   wire
	copier *copier // nil: nothing is shared
	feed   feed

	// known says that what the hub has is of this log, as far as was asked since the link stands. The
	// copy is not derived beyond bound: what the hub has not got yet it takes as soon as it is there.
	known bool
	bound uint64

	linked bool      // the link stood at the last look
	lost   time.Time // since when it has not
	set    bool      // the consumer was set to where the hub is, since the link stands
	moved  time.Time // when the hub's copy last grew
	halts  int       // how often the consumer was set since then because it does not
	asked  time.Time // when the hub was asked last
}

// run looks after the link until something changed or failed.
func (v *session) run(ctx context.Context) error {
	var shared time.Time
	for {
		began := time.Now()
		if began.Sub(shared) >= lookIdle/2 {
			shared = began
			if share, err := team.LoadShare(v.Dir); err == nil && !share.Equal(v.copy.Share) {
				return errAnew
			}
		}
		v.status.Head = v.Head()
		if v.copier != nil {
			if err := v.copier.follow(ctx, min(v.bound, v.status.Head)); err != nil {
				return err
			}
			v.status.Local = v.copier.last
		}
		if err := v.reach(ctx); err != nil {
			return err
		}
		v.rest(ctx, began)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// rest waits for the next look.
func (v *session) rest(ctx context.Context, last time.Time) {
	if v.pressing() {
		wait(ctx, look)
		return
	}
	t := time.NewTimer(lookIdle)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-v.Grown:
		wait(ctx, look-time.Since(last))
	}
}

// pressing says whether something is likely to change at any moment.
func (v *session) pressing() bool {
	if !v.linked {
		return time.Since(v.lost) < soon
	}
	return v.copier != nil && !v.status.SetBack && (!v.set || v.status.Hub < v.status.Local)
}

// reach does at the hub what is to be done there, when it is time for that.
func (v *session) reach(ctx context.Context) error {
	now := time.Now()
	if !v.server.linked() {
		if v.linked || v.lost.IsZero() {
			v.lost = now
		}
		v.linked, v.set, v.known, v.status.Connected = false, false, false, false
		if now.Sub(v.lost) > unlinked {
			return fmt.Errorf("the hub was not reached for %v: %s", unlinked, v.last.text())
		}
		if now.Sub(v.lost) > 2*time.Second { // one attempt has failed by then
			v.behind(now)
			v.trouble(errors.New("the hub is not reached: "+cmp.Or(v.last.text(), "it does not answer")), v.last.refusal())
		}
		return nil
	}
	if !v.linked {
		v.linked, v.moved, v.asked = true, now, time.Time{}
	}
	every := askIdle
	if !v.status.SetBack && (!v.set && v.copier != nil || v.status.Hub < v.status.Local || v.status.Problem != "") {
		every = askBehind
	}
	if v.status.Hub < v.status.Local && now.Sub(v.moved) < askBehind {
		every = askBehind / 4 // it is on its way
	}
	if now.Sub(v.asked) < every {
		return nil
	}
	err := v.settle(ctx)
	v.asked = time.Now()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, errHoles) || errors.Is(err, errBroken) {
		return err
	}
	back := errors.Is(err, errSetBack)
	if back {
		v.bound = 0
	}
	if back || v.known || v.copier == nil {
		v.status.SetBack = back
	}
	if err == nil || back {
		v.status.Connected, v.status.Contact = true, v.asked
	}
	v.behind(v.asked)
	v.trouble(err, err != nil && !back && !absent(err))
	return nil
}

// absent says whether an error is that nobody was there to answer, as while a hub begins.
func absent(err error) bool {
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) {
		return slices.Contains([]server.ErrorIdentifier{server.JSClusterNotAvailErr, server.JSClusterNotLeaderErr}, server.ErrorIdentifier(api.ErrorCode))
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders)
}

// settle compares the hub with what it has to be, and makes it so, a step at a time.
func (v *session) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, hubWait)
	defer cancel()
	if err := v.look(ctx); err != nil {
		return err
	}
	if ok, err := v.past(ctx); err != nil || !ok {
		return err
	}
	if err := v.erase(ctx, v.copy.Erase()); err != nil || v.copier == nil {
		return err
	}
	done, err := v.upload(ctx)
	if err != nil || !done {
		return err
	}
	return v.erase(ctx, v.copy.Replaced())
}

// erase removes copies at the hub, and looks which there are then.
func (v *session) erase(ctx context.Context, numbers []int) error {
	for _, n := range numbers {
		if err := v.hub.erase(ctx, n); err != nil {
			return err
		}
		v.Logger.Info("team: a copy is gone from the hub", "copy", n)
	}
	if len(numbers) == 0 {
		return nil
	}
	return v.look(ctx)
}

// look remembers which copies the hub has.
func (v *session) look(ctx context.Context) error {
	at, err := v.hub.copies(ctx)
	if err != nil {
		return fmt.Errorf("ask the hub: %w", err)
	}
	if fmt.Sprint(at) != fmt.Sprint(v.copy.AtHub) {
		v.copy.AtHub = at
		return v.copy.Save(v.Dir)
	}
	return nil
}

// upload sees to it that the hub mirrors the copy. done says that it has all of it.
func (v *session) upload(ctx context.Context) (done bool, err error) {
	s, err := v.hub.copyAt(ctx, v.copy.Number)
	if err != nil {
		return false, fmt.Errorf("ask the hub: %w", err)
	}
	if s == nil {
		if err := v.feed.fromStart(ctx); err != nil {
			return false, err
		}
		v.set, v.status.Hub, v.moved = true, 0, time.Now()
		v.hubSeq.Store(0)
		return false, v.hub.mirror(ctx, v.copy.Number, v.wire)
	}
	st := s.CachedInfo().State
	if !whole(st) {
		return false, fmt.Errorf("%w: it has #%d to #%d, and %d of them", errHoles, st.FirstSeq, st.LastSeq, st.Msgs)
	}
	if st.LastSeq > v.status.Local {
		v.known = false // somebody else wrote there
		return false, nil
	}
	v.has(st.LastSeq)
	if st.LastSeq == v.status.Local && v.set {
		return true, nil
	}
	if !v.set || time.Since(v.moved) > stall {
		if err := v.feed.after(ctx, st.LastSeq); err != nil {
			return false, err
		}
		if err := v.answer(st.LastSeq); err != nil {
			return false, err
		}
		if v.set {
			v.halts++
		}
		v.set, v.moved = true, time.Now()
	}
	if st.LastSeq < v.status.Local && v.halts > 1 {
		return false, fmt.Errorf("the hub's copy stands still at #%d of #%d: the member's room there may be used up", st.LastSeq, v.status.Local)
	}
	return st.LastSeq == v.status.Local, nil
}

// has remembers how far the hub's copy is.
func (v *session) has(last uint64) {
	if last != v.status.Hub {
		v.status.Hub, v.moved, v.halts = last, time.Now(), 0
	}
	v.hubSeq.Store(last)
}

// answer asks for the hub what it asked while the network was gone, so that it hears of it. It would wait
// for that until it takes the question for lost, which is 5 s, and listens to nothing meanwhile.
func (v *session) answer(last uint64) error {
	for _, subject := range v.server.unanswered(v.wire) {
		if err := v.server.out.PublishRequest(v.wire.reset(), subject, fmt.Appendf(nil, `{"seq":%d}`, last+1)); err != nil {
			return fmt.Errorf("answer the hub: %w", err)
		}
	}
	return nil
}

// behind brings what follows from the rest of the status up to date.
func (l *Link) behind(now time.Time) {
	st := &l.status
	st.Copy, st.Pending = l.copy.Number, len(l.copy.Erase())
	if l.copy.Share.None() {
		st.Copy, st.Hub, st.Local = 0, 0, 0
	}
	st.Behind = 0
	if st.Copy > 0 && st.Head > st.Hub {
		st.Behind = st.Head - st.Hub
	}
	if st.Behind == 0 {
		st.Since = time.Time{}
	} else if st.Since.IsZero() {
		st.Since = now
	}
	l.busy.Store(st.Connected && !st.SetBack && st.Behind+uint64(st.Pending) > 0)
}

// tell writes the status for others, when it says something else than before.
func (l *Link) tell() {
	l.up.Store(l.status.Connected)
	now := time.Now()
	same := l.status
	same.At, same.Contact = l.told.At, l.told.Contact
	if same == l.told && now.Sub(l.told.At) < askIdle {
		return
	}
	l.status.At = now
	l.told = l.status
	if err := l.status.Save(l.Dir); err != nil {
		l.Logger.Warn("team", "error", err.Error())
	}
}
