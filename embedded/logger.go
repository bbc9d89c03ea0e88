package embedded

import (
	"fmt"
	"log/slog"
	"sync"
)

// logger gives the server's log lines to slog. The server reports failures of
// its start only through Fatalf and then carries on half started, so the first
// one is kept for Own to find.
type logger struct {
	out *slog.Logger

	mu    sync.Mutex
	fatal string
}

func (l *logger) Noticef(format string, v ...any) { l.out.Debug(line(format, v)) }
func (l *logger) Warnf(format string, v ...any)   { l.out.Warn(line(format, v)) }
func (l *logger) Errorf(format string, v ...any)  { l.out.Error(line(format, v)) }
func (l *logger) Debugf(format string, v ...any)  { l.out.Debug(line(format, v)) }
func (l *logger) Tracef(format string, v ...any)  { l.out.Debug(line(format, v)) }

func (l *logger) Fatalf(format string, v ...any) {
	s := line(format, v)
	l.mu.Lock()
	if l.fatal == "" {
		l.fatal = s
	}
	l.mu.Unlock()
	l.out.Error(s)
}

// failure is the first fatal line, or "".
func (l *logger) failure() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

func line(format string, v []any) string { return "nats: " + fmt.Sprintf(format, v...) }
