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

// reading is a transcript that was read: its steps by lane, and the lanes in order.
type reading struct {
	file    transcript.File
	session string
	summary transcript.Summary
	lanes   map[string][]step
	order   []string
	steps   int    // in all lanes
	root    string // of the first step
	project string
	used    []*transcript.Turn
	err     error
}

// readAhead reads transcripts in order, each while the previous one is imported: a subagent's needs what the main
// thread's has shown. It closes the channel after the last one, after an error, and when ctx ends. read receives byte
// counts.
func readAhead(ctx context.Context, files []transcript.File, read func(bytes int64)) <-chan reading {
	all := make(chan reading)
	go func() {
		defer close(all)
		formats := map[*transcript.Format]func(io.Reader, string) *transcript.Reader{}
		for _, f := range files {
			one := reading{file: f}
			if f.Skip == "" {
				if formats[f.Format] == nil {
					formats[f.Format] = f.Format.Readers(read)
				}
				one.err = one.take(ctx, formats[f.Format])
			}
			if unfit := transcript.Unfit(""); errors.As(one.err, &unfit) {
				one.file.Skip, one.err = unfit.Error(), nil
			}
			select {
			case all <- one:
			case <-ctx.Done():
				return
			}
			if one.err != nil {
				return
			}
		}
	}()
	return all
}

// take reads the transcript. The error is a transcript.Unfit for a file that is none.
func (one *reading) take(ctx context.Context, read func(io.Reader, string) *transcript.Reader) error {
	in, err := one.file.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	path, err := filepath.Abs(one.file.Path)
	if err != nil {
		return err
	}
	r, root, project := read(untilDone{ctx, in}, path), "", client.ProjectKey("")
	one.lanes = map[string][]step{}
	for ctx.Err() == nil {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			one.session, one.summary, one.used = r.Session(), r.Summary(), r.Usage.Turns()
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
		if one.steps == 0 {
			one.root, one.project = root, project
		}
		lane := h.Lane
		if _, known := one.lanes[lane]; !known {
			one.order = append(one.order, lane)
		}
		one.lanes[lane] = append(one.lanes[lane], made)
		one.steps++
	}
	return ctx.Err()
}

// untilDone reads until a context is done, also within a row, which may have any length. Nothing is closed under its reader:
// a database does not survive that.
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
	kind events.HookKind
	turn string
	root string // of the project
	key  string // of the occurrence
	row  string
	sure bool
	back *transcript.Rewind // a rewind: no step that a lane has, but what it takes back of it
	what uint64             // signature of its words
	all  []events.Envelope
	late []events.Envelope // what a hook omits of it
}

// id returns the id of the first event.
func (s step) id() string { return s.all[0].ID }

func stepOf(s transcript.Step, project string) (step, error) {
	h, facts := s.Report.Hook, events.Recognise(s.Report.Hook)
	all, err := s.Events(h.Session, project, facts...)
	if err != nil {
		return step{}, err
	}
	one := step{kind: h.Kind, turn: h.Turn, root: h.Root, key: s.Report.Key, row: s.Row, sure: s.Sure, back: s.Rewind, all: all}
	for _, fact := range facts {
		one.what = cmp.Or(one.what, signature(fact))
	}
	if s.Late != nil {
		late, err := stepOf(*s.Late, project)
		if err != nil {
			return step{}, err
		}
		one.late = late.all
	}
	return one, nil
}

// forks turns the start of a session into that of a fork.
func (s step) forks() {
	if start, ok := events.As[events.SessionStarted](s.all[0]); ok {
		start.Source = "fork"
		if e, err := s.all[0].With(start); err == nil {
			s.all[0] = e
		}
	}
}

// worthASession reports whether something in a stretch is worth a session of its own: the ends of turns and samples
// alone are not.
func worthASession(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool {
		return s.sure || s.kind == events.ContextRestart || s.kind == events.CompactEnd
	})
}

// gapOf counts what hooks missed.
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
