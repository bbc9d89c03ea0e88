package embedded

import (
	"fmt"
	"log/slog"
	"sync"
)

// Lines gives a server's log lines to slog. The server reports failures of
// its start only through Fatalf and then carries on half started, so the first
// one is kept for whoever started it to find.
type Lines struct {
	Out *slog.Logger

	mu    sync.Mutex
	fatal string
}

// Noticef takes a notice, which is for debugging here.
func (l *Lines) Noticef(format string, v ...any) { l.Out.Debug(line(format, v)) }

// Warnf takes a warning.
func (l *Lines) Warnf(format string, v ...any) { l.Out.Warn(line(format, v)) }

// Errorf takes an error.
func (l *Lines) Errorf(format string, v ...any) { l.Out.Error(line(format, v)) }

// Debugf takes a line for debugging.
func (l *Lines) Debugf(format string, v ...any) { l.Out.Debug(line(format, v)) }

// Tracef takes a line for debugging.
func (l *Lines) Tracef(format string, v ...any) { l.Out.Debug(line(format, v)) }

// Fatalf takes what the server would end the process for.
func (l *Lines) Fatalf(format string, v ...any) {
	s := line(format, v)
	l.mu.Lock()
	if l.fatal == "" {
		l.fatal = s
	}
	l.mu.Unlock()
	l.Out.Error(s)
}

// Failure is the first fatal line, or "".
func (l *Lines) Failure() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

func line(format string, v []any) string { return "nats: " + fmt.Sprintf(format, v...) }
