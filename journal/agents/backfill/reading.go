package backfill

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/transcript"
	"journal/journal/wire/client"
)

// reading holds the content of a transcript that was read.
type reading struct {
	file    transcript.File
	session string
	summary transcript.Summary
	lanes   map[string][]step
	order   []string           // lanes by first appearance
	steps   int                // number of steps in all lanes
	root    string             // the project's directory in the first step or, without steps, in the rows; "" if unknown
	project string             // the project's key, for root
	used    []*transcript.Turn // tokens of the requests, by turns
	err     error              // the error of reading
}

// readAhead reads transcripts in order, each while the receiver imports the previous one. It closes the channel after the last
// transcript, after one with an error, and when ctx ends. progress receives the number of bytes of each read.
func readAhead(ctx context.Context, files []transcript.File, progress func(bytes int64)) <-chan reading {
	all := make(chan reading)
	go func() {
		defer close(all)
		readers := map[*transcript.Format]func(io.Reader, string) *transcript.Reader{}
		for _, f := range files {
			rd := reading{file: f}
			if f.Skip == "" {
				if readers[f.Format] == nil {
					readers[f.Format] = f.Format.Readers(progress)
				}
				rd.err = rd.load(ctx, readers[f.Format])
			}
			if unfit := transcript.Unfit(""); errors.As(rd.err, &unfit) {
				rd.file.Skip, rd.err = unfit.Error(), nil
			}
			select {
			case all <- rd:
			case <-ctx.Done():
				return
			}
			if rd.err != nil {
				return
			}
		}
	}()
	return all
}

// load reads the transcript. read returns a reader for it. The error is a transcript.Unfit for a file that is not to be imported.
func (rd *reading) load(ctx context.Context, read func(io.Reader, string) *transcript.Reader) error {
	in, err := rd.file.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	path, err := filepath.Abs(rd.file.Path)
	if err != nil {
		return err
	}
	r, root, project := read(untilDone{ctx, in}, path), "", client.ProjectKey("")
	rd.lanes = map[string][]step{}
	for ctx.Err() == nil {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			rd.session, rd.summary, rd.used = r.State().SessionID, r.Summary(), r.Usage.Turns()
			if rd.steps == 0 { // as with subagents of which only the tokens count
				rd.root = r.State().Root
				rd.project = client.ProjectKey(rd.root)
			}
			return nil
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
		h := s.Report.Hook
		if strings.Contains(h.Root, agents.JudgePrefix) {
			return transcript.Unfit("a judge's answer to journal audit --judge")
		}
		if h.Root != root { // ProjectKey reads the disk
			root, project = h.Root, client.ProjectKey(h.Root)
		}
		parsed, err := stepOf(s, project)
		if err != nil {
			return err
		}
		if rd.steps == 0 {
			rd.root, rd.project = root, project
		}
		lane := h.Lane
		if _, known := rd.lanes[lane]; !known {
			rd.order = append(rd.order, lane)
		}
		rd.lanes[lane] = append(rd.lanes[lane], parsed)
		rd.steps++
	}
	return ctx.Err()
}

// untilDone is a reader that fails once its context is done, even within a row, which may have any length. The file is not closed
// instead, because that is not safe for a database.
type untilDone struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (r untilDone) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// step holds the parts of a transcript.Step that an import uses. All steps of a transcript are in memory, so a step has each text only
// once, in its events.
type step struct {
	kind      events.HookKind
	turn      string
	root      string // the project's directory
	key       string // occurrence key
	row       string
	sure      bool
	rewind    *transcript.Rewind // nil if the step is not a rewind
	signature uint64             // signature of the first event that has one, else 0
	events    []events.Envelope  // with the ids that every import derives
	late      []events.Envelope  // events of Step.Late
}

// id returns the id of the first event.
func (s step) id() string { return s.events[0].ID }

// stepOf returns the step s with its events. project is the key of its project.
func stepOf(s transcript.Step, project string) (step, error) {
	h, facts := s.Report.Hook, events.Recognise(s.Report.Hook)
	all, err := s.Events(h.Session, project, facts...)
	if err != nil {
		return step{}, err
	}
	st := step{kind: h.Kind, turn: h.Turn, root: h.Root, key: s.Report.Key, row: s.Row, sure: s.Sure, rewind: s.Rewind, events: all}
	for _, fact := range facts {
		st.signature = cmp.Or(st.signature, signature(fact))
	}
	if s.Late != nil {
		late, err := stepOf(*s.Late, project)
		if err != nil {
			return step{}, err
		}
		st.late = late.events
	}
	return st, nil
}

// markFork changes the source in a step with the start of a session to "fork".
func (s step) markFork() {
	if start, ok := events.As[events.SessionStarted](s.events[0]); ok {
		start.Source = "fork"
		if e, err := s.events[0].With(start); err == nil {
			s.events[0] = e
		}
	}
}

// worthASession reports whether some steps justify a part of their own: at least one is a step that hooks always report, a restart of the
// context or the end of a compaction. Ends of turns and samples of the usage alone do not.
func worthASession(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool {
		return s.sure || s.kind == events.ContextRestart || s.kind == events.CompactEnd
	})
}

// gapOf returns the event about steps that hooks missed, and that an import adds to a part of the session.
func gapOf(missed []step, part string) events.SessionGap {
	gap := events.SessionGap{Session: part}
	for _, s := range missed {
		switch s.kind {
		case events.PromptSubmit:
			gap.Prompts++
		case events.ToolEnd:
			gap.Tools++
		case events.TurnEnd:
			gap.Turns++
		}
	}
	return gap
}

// Transcripts lists the transcripts of some agents at paths, in the order for Import: sessions that began earlier first, so that the log
// has a project's events in the order in which they happened. Of transcripts that begin at the same time, as a fork and its parent do,
// forks come last. A transcript with only prompts is left out if its session has another one. total is the size of the files in bytes.
// The error is that of transcript.Files.
func Transcripts(ctx context.Context, paths, agents []string) (files []transcript.File, total int64, err error) {
	files, err = transcript.Files(ctx, paths, agents)
	if err != nil {
		return nil, 0, err
	}
	complete := map[string]bool{} // sessions with a transcript of more than prompts
	for _, f := range files {
		complete[f.Session] = complete[f.Session] || !f.Prompts && f.Skip == ""
	}
	files = slices.DeleteFunc(files, func(f transcript.File) bool { return f.Prompts && complete[f.Session] })
	for _, f := range files {
		total += f.Size
	}
	forks := map[bool]int{true: 1} // sorts forks behind other transcripts
	slices.SortFunc(files, func(a, b transcript.File) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(forks[a.Fork], forks[b.Fork]),
			cmp.Compare(a.Size, b.Size), strings.Compare(a.Path, b.Path))
	})
	return files, total, nil
}
