package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"journal/embedded/owner"
	"journal/embedded/ownership"
	"journal/journal"
	"journal/journal/sock"
	"journal/journal/wire"
)

var _ = verb(func(a *app) *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "serve",
		Short: "own the log in the foreground, for plain NATS tools too",
		Long: `Owns the log in the foreground until it is interrupted; an owner that runs, in the background
or in another terminal, leaves for it. With --listen it opens a loopback port with a random
credential and writes a NATS context named "journal", so that plain NATS tools can read:

  journal serve --listen 127.0.0.1:0 &
  nats --context journal stream ls

Tools may read everything and append through the request subject; see docs/FORMAT.md.

Exit codes: 0 stopped, 1 failure.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := ownership.Prepare(a.dir); err != nil {
				return err
			}
			lock, err := a.takeOver(c.Context())
			if err != nil {
				return err
			}
			config := a.ownerConfig()
			config.Listen, config.Idle = listen, 0
			return a.serve(c.Context(), lock, config, func(o *owner.Owner) error {
				fmt.Fprintf(a.out, "journal %s, log up to #%d\n", a.dir, o.Head())
				if listen == "" {
					return nil
				}
				context, err := o.WriteContext()
				if err != nil {
					return err
				}
				fmt.Fprintf(a.out, "listening on %s\ncontext %s\n", o.URL(), context)
				return nil
			})
		},
	}
	c.Flags().StringVar(&listen, "listen", "", "loopback address for NATS tools, 127.0.0.1:PORT (0 takes a free one)")
	return c
})

// takeOver gets the lock, asking a background owner to leave.
func (a *app) takeOver(ctx context.Context) (*ownership.Lock, error) {
	lock, err := ownership.TryLock(a.dir)
	if !errors.Is(err, ownership.ErrLocked) {
		return lock, err
	}
	if err := a.stop(ctx); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	return ownership.LockWithin(wait, a.dir)
}

var _ = verb(func(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "end the background owner of the log",
		Long: `Asks the owner of the log to stop and waits for it. Hooks that come meanwhile spool,
and the next one starts another owner.

Exit codes: 0 stopped, or none was running; 1 failure.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			err := a.stop(c.Context())
			if errors.Is(err, sock.ErrNoOwner) && !ownership.Held(a.dir) {
				fmt.Fprintln(a.out, "no owner is running")
				return nil
			}
			return err
		},
	}
})

// stopWait bounds the waiting for an owner to leave.
const stopWait = 10 * time.Second

func (a *app) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	for asked := false; ; asked = true {
		if err := a.askToStop(ctx); err != nil {
			if asked && !ownership.Held(a.dir) {
				return nil // it left meanwhile
			}
			return err
		}
		// An owner that meets a full spool as it leaves comes back for it.
		again := time.Now().Add(time.Second)
		for time.Now().Before(again) {
			if !ownership.Held(a.dir) {
				return nil
			}
			select {
			case <-ctx.Done():
				return withHint(errors.New("the owner does not leave"), "journal status")
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
}

// askToStop returns when the owner has the request, or leaves already.
func (a *app) askToStop(ctx context.Context) error {
	nc, err := a.connectWhileHeld(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	if _, err := nc.RequestWithContext(ctx, wire.Stop, nil); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		return withHint(fmt.Errorf("ask the owner to stop: %w", err), "journal status")
	}
	return nil
}

// connectWhileHeld connects to the owner; one that holds the lock and does not
// listen yet is given the time of ctx.
func (a *app) connectWhileHeld(ctx context.Context) (*nats.Conn, error) {
	for {
		nc, err := journal.Connect(ctx, a.dir)
		if err == nil || !errors.Is(err, sock.ErrNoOwner) || !ownership.Held(a.dir) {
			return nc, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(5 * time.Millisecond):
		}
	}
}
