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
	// Retention returns after how many days without a change the client deletes a transcript, and the name of the setting with that
	// number. It reads the client's settings beside a folder of transcripts. Nil if the client deletes none.
	Retention func(folder string) (days int, setting string)
	// Moved names the environment variables that move Folder; zero if none does.
	Moved Moved
	// Names lists the patterns of filepath.Match for the names of transcripts.
	Names []string
	// Around lists the paths at which the files of a session can be, from the path of one of these files. Nil if a session has
	// only one file.
	Around func(path string) []string
	// Skim recognises a transcript by its path and its beginning, and returns its head. The head of a file that holds many sessions
	// has no session. The error is ErrOwn for a file of the agent that is not a transcript, ErrNoSession for a file that is not the
	// agent's, or the reason why a transcript cannot be read.
	Skim func(path string, in io.Reader) (Head, error)
	// Unsupported returns why the files in a folder cannot be read, "" for a folder whose files may be transcripts. Nil if no
	// folder is unsupported.
	Unsupported func(folder string) string
	// OwnRows returns rows without those that the agent copied from another transcript. Nil if the agent copies none, or if copies
	// keep the ids of the rows.
	OwnRows func(path string, rows io.ReadCloser) io.ReadCloser
	// Sessions lists the sessions of a file that holds many. The error is an Unfit if the file cannot be read. Nil if each file has
	// one session.
	Sessions func(path string) ([]Session, error)
	// Limits bounds the kept part of a row over 1 MiB.
	Limits payload.Limits
	// Begin starts an import. The returned function returns a parser for the transcript at a path; it is called for each of the
	// import's transcripts in turn, and may keep facts of one for the next.
	Begin func() func(path string) Parser
	// Contexts returns the context after each compaction, oldest first, as the transcript of a session or of its subagent lane shows
	// it; lane is "" for the session itself. Only regular files are opened. The error is fs.ErrNotExist if there is no transcript.
	// Nil if transcripts do not show contexts.
	Contexts func(path, lane string) ([]Context, error)
	// Watch starts watching the growing transcript at a path. Nil if transcripts report nothing beyond hooks.
	Watch func(path string) Watcher
	// Task returns a step with the task of the subagent lane. path is the session's transcript. The error is fs.ErrNotExist until a
	// transcript has the task. Nil if no transcript has it.
	Task func(path, lane string) (Step, error)
	// Lane returns the path of the transcript of the subagent lane, which is watched too. path is the session's transcript. The error
	// is fs.ErrNotExist until the subagent's transcript exists. Nil if such transcripts report nothing beyond hooks.
	Lane func(path, lane string) (string, error)
	// Continuation returns the path of the transcript in which a session continues. path is the one that the session's newest start
	// named. Nil if the session continues there.
	Continuation func(path string) string
	// Parent returns the session from which a fork copied its first rows, and the id of the first copied row, "" if unknown. path is
	// the fork's transcript, and began the time at which the fork began. An empty session means that no parent is certain. The error
	// is fs.ErrNotExist until the transcript has the rows that show the parent. Nil if transcripts never show it.
	Parent func(path string, began time.Time) (session, row string, err error)
	// Requests returns a function that reads the rows of one transcript in order, and returns the requests to models that a row
	// reports. It keeps no part of a row. A later request replaces an earlier one with the same ID.
	Requests func() func(row []byte) []Request
}

// Moved names the environment variables whose values replace From at the beginning of Format.Folder: Var, and Also unless it is "".
type Moved struct{ From, Var, Also string }

// Head holds the session facts at the beginning of a transcript.
type Head struct {
	Session string // as hooks name it; for a subagent, the session that started it
	Began   time.Time
	Fork    bool   // the transcript may begin with copied rows, as those of forks and subagents do
	From    string // the session that a fork was made from, "" if the transcript does not name it
	Prompts bool   // the transcript has only prompts: it is used if the session has no other transcript
}

// Session is one session of a file that holds many.
type Session struct {
	Head
	Size int64                         // approximate size of the session's rows, in bytes
	Open func() (io.ReadCloser, error) // opens the session's rows
}

// Summary holds the counts of a reader.
type Summary struct {
	Rows        int
	Broken      int // rows that could not be read
	Bytes       int64
	Compactions int
}

// Row returns the first row of in. A row over 1 MiB is shortened as Limits require, so the memory does not depend on the row's length.
func (f *Format) Row(in io.Reader) ([]byte, error) { return NewRows(in, f.Limits).Next() }

// Readers starts an import. The returned function returns a reader for each of the import's transcripts in turn. Such a reader reads
// rows from in, and may read files beside path. progress receives the number of bytes of each read, and may be nil.
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

// Named returns the format of an agent. The error lists the known agents.
func Named(agent string) (*Format, error) {
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
