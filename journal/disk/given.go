package disk

import (
	"context"
	"io"
	"io/fs"
	"os"
	"strings"
)

// OpenGiven opens what a person named in a command, to be read: a regular file, or a pipe that the command has open
// already, as the shell's <(…) gives it. A pipe by a name of its own is refused like any that the journal finds: nobody
// may ever write into it. The error is ErrNotRegular for anything else.
func OpenGiven(path string) (*os.File, error) {
	var also fs.FileMode
	if path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/") {
		also = fs.ModeNamedPipe
	}
	f, _, err := openKind(path, os.O_RDONLY, 0, also)
	return f, err
}

// Until reads from r until ctx ends, also while r waits; the error is that of ctx then, and whatever r still gives is
// lost. One goroutine at a time may read.
func Until(ctx context.Context, r io.Reader) io.Reader { return &until{ctx: ctx, from: r} }

type until struct {
	ctx  context.Context
	from io.Reader
	b    []byte // what the last read was into; it is not the caller's, who may be gone
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	if len(u.b) < len(p) {
		u.b = make([]byte, len(p))
	}
	type result struct {
		n   int
		err error
	}
	b, done := u.b[:len(p)], make(chan result, 1)
	go func() {
		n, err := u.from.Read(b)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(p, b[:got.n]), got.err
	case <-u.ctx.Done():
		return 0, u.ctx.Err()
	}
}
