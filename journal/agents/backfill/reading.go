package backfill

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/wire/client"
)

// reading is a transcript that was read: its steps by lane, and the lanes in order.
type reading struct {
	file    File
	session string
	summary transcript.Summary
	lanes   map[string][]step
	order   []string
	steps   int // in all lanes
	err     error
}

// readAhead reads transcripts in order, each while the previous one is imported: a subagent's needs what the main
// thread's has shown. It closes the channel after the last one, after an error, and when ctx ends. read receives byte
// counts.
func readAhead(ctx context.Context, files []File, read func(bytes int64)) <-chan reading {
	all := make(chan reading)
	go func() {
		defer close(all)
		formats := map[*transcript.Format]func(io.Reader, string) *transcript.Reader{}
		for _, f := range files {
			one := reading{file: f}
			if f.skip == "" {
				if formats[f.form] == nil {
					formats[f.form] = f.form.Readers(read)
				}
				one.err = one.take(ctx, formats[f.form])
			}
			if unfit := transcript.Unfit(""); errors.As(one.err, &unfit) {
				one.file.skip, one.err = unfit.Error(), nil
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
	in, err := one.file.open()
	if err != nil {
		return err
	}
	defer in.Close()
	defer context.AfterFunc(ctx, func() { in.Close() })() // a row may have any length
	r, root, project := read(in, one.file.path), "", client.ProjectKey("")
	one.lanes = map[string][]step{}
	for ctx.Err() == nil {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			one.session, one.summary = r.Session(), r.Summary()
			return nil
		}
		if err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		h := s.Report.Hook
		if h.Root != root { // finding the key asks the disk
			root, project = h.Root, client.ProjectKey(h.Root)
		}
		made, err := stepOf(s, project)
		if err != nil {
			return err
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

// File is a file that may be a transcript.
type File struct {
	path  string
	size  int64
	began time.Time
	fork  bool
	form  *transcript.Format
	skip  string // why it is no transcript
	// open returns the rows up to the file's size when it was found: it may grow as fast as it is read.
	open func() (io.ReadCloser, error)
}

// Transcripts lists the named files and those in named folders, each once. Sessions that began earlier come first, so
// that a project's events are folded in the order in which they happened; a fork, which begins with the same rows,
// comes after the session that it copied them from. total is their size in bytes. It looks only for transcripts of the
// given agents. The error is disk.ErrNotRegular for a path that is neither file nor folder.
func Transcripts(ctx context.Context, paths, agents []string) (files []File, total int64, err error) {
	seen := map[string]bool{}
	add := func(path string) error {
		all, err := look(ctx, path, agents)
		if err != nil || seen[path] {
			return err
		}
		seen[path] = true
		files = append(files, all...)
		for _, f := range all {
			total += f.size
		}
		return nil
	}
	for _, path := range paths {
		path = filepath.Clean(path)
		info, err := os.Stat(path)
		if err != nil {
			return nil, 0, err
		}
		if !info.IsDir() {
			if err := add(path); err != nil {
				return nil, 0, err
			}
			continue
		}
		err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err = cmp.Or(err, ctx.Err()); err != nil || !d.Type().IsRegular() || !transcript.Named(path, agents) {
				return err
			}
			return add(path)
		})
		if err != nil {
			return nil, 0, err
		}
	}
	slices.SortFunc(files, func(a, b File) int {
		forks := map[bool]int{true: 1}
		return cmp.Or(a.began.Compare(b.began), cmp.Compare(forks[a.fork], forks[b.fork]),
			cmp.Compare(a.size, b.size), strings.Compare(a.path, b.path))
	})
	return files, total, nil
}

// look reads the beginning of a file, and lists the sessions in it.
func look(ctx context.Context, path string, agents []string) ([]File, error) {
	f, info, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // a row may have any length
	form, head, err := transcript.Recognise(f, info.Size(), agents)
	if err != nil {
		return []File{{path: path, skip: "no transcript: no row names a session"}}, ctx.Err()
	}
	all := []transcript.Session{{Head: head, Size: info.Size(), Open: func() (io.ReadCloser, error) { return beginning(path, info.Size()) }}}
	if form.Sessions != nil {
		all, err = form.Sessions(path)
	}
	var unfit transcript.Unfit
	if errors.As(err, &unfit) {
		return []File{{path: path, skip: unfit.Error()}}, nil
	}
	files := make([]File, len(all))
	for i, one := range all {
		files[i] = File{path: path, size: one.Size, began: one.Began, fork: one.Fork, form: form, open: one.Open}
	}
	return files, cmp.Or(err, ctx.Err())
}

// beginning opens the first bytes of a file.
func beginning(path string, bytes int64) (io.ReadCloser, error) {
	f, _, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(f, bytes), f}, nil
}
