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
	// Folder is the folder of its transcripts, as people write it.
	Folder string
	// Beside is the name of a folder beside Folder that has transcripts too, empty if there is none.
	Beside string
	// History is the name of a file beside Folder that keeps the prompts of sessions without a transcript, empty if there is
	// none.
	History string
	// Kept returns after how many days the client deletes a transcript that did not change, by the settings beside a folder of
	// transcripts, and the name of the setting. Nil if it deletes none.
	Kept func(folder string) (days int, setting string)
	// Moved names the variable that moves the beginning of Folder; zero if none does.
	Moved Moved
	// Names are the patterns of its transcripts' names.
	Names []string
	// Around lists the paths at which the other files of a session can be, from the path of one of them. Nil if there are
	// none.
	Around func(path string) []string
	// Skim recognises a transcript by its path and its beginning, and identifies it. Its error is ErrOwn for another file of
	// the agent, ErrNoSession for a file that is not the agent's, or the reason why it cannot be read.
	Skim func(path string, in io.Reader) (Head, error)
	// Unread returns why nothing in a folder is read, empty for folders that are looked into. Nil if there is no other.
	Unread func(folder string) string
	// Rows returns the rows of a file's content. Nil if these are its lines.
	Rows func(path string, in io.Reader) io.Reader
	// Own returns the rows of a transcript without those that the agent copied from another. Nil if it copies none, or
	// their ids tell.
	Own func(path string, rows io.ReadCloser) io.ReadCloser
	// Sessions lists the sessions of a file that holds many, whose Head has no session. Its error is an Unfit if the file
	// cannot be read. Nil if each file is one session.
	Sessions func(path string) ([]Session, error)
	// Limits bounds what is kept of a row over 1 MiB.
	Limits payload.Limits
	// Begin starts an import. The result reads the import's transcripts in turn, by their paths, and remembers what one
	// transcript has about the next.
	Begin func() func(path string) Parser
	// Contexts reads what the transcript of a session, or of one of its subagents, shows of the contexts after its
	// compactions, oldest first. It never blocks: only regular files are read. Its error is fs.ErrNotExist if there is
	// none. Nil if transcripts show nothing of that.
	Contexts func(path, lane string) ([]Context, error)
	// Watch starts watching the growing transcript at a path. Nil if transcripts report nothing beyond hooks.
	Watch func(path string) Watcher
	// Task returns a subagent's task, from the transcript of the session and the subagent's id. Its error is
	// fs.ErrNotExist until the task is there. Nil if no transcript has it.
	Task func(path, lane string) (Step, error)
	// Lane returns the transcript of a subagent beside that of its session, if it reports more than hooks do and is
	// watched too. Its error is fs.ErrNotExist until it is there. Nil if it reports nothing.
	Lane func(path, lane string) (string, error)
	// Goes returns the transcript in which a session continues, from the one that its newest start names. Nil if it is
	// the same.
	Goes func(path string) string
	// Parent returns the session from which a fork copied its first rows, and the first row that both have, from the
	// fork's transcript and the time at which the fork began. An empty session means that none is certain. Its error is
	// fs.ErrNotExist until the transcript can tell: agents write it late. Nil if transcripts never can.
	Parent func(path string, began time.Time) (session, row string, err error)
	// Requests starts reading what requests used. Its result takes the rows of one transcript in order, keeps no part of
	// them, and returns the requests that a row reports; a later one replaces an earlier one with the same ID. Nil if
	// transcripts do not say.
	Requests func() func(row []byte) []Request
}

// Moved names a variable that replaces the default beginning of a path, and another one, which may be empty.
type Moved struct{ From, Var, Also string }

// Head holds the session facts at the beginning of a transcript.
type Head struct {
	Session string // as hooks name it; of a subagent, that of the session which started it
	Began   time.Time
	Fork    bool   // it was made from another session, as the transcript reports
	From    string // that session, empty if the transcript does not name it
	Prompts bool   // it has only prompts, and counts where nothing else of the session is left
}

// Session is one session of a file that holds many.
type Session struct {
	Head
	Size int64                         // approximate size of its rows, in bytes
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

// Readers starts an import. The result opens the import's transcripts in turn: it reads from in, and from files beside
// path. progress receives byte counts, and may be nil.
func (f *Format) Readers(progress func(bytes int64)) func(in io.Reader, path string) *Reader {
	next, seen := f.Begin(), &Seen{}
	return func(in io.Reader, path string) *Reader {
		r := NewReader(in, f.Limits, next(path), progress)
		r.Usage = f.Usage(seen)
		return r
	}
}

var declared = map[string]*Format{}

// Declare registers the format of an agent, from the variables of its package. It panics on a duplicate name.
func Declare(f Format) *Format {
	if declared[f.Agent] != nil {
		panic("transcript: " + f.Agent + " is declared twice")
	}
	declared[f.Agent] = &f
	return &f
}

// Of returns the format of an agent. The error lists the known ones.
func Of(agent string) (*Format, error) {
	if f := declared[agent]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("transcripts of %q cannot be read (known: %s)", agent, strings.Join(Agents(), ", "))
}

// Agents lists the agents whose transcripts can be read, sorted.
func Agents() []string { return slices.Sorted(maps.Keys(declared)) }

// Folders lists where some agents store their transcripts.
func Folders(agents []string) []string {
	var all []string
	for _, agent := range agents {
		if f := declared[agent]; f != nil {
			all = append(all, f.Folder)
		}
	}
	return all
}
