package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// year is row 14: the size of a long log, the time of a hook on it, and the time of verbs that read all of it, with the owner's
// memory after each. For the log of a year, which is 1.8 million hooks, 5,000 a day, set -sessions to recordings of real sessions,
// and -events to the number of events of these hooks. Row 3 then measures the first answer.
func (b *bench) year() []line {
	const bytesPerHook = 1000
	s, hooks := b.filled(), b.hooksRecorded()
	s.stop(b.ctx)
	store, archive, all := bytesIn(filepath.Join(s.dir, "store")), bytesIn(filepath.Join(s.dir, "archive")), bytesIn(s.dir)
	size := func(what string, bytes int64) line {
		return line{What: what, Value: fmt.Sprintf("%.0f MB, %.0f a hook", float64(bytes)/1e6, float64(bytes)/hooks)}
	}
	lines := []line{
		{What: "hooks that made the log", Value: fmt.Sprintf("%.0f", hooks)},
		size("disk: store", store), size("disk: archive", archive), size("disk: index and the rest", all-store-archive),
		size("disk in all, bytes", all).reached(fmt.Sprintf("<= %d a hook", bytesPerHook), float64(all) <= bytesPerHook*hooks),
	}
	b.start(s)
	calls := b.sending("hook of journal-hook, "+smallCall, s.hook(), b.calls(b.sessions()+2)).against(1, bar{beyond: 2.2})
	lines = append(lines, b.measure(b.n, b.hello(), calls)...)
	lines = append(lines, s.memory(b.ctx, "hooks"))
	for _, verb := range []struct {
		name string
		line []string
		n    int
	}{
		{"verify", []string{"verify"}, 2},
		{"audit, one session", []string{"audit", "--session", sessionName(b.sessions() / 2), "--json"}, 10},
		{"audit, all sessions", []string{"audit", "--all", "--json"}, 1},
		{"search in all sessions", []string{"search", "test", "--all", "--json"}, 2},
		{"sessions", []string{"sessions", "--json"}, 2},
	} {
		v := variant{name: verb.name, run: func(int) time.Duration {
			began := time.Now()
			s.verb(b.ctx, verb.line...)
			return time.Since(began)
		}}
		lines = append(lines, b.measure(verb.n, v)...)
		lines = append(lines, s.memory(b.ctx, verb.name))
	}
	return lines
}

// hooksRecorded returns the number of hooks that would make the events of the long log.
func (b *bench) hooksRecorded() (n float64) {
	for session := range b.sessions() {
		n += sessionEvents * b.scriptOf(session).hooks
	}
	return n
}

// bytesIn returns the size of all files below a directory.
func bytesIn(dir string) (sum int64) {
	check(filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			sum += must(d.Info()).Size()
		}
		return err
	}))
	return sum
}
