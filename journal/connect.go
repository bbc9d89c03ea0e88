package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/journal/wire/sock"
)

// connectWait bounds the wait for the greeting of a running owner. It is long, because only
// a person's command or a follower connects, and a busy machine does not mean a hung owner:
// with 30 processes at work on two cores a greeting took more than 3 s.
const connectWait = 10 * time.Second

// Connect opens a connection to the owner of a directory. The error is
// sock.ErrNoOwner when there is none.
func Connect(ctx context.Context, dir string) (*nats.Conn, error) {
	return connect(ctx, sock.Dialer(dir))
}

// OwnerLeft reports whether an error means that the owner left during a request.
func OwnerLeft(err error) bool {
	return slices.ContainsFunc([]error{
		nats.ErrConnectionClosed, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
		jetstream.ErrConnectionClosed, jetstream.ErrServerShutdown, jetstream.ErrMsgIteratorClosed,
	}, func(cause error) bool { return errors.Is(err, cause) })
}

// connect opens a connection by a dialer.
func connect(ctx context.Context, dialSocket nats.CustomDialer) (*nats.Conn, error) {
	timeout := connectWait
	if d, ok := ctx.Deadline(); ok {
		timeout = min(timeout, time.Until(d))
	}
	if timeout <= 0 {
		return nil, fmt.Errorf("connect to the owner: %w", context.DeadlineExceeded)
	}
	d := &dialer{CustomDialer: dialSocket}
	nc, err := nats.Connect("nats://localhost",
		nats.SetCustomDialer(d),
		nats.Timeout(timeout),
		nats.NoReconnect(),
		// The address is never dialled, and looking it up would read the files of the
		// resolver: 0.1 ms, or as long as the resolver of some machine takes.
		nats.SkipHostLookup(),
		nats.Name("journal"),
	)
	if err != nil {
		switch {
		case d.err != nil:
			err = d.err // the client hides why a dial failed
		case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET): // an owner that is ending closes new connections
			err = fmt.Errorf("%w: %w", sock.ErrNoOwner, err)
		}
		return nil, fmt.Errorf("connect to the owner: %w", err)
	}
	return nc, nil
}

// dialer keeps the error of its last dial, which the NATS client reports as
// "no servers available".
type dialer struct {
	nats.CustomDialer
	err error
}

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	conn, err := d.CustomDialer.Dial(network, address)
	d.err = err
	return conn, err
}
