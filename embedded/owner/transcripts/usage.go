package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/wire/client"
	"journal/projections"
)

// usageWait is the delay between the end of a turn and the reading of its usage: clients write the last row up to 100 ms after the hook.
const usageWait = time.Second

// turnEnds holds the events after which the usage of a turn is read.
var turnEnds = map[events.Type]bool{
	events.TypeOf[events.TurnEnded](): true, events.TypeOf[events.TurnFailed](): true, events.TypeOf[events.TurnInterrupted](): true,
	events.TypeOf[events.SessionEnded](): true,
}

// usageState holds the progress of reading a session's usage. The writer's lock guards it.
type usageState struct {
	due     time.Time // of the next reading; zero if none is due
	running string    // the running turn, as hooks name it
}

// scheduleUsage schedules the reading of a session's usage when an event ends a turn. The caller holds the writer's lock.
func (rd *Reader) scheduleUsage(sr *sessionReader, e events.Envelope) {
	switch {
	case e.Lane != "":
	case e.Type == events.TypeOf[events.PromptSubmitted]():
		sr.usage.running = e.Turn
	case turnEnds[e.Type]:
		sr.usage = usageState{due: time.Now().Add(usageWait)}
		target := sr.target
		time.AfterFunc(usageWait, func() {
			rd.writer.Lock()
			defer rd.writer.Unlock()
			if rd.follows {
				rd.wake(target)
			}
		})
	}
}

// recordUsage appends the usage of a session's ended turns if that is due. If last is true, because the owner leaves, it also appends the
// usage of the running turn. The caller holds sr.sem.
func (rd *Reader) recordUsage(ctx context.Context, sr *sessionReader, last bool) {
	rd.writer.Lock()
	s, agent := sr.usage, sr.agent
	due := !s.due.IsZero() && (last || !time.Now().Before(s.due))
	withRunning := last && s.running != ""
	if !due && !withRunning {
		rd.writer.Unlock()
		return
	}
	sr.usage.due = time.Time{}
	rd.writer.Unlock()
	if last {
		s.running = ""
	}
	err := rd.usage(ctx, sr, agent, s.running)
	if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, disk.ErrNotRegular) {
		rd.onError(fmt.Errorf("read the usage of session %s: %w", sr.target.Session, err))
	}
}

// usage appends the usage of all turns of an agent's session that the log lacks. It leaves out the running turn, whose name is empty if there
// is none. The caller holds sr.sem.
func (rd *Reader) usage(ctx context.Context, sr *sessionReader, agent, running string) error {
	r := &sr.file
	if r.paused || client.Paused(rd.dir, sr.target.Project) {
		return nil
	}
	format, err := transcript.Named(agent)
	if err != nil {
		return nil
	}
	files, err := sr.files(ctx, format)
	if err != nil {
		return err
	}
	turns, err := format.UsageOf(files, &transcript.Seen{}, r.path, r.passed, r.since)
	if err != nil {
		return err
	}
	known, err := rd.usageInLog(ctx, sr.target)
	if err != nil {
		return err
	}
	var all []*writer.Draft
	for _, t := range turns {
		if running != "" && t.Turn == running {
			continue
		}
		if recorded, ok := known[t.First]; ok && recorded.Includes(t.TokensUsed) {
			continue
		}
		e, err := t.Event(agent, sr.target.Session, sr.target.Project)
		if err != nil {
			return err
		}
		d, err := writer.NewDraft(e)
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		return nil
	}
	rd.writer.Lock()
	defer rd.writer.Unlock()
	return rd.writer.Store(ctx, all...)
}

// files returns the transcripts of a session and of its subagents.
func (sr *sessionReader) files(ctx context.Context, format *transcript.Format) ([]transcript.File, error) {
	r := &sr.file
	switch {
	case r.format != nil: // a directory with the name of the transcript has the transcripts of subagents
		paths := append([]string{r.path, strings.TrimSuffix(r.path, filepath.Ext(r.path))}, sr.subPaths...)
		return format.At(ctx, sr.target.Session, paths...), nil
	case format.Sessions != nil: // the client keeps all sessions in one file
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		return transcript.NewIndex(home, os.Getenv).Of(ctx, format, sr.target.Session, "")
	}
	return nil, nil
}

// usageInLog returns the usage of the turns of a session that the log has, by TokensUsed.First.
func (rd *Reader) usageInLog(ctx context.Context, t projections.Target) (map[string]events.TokensUsed, error) {
	known := map[string]events.TokensUsed{}
	sel := events.Selector{Project: t.Project, Session: t.Session, Type: events.TypeOf[events.TokensUsed]()}
	for e, err := range rd.log.Events(ctx, events.Span{}, sel) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if u, ok := events.As[events.TokensUsed](e); ok {
			known[u.First] = u
		}
	}
	return known, nil
}
