package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/agents"
	"journal/journal/agents/claude"
	"journal/journal/record"
	"journal/journal/redact"
	"journal/journal/wire/client"
)

// A generated log has sessions of sessionEvents events, of which atATime run at a time.
const (
	sessionEvents = 1000
	atATime       = 10
	blockEvents   = sessionEvents * atATime
)

// sessionName returns the id of the n-th session of a generated log.
func sessionName(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", n) }

// owning runs f as the owner of a store's directory, and closes the log cleanly.
func (b *bench) owning(s *store, f func(*journal.Log, jetstream.JetStream)) {
	check(ownership.Prepare(s.dir))
	lock := must(ownership.TryLock(s.dir))
	defer func() { check(lock.Release()) }()
	server := must(embedded.Own(b.ctx, lock, embedded.Options{Grace: time.Millisecond}))
	defer func() { check(server.Close()) }()
	js := must(jetstream.New(server.Conn()))
	log := must(journal.CreateLog(b.ctx, js))
	f(log.Through(embedded.Records(s.dir, log.Stream())), js)
}

// generate fills a new store with n events, of sessions with perSession events each.
func (b *bench) generate(s *store, n, perSession int) {
	beside := min(atATime, n/perSession)
	b.fill(s, n, func(i int) (int, events.Event) {
		session := i/(beside*perSession)*beside + i%beside
		return session, b.scriptOf(session).at(i%(beside*perSession)/beside, perSession)
	})
}

// fill writes n events into a new store, each into the session that at returns. It waits until the second copy is written, and
// closes the log cleanly. The times of the events are in past years.
func (b *bench) fill(s *store, n int, at func(i int) (session int, e events.Event)) {
	project := client.ProjectKey(b.root)
	b.owning(s, func(log *journal.Log, js jetstream.JetStream) {
		// This is the shortest deduplication window of the server. With the usual two minutes the server would read every
		// generated id at each start, unlike in the log of a user.
		c := must(js.Stream(b.ctx, log.Stream())).CachedInfo().Config
		c.Duplicates = 100 * time.Millisecond
		must(js.UpdateStream(b.ctx, c))
		var batch []record.Record
		for i := range n {
			id := events.DerivedID("bench", strconv.Itoa(i))
			session, event := at(i)
			e := must(events.Wrap(event, events.Meta{
				ID: id, At: timeOf(i).UnixNano(), Agent: claude.Name,
				Session: sessionName(session), Project: project,
				Key: events.ToolKey + id[:16], Rules: int(redact.RuleSet),
			}))
			batch = append(batch, record.Record{Subject: journal.Subject(e.Meta), ID: id, Data: must(events.Encode(e))})
			if len(batch) == journal.MaxBatch || i == n-1 {
				must(log.StoreBatch(b.ctx, batch))
				batch = batch[:0]
			}
		}
	})
	b.start(s)
	eventually(b.ctx, "the second copy is made", func() bool { st := s.status(b.ctx); return st.Archived >= st.LastSeq })
	s.stop(b.ctx)
}

// timeOf returns the time of the i-th event of a generated log.
func timeOf(i int) time.Time {
	return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 20 * time.Second)
}

// script has the events of sessions: the first one, some that repeat, and the last one, at which a compaction begins.
type script struct {
	begin, end events.Event
	middle     []events.Event
	again      []events.Event // middle without decisions, which a session does not repeat
	hooks      float64        // number of recorded hooks for each event
}

// scriptOf returns the script of the n-th session of a generated log.
func (b *bench) scriptOf(n int) script { return b.scripts[n%len(b.scripts)] }

// script turns the recording into events, without its compactions.
func (r recording) script() (s script) {
	env := agents.Env{Getenv: func(string) string { return "" }, Now: time.Now()}
	for _, h := range r {
		report := claude.Dialect.Read(bytes.NewReader(must(json.Marshal(h))), env)
		for _, e := range events.Recognise(report.Hook) {
			switch report.Hook.Kind {
			case events.SessionStart:
				s.begin = e
			case events.CompactIntent:
				s.end = e
			case events.ContextRestart, events.CompactEnd, events.SessionEnd:
			default:
				s.middle = append(s.middle, e)
				if _, decided := e.(events.DecisionRecorded); !decided {
					s.again = append(s.again, e)
				}
			}
		}
	}
	if s.begin == nil || s.end == nil || len(s.again) == 0 {
		check(errors.New("the recording has no start, no compaction or nothing between"))
	}
	s.hooks = float64(len(r)) / float64(2+len(s.middle))
	return s
}

// at returns the n-th of a session's events; the session has total events. The name of one recorded file is replaced by 40
// different ones.
func (s script) at(n, total int) events.Event {
	switch n {
	case 0:
		return s.begin
	case total - 1:
		return s.end
	}
	e := s.again[n%len(s.again)]
	if n < len(s.middle) {
		e = s.middle[n]
	}
	name := fmt.Sprintf("limiter%d", n/len(s.middle)%40)
	return events.MapText(e, func(t string) string { return strings.ReplaceAll(t, "limiter", name) })
}
