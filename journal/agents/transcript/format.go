package transcript

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"journal/journal/agents/payload"
)

// Format describes how one agent stores its sessions. Its functions are safe for concurrent use, except for those that
// Begin returns.
type Format struct {
	Agent string
	// Folder is the default folder of transcripts, with ~ for the person's home directory.
	Folder string
	// Beside is the name of a folder beside Folder that also has transcripts, "" if there is none.
	Beside string
	// History is the name of a file beside Folder with the prompts of past sessions, "" if there is none.
	History string
	// Retention returns after how many days the client deletes a transcript that did not change, and the name of that setting. It
	// reads the settings beside a folder of transcripts. Nil if the client deletes none.
	Retention func(folder string) (days int, setting string)
	// Moved names the environment variables that move the beginning of Folder; zero if none does.
	Moved Moved
	// Names are the patterns of the names of transcripts.
	Names []string
	// Around lists the paths at which the files of a session can be, from the path of one of them. Nil if a session has one
	// file.
	Around func(path string) []string
	// Skim recognises a transcript by its path and its beginning, and returns its head. Its error is ErrOwn for another file
	// of the agent, ErrNoSession for a file that is not the agent's, or the reason why it cannot be read.
	Skim func(path string, in io.Reader) (Head, error)
	// Unsupported returns why the files in a folder cannot be read, "" for a folder whose files may be transcripts. Nil if no
	// folder is unsupported.
	Unsupported func(folder string) string
	// Rows returns the rows in the content of a file. Nil if the rows are the lines.
	Rows func(path string, in io.Reader) io.Reader
	// OwnRows removes the rows that the agent copied from another transcript. Nil if it copies none, or if copies keep their
	// ids.
	OwnRows func(path string, rows io.ReadCloser) io.ReadCloser
	// Sessions lists the sessions of a file that holds many: its Head has no session. Its error is an Unfit if the file cannot
	// be read. Nil if each file is one session.
	Sessions func(path string) ([]Session, error)
	// Limits bounds the kept part of a row over 1 MiB.
	Limits payload.Limits
	// Begin starts an import. The result returns a parser for each of the import's transcripts in turn, by path. It may keep
	// facts of one transcript for the next.
	Begin func() func(path string) Parser
	// Contexts returns the contexts after each compaction, oldest first, as the transcript of a session or of one of its
	// subagents shows them. It never blocks: only regular files are read. Its error is fs.ErrNotExist if there is no
	// transcript. Nil if transcripts do not show contexts.
	Contexts func(path, lane string) ([]Context, error)
	// Watch starts watching the growing transcript at a path. Nil if transcripts report nothing beyond hooks.
	Watch func(path string) Watcher
	// Task returns a subagent's task, from the transcript of the session and the subagent's id. Its error is
	// fs.ErrNotExist until the task is there. Nil if no transcript has it.
	Task func(path, lane string) (Step, error)
	// Lane returns the path of a subagent's transcript, from that of its session. It is watched too. Its error is
	// fs.ErrNotExist until it is there. Nil if a subagent's transcript reports nothing beyond hooks.
	Lane func(path, lane string) (string, error)
	// Continuation returns the transcript in which a session continues, from the one that its newest start names. Nil if it is
	// the same.
	Continuation func(path string) string
	// Parent returns the session from which a fork copied its first rows, and the id of the first copied row, from the fork's
	// transcript and the time at which the fork began. An empty session means that no parent is certain. Its error is
	// fs.ErrNotExist until the transcript has the rows that show it. Nil if transcripts never show it.
	Parent func(path string, began time.Time) (session, row string, err error)
	// Requests returns a function that reads the rows of one transcript in order, and returns the requests that a row reports.
	// It keeps no part of a row. A later request replaces an earlier one with the same ID.
	Requests func() func(row []byte) []Request
}

// Moved names environment variables for the folder that a path has in place of From. Also may be "".
type Moved struct{ From, Var, Also string }

// Head holds the session facts at the beginning of a transcript.
type Head struct {
	Session string // as hooks name it; for a subagent, the session that started it
	Began   time.Time
	Fork    bool   // the session was made from another one, as the transcript reports
	From    string // the session that a fork was made from, "" if the transcript does not name it
	Prompts bool   // the transcript has only prompts: it is used if the session has no other
}

// Session is one session of a file that holds many.
type Session struct {
	Head
	Size int64                         // approximate size of its rows, in bytes
	Open func() (io.ReadCloser, error) // its rows
}

// Summary has the counts of what was read.
type Summary struct {
	Rows        int
	Broken      int // rows that could not be read
	Bytes       int64
	Compactions int
}

// Row reads the first row of in, in bounded memory whatever its length.
func (f *Format) Row(in io.Reader) ([]byte, error) { return NewRows(in, f.Limits, nil).Next() }

// Readers starts an import. The result returns a reader for each of the import's transcripts in turn: it reads rows from in, and
// may read files beside path. progress receives the number of bytes of each read, and may be nil.
func (f *Format) Readers(progress func(bytes int64)) func(in io.Reader, path string) *Reader {
	next, seen := f.Begin(), &Seen{}
	return func(in io.Reader, path string) *Reader {
		r := NewReader(in, f.Limits, next(path), progress)
		r.Usage = f.Usage(seen)
		return r
	}
}

var declared = map[string]*Format{}

// Declare adds the format of an agent. A variable of the agent's package holds its result. It panics on a duplicate name.
func Declare(f Format) *Format {
	if declared[f.Agent] != nil {
		panic("transcript: " + f.Agent + " is declared twice")
	}
	declared[f.Agent] = &f
	return &f
}

// Of returns the format of an agent. The error lists the known agents.
func Of(agent string) (*Format, error) {
	if f := declared[agent]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("transcripts of %q cannot be read (known: %s)", agent, strings.Join(Agents(), ", "))
}

// Agents lists the agents whose transcripts can be read, sorted.
func Agents() []string { return slices.Sorted(maps.Keys(declared)) }

// Folders lists the default folders of some agents' transcripts.
func Folders(agents []string) []string {
	var all []string
	for _, agent := range agents {
		if f := declared[agent]; f != nil {
			all = append(all, f.Folder)
		}
	}
	return all
}
