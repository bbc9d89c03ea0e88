package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/store/ownership"
	"journal/journal/wire"
	"journal/journal/wire/sock"
)

// stopWait bounds each wait for an owner to leave.
const stopWait = 10 * time.Second

// ErrStays is returned if an owner does not leave although it was asked to.
var ErrStays = errors.New("the owner does not leave")

// TakeOver takes the lock of the directory. It makes a running owner leave. The error is that of ownership.TryLock or Stop. It is
// ownership.ErrLocked if another process gets the lock and keeps it for stopWait.
func TakeOver(ctx context.Context, dir string) (*ownership.Lock, error) {
	lock, err := ownership.TryLock(dir)
	if !errors.Is(err, ownership.ErrLocked) {
		return lock, err
	}
	err = Stop(ctx, dir)
	if leftBefore := errors.Is(err, sock.ErrNoOwner) && !ownership.Held(dir); err != nil && !leftBefore {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	return ownership.LockWithin(wait, dir)
}

// Succeed takes the lock of the directory from an owner of an older build. It asks that owner to retire: the owner finishes its work, and
// reports wait in the spool meanwhile. The lock is nil if there is no such owner.
func Succeed(ctx context.Context, dir string) (*ownership.Lock, error) {
	if !ownership.Outdated(dir) {
		return nil, nil
	}
	nc, err := connectWhileHeld(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	if err := retire(ctx, nc, dir); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	return ownership.LockWithin(wait, dir)
}

// retire asks an owner to retire. An owner that is too old to know builds is asked to stop. If the owner refuses to retire, that is not an
// error.
func retire(ctx context.Context, nc *nats.Conn, dir string) error {
	m, err := nc.RequestWithContext(ctx, wire.Retire, fmt.Appendf(nil, "%d %d", wire.Version, ownership.Build()))
	if err != nil {
		return err
	}
	var reply wire.Reply
	if err := wire.Decode(m.Data, &reply); err != nil || reply.Error == "" {
		return err
	}
	if h, err := ownership.ReadHolder(dir); err != nil || h.Build != 0 {
		return nil
	}
	return ask(ctx, nc, wire.Stop, nil, &reply)
}

// Stop makes the owner of the directory leave, and returns when it has left. The error is sock.ErrNoOwner if no owner listens, and ErrStays if
// the owner that was asked still holds the lock after stopWait.
func Stop(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	for requested := false; ; requested = true {
		if err := askToStop(ctx, dir); err != nil {
			if requested && !ownership.Held(dir) {
				return nil // the owner has left meanwhile
			}
			return err
		}
		// An owner that leaves and finds reports in the spool starts again, so it is asked once a second.
		next := time.Now().Add(time.Second)
		for time.Now().Before(next) {
			if !ownership.Held(dir) {
				return nil
			}
			if !pause(ctx) {
				return ErrStays
			}
		}
	}
}

// askToStop asks the owner to leave. It returns nil if the owner has received the request, or ends the connection because it is leaving.
func askToStop(ctx context.Context, dir string) error {
	nc, err := connectWhileHeld(ctx, dir)
	if err != nil {
		return err
	}
	defer nc.Close()
	var reply wire.Reply
	err = ask(ctx, nc, wire.Stop, nil, &reply)
	if errors.Is(err, nats.ErrConnectionClosed) {
		return nil
	}
	return err
}
