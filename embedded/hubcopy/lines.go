package hubcopy

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// lastLine remembers the last line of trouble that the link's server wrote. A server that cannot
// reach the hub writes one each second; people get them with the debug lines.
type lastLine struct {
	mu   sync.Mutex
	line string
}

func (l *lastLine) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.line
}

// refusal says whether that line tells of a hub that answered: it did not take the key, or is not the one
// that its certificate has to be of.
func (l *lastLine) refusal() bool {
	line := strings.ToLower(l.text())
	return slices.ContainsFunc([]string{
		"authorization violation", "authentication", "revoked", "malformed seed", "x509: ", "wrong port",
	}, func(s string) bool { return strings.Contains(line, s) })
}

// over gives a handler that remembers what goes to a logger.
func (l *lastLine) over(out *slog.Logger) slog.Handler { return &lines{l, out.Handler()} }

type lines struct {
	last *lastLine
	out  slog.Handler
}

func (*lines) Enabled(context.Context, slog.Level) bool { return true }

func (h *lines) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		h.last.mu.Lock()
		h.last.line = r.Message
		h.last.mu.Unlock()
		r.Level = slog.LevelDebug
	}
	if !h.out.Enabled(ctx, r.Level) {
		return nil
	}
	return h.out.Handle(ctx, r)
}

func (h *lines) WithAttrs(a []slog.Attr) slog.Handler { return &lines{h.last, h.out.WithAttrs(a)} }
func (h *lines) WithGroup(n string) slog.Handler      { return &lines{h.last, h.out.WithGroup(n)} }
