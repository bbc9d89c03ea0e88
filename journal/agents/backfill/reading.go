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

// reading is a transcript that was read: its steps by lane.
type reading struct {
	file    transcript.File
	session string
	summary transcript.Summary
	lanes   map[string][]step
	order   []string // lanes by first appearance
	steps   int      // in all lanes
	root    string   // of the first step
	project string
	used    []*transcript.Turn
	err     error
}

// readAhead reads transcripts in order, each while the previous one is imported: reading a subagent's transcript needs what
// the main thread's has shown. It closes the channel after the last one, after an error, and when ctx ends. progress
// receives byte counts.
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

// load reads the transcript. The error is a transcript.Unfit for a file that is no transcript to import.
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
			rd.session, rd.summary, rd.used = r.Session(), r.Summary(), r.Usage.Turns()
			return nil
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
		h := s.Report.Hook
		if strings.Contains(h.Root, agents.JudgeDir) {
			return transcript.Unfit("a judge's answer to journal audit --judge")
		}
		if h.Root != root { // finding the key asks the disk
			root, project = h.Root, client.ProjectKey(h.Root)
		}
		made, err := stepOf(s, project)
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
		rd.lanes[lane] = append(rd.lanes[lane], made)
		rd.steps++
	}
	return ctx.Err()
}

// untilDone is a reader that fails once its context is done, also within a row, which may have any length. Nothing is closed
// under its reader: a database does not survive that.
type untilDone struct {
	ctx context.Context
	io.Reader
}

// Read reads on unless the context is done.
func (r untilDone) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// step is a step of a transcript: what an import needs of it, and its events under the ids that every import derives.
// All steps of a transcript are in memory, so each text is stored once.
type step struct {
	kind      events.HookKind
	turn      string
	root      string // of the project
	key       string // of the occurrence
	row       string
	sure      bool
	rewind    *transcript.Rewind // set if this is no step of the lane but a rewind of earlier ones
	signature uint64             // signature of its words
	events    []events.Envelope
	late      []events.Envelope // events for the part that a hook omits
}

// id returns the id of the first event.
func (s step) id() string { return s.events[0].ID }

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

// markFork changes the start of a session into that of a fork.
func (s step) markFork() {
	if start, ok := events.As[events.SessionStarted](s.events[0]); ok {
		start.Source = "fork"
		if e, err := s.events[0].With(start); err == nil {
			s.events[0] = e
		}
	}
}

// worthASession reports whether some steps justify a session of their own: a step that hooks always report, a restart or a
// compaction. Ends of turns and samples of the usage alone do not.
func worthASession(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool {
		return s.sure || s.kind == events.ContextRestart || s.kind == events.CompactEnd
	})
}

// gapOf returns the event with the numbers of missed prompts, tool calls and turns.
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

// Transcripts lists the files of sessions at some paths. Sessions that began earlier come first, so that a project's events
// are folded in the order in which they happened; a fork, which may begin with the same rows, comes after the session that
// it was made from. total is their size in bytes. The error is that of transcript.Files.
func Transcripts(ctx context.Context, paths, agents []string) (files []transcript.File, total int64, err error) {
	files, err = transcript.Files(ctx, paths, agents)
	if err != nil {
		return nil, 0, err
	}
	whole := map[string]bool{}
	for _, f := range files {
		whole[f.Session] = whole[f.Session] || !f.Prompts && f.Skip == ""
	}
	files = slices.DeleteFunc(files, func(f transcript.File) bool { return f.Prompts && whole[f.Session] })
	for _, f := range files {
		total += f.Size
	}
	slices.SortFunc(files, func(a, b transcript.File) int {
		forks := map[bool]int{true: 1}
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(forks[a.Fork], forks[b.Fork]),
			cmp.Compare(a.Size, b.Size), strings.Compare(a.Path, b.Path))
	})
	return files, total, nil
}
