package transcript

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"journal/journal/agents/payload"
)

// Format is how one agent keeps its sessions. Its functions are safe for concurrent
// use, except for those that Begin gives.
type Format struct {
	Agent string
	// Folder is where it keeps its transcripts, as people write it.
	Folder string
	// Ext ends the names of its transcripts.
	Ext string
	// Skim says whether a file is a transcript, and which, from its beginning. The
	// error says why it is none.
	Skim func(in io.Reader) (Head, error)
	// Sessions lists the sessions of a file that holds many. The error is an Unfit where it cannot be read. Nil when a
	// file is one.
	Sessions func(path string) ([]Session, error)
	// Limits say what is kept of a row over 1 MiB.
	Limits payload.Limits
	// Begin begins an import. What it gives takes the transcripts of the import one after the
	// other, by their paths, and keeps what one of them tells of the next.
	Begin func() func(path string) Taker
	// Contexts reads what a session's transcript, or that of one of its subagents, shows of
	// the contexts after its compactions, oldest first. It never waits: only regular files
	// are read. The error is fs.ErrNotExist where there is none. Nil when transcripts show
	// nothing of that.
	Contexts func(path, lane string) ([]Context, error)
	// Watch begins to watch a transcript that grows. Nil when nothing is told by
	// transcripts that hooks do not tell.
	Watch func() Watcher
	// Task finds what a subagent of a session was asked to do, by the transcript of
	// the session and the subagent's id. The error is fs.ErrNotExist as long as it is
	// not there. Nil when no transcript tells it.
	Task func(path, lane string) (Step, error)
	// Lane finds the transcript of a subagent by that of its session, where that one tells more than hooks do and is
	// watched too. The error is fs.ErrNotExist as long as it is not there. Nil when it tells nothing.
	Lane func(path, lane string) (string, error)
	// Goes gives the transcript that a session goes on in, by the one that its newest start names. Nil when that is it.
	Goes func(path string) string
	// Parent finds the session that a fork took its first rows from, by the fork's transcript and the moment at which
	// the fork began, and the first row that both have. An empty session means that none is certain. The error is
	// fs.ErrNotExist as long as the transcript cannot tell: agents write it late. Nil when transcripts never do.
	Parent func(path string, began time.Time) (session, row string, err error)
	// Spent lists what the requests of a session used, those of its subagents too, by the path of its transcript. The
	// error is fs.ErrNotExist where there is none. Nil when transcripts do not tell.
	Spent func(path string) ([]Spent, error)
}

// Head is what the beginning of a transcript tells.
type Head struct {
	Session string
	Began   time.Time
	Fork    bool // the transcript says that its first rows are another session's
}

// Session is one session of a file that holds many.
type Session struct {
	Head
	Size int64                         // of its rows in bytes, about
	Open func() (io.ReadCloser, error) // its rows
}

// Summary counts what was read.
type Summary struct {
	Rows        int
	Broken      int // rows that are no JSON
	Bytes       int64
	Compactions int
}

// Row reads the first row of in, in bounded memory whatever its length.
func (f *Format) Row(in io.Reader) ([]byte, error) { return NewRows(in, f.Limits, nil).Next() }

// Readers begins an import. What it gives opens the transcripts of the import one after the other:
// it reads from in, and from files beside path. progress is told of bytes, and may be nil.
func (f *Format) Readers(progress func(bytes int64)) func(in io.Reader, path string) *Reader {
	next := f.Begin()
	return func(in io.Reader, path string) *Reader { return NewReader(in, f.Limits, next(path), progress) }
}

var declared = map[string]*Format{}

// Declare registers the format of an agent, from the variables of its package. It
// panics on a second one of the same name.
func Declare(f Format) *Format {
	if declared[f.Agent] != nil {
		panic("transcript: " + f.Agent + " is declared twice")
	}
	declared[f.Agent] = &f
	return &f
}

// Of gives the format of an agent. The error lists those there are.
func Of(agent string) (*Format, error) {
	if f := declared[agent]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("transcripts of %q cannot be read (known: %s)", agent, strings.Join(Agents(), ", "))
}

// Agents lists the agents whose transcripts can be read, sorted.
func Agents() []string { return slices.Sorted(maps.Keys(declared)) }

// Folders lists where some agents keep their transcripts.
func Folders(agents []string) []string {
	var all []string
	for _, agent := range agents {
		if f := declared[agent]; f != nil {
			all = append(all, f.Folder)
		}
	}
	return all
}

// Named says whether a file has the name of a transcript of one of the agents.
func Named(path string, agents []string) bool {
	return slices.ContainsFunc(agents, func(agent string) bool { return strings.HasSuffix(path, declared[agent].Ext) })
}

// Recognise finds the format of the first size bytes of a file among those of the
// agents, and reads its head. The error is that of the last one tried.
func Recognise(f io.ReaderAt, size int64, agents []string) (*Format, Head, error) {
	err := errors.New("no known transcript")
	for _, agent := range agents {
		format := declared[agent]
		var head Head
		if head, err = format.Skim(io.NewSectionReader(f, 0, size)); err == nil {
			return format, head, nil
		}
	}
	return nil, Head{}, err
}
