package owner

import (
	"context"
	"log/slog"
	"time"

	"journal/embedded"
	"journal/embedded/owner/answers"
	"journal/embedded/owner/writer"
	"journal/embedded/store/ownership"
	"journal/journal"
)

// Team links the log to the hub of a team. It runs beside the owner, which waits for the hub only when it leaves (see Run).
type Team interface {
	answers.Team
	// Run works until ctx ends. On a machine that will be gone, such as a container, it then waits for the hub, for at most six seconds.
	Run(ctx context.Context)
	// Busy reports whether the hub can be reached and differs from the log: it lacks events of the log, or has events that the log lacks.
	Busy() bool
}

// TeamConfig configures a Team. All fields are required.
type TeamConfig struct {
	Dir    string      // of the journal
	Intact func() bool // reports whether the lock still guards the directory
	Log    *journal.Log
	Copy   *writer.Archiver // notifies of new events
	Writer *writer.Writer
	// Leave makes the owner leave, and returns at once. After the owner has left, restore rewrites the log.
	Leave   func(restore Restore)
	Logger  *slog.Logger
	OnError func(error)
}

// Restore rewrites a log with the events that a team's hub has and the log lacks, while the caller holds its lock.
type Restore func(ctx context.Context, lock *ownership.Lock) error

// joinEvery is the interval at which an owner without a team checks whether this machine has joined one.
const joinEvery = time.Second

// joined returns the team, nil on a machine that has not joined one.
func (o *Owner) joined() Team {
	if t := o.team.Load(); t != nil {
		return *t
	}
	return nil
}

// join creates the Team if this machine belongs to a team.
func (o *Owner) join() {
	if o.config.Team == nil {
		return
	}
	t := o.config.Team(TeamConfig{
		Dir: o.lock.Dir(), Intact: o.lock.Intact, Log: o.log, Copy: o.copy, Writer: o.writer,
		Leave: func(restore Restore) {
			o.restore = restore
			o.Leave()
		},
		Logger: o.config.Logger, OnError: o.reportError,
	})
	if t != nil {
		o.team.Store(&t)
	}
}

// runTeam runs the team, as soon as there is one, until ctx ends.
func (o *Owner) runTeam(ctx context.Context) {
	if o.joined() == nil {
		for range embedded.Ticks(ctx, joinEvery) {
			o.join()
			if o.joined() != nil {
				break
			}
		}
	}
	if t := o.joined(); t != nil {
		t.Run(ctx)
	}
}

// Restore returns the function that has to rewrite the log before the next owner opens it, nil if the log stays as it is. Call it after Serve.
func (o *Owner) Restore() Restore { return o.restore }
