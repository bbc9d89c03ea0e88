package ui

import (
	"cmp"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/page"
	"journal/embedded/transcriptcopies"
	"journal/events"
	"journal/journal"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/projections"
	"journal/replay"
	"journal/replay/timeline"
)

// conversationView is a part of a session's conversation.
type conversationView struct {
	Head    head
	Entries []page.Utterance
	Earlier uint64 // the event before which the previous part ends; 0: there is none
	Newest  bool   // this part is the newest
}

const (
	requestsAtOnce = 30       // bound of the requests in a part
	eventsAtOnce   = 4000     // bound of the events in a part
	spokenBytes    = 6 << 10  // bound of each shown text
	talkBytes      = 64 << 10 // bound of all shown texts of a part, except that the newest entry is always shown
)

// serveConversation shows the conversation of a session, by default its newest part.
func (s *Server) serveConversation(w http.ResponseWriter, r *http.Request) error {
	about, _, rows, err := s.head(r, "conversation")
	if err != nil {
		return err
	}
	t := about.Target
	from, to := portion(rows, number(r, "before"))
	v := conversationView{Head: about, Newest: to == len(rows)}
	if from > 0 {
		v.Earlier = rows[from].Seq
	}
	if from < to {
		span := events.Span{After: rows[from].Seq - 1, Until: rows[to-1].Seq}
		if v.Entries, err = page.Conversation(r.Context(), s.log, t, span, spokenBytes, cli.Gist); err != nil {
			return err
		}
	}
	size := 0
	for i, u := range slices.Backward(v.Entries) {
		if size += len(u.Text); size > talkBytes && i < len(v.Entries)-1 {
			v.Entries = v.Entries[i+1:]
			v.Earlier = v.Entries[0].Seq
			break
		}
	}
	return s.show(w, r, "conversation", cmp.Or(v.Head.Title, t.Session), "sessions", v)
}

// worstFirst sorts calls: failed ones first, then those that took longest. For a call that started a subagent it first sets
// Millis to the time from the subagent's first event to its last.
func worstFirst(calls []page.Call, h *timeline.History, rows []timeline.Row) {
	for _, s := range h.Timeline().Subagents {
		for i := range calls {
			if calls[i].Lane == s.Lane && s.Lane != "" && s.To < len(rows) {
				calls[i].Millis = (rows[s.To].At - rows[s.From].At) / int64(time.Millisecond)
			}
		}
	}
	failedFirst := func(c page.Call) int {
		if c.Failed {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(calls, func(a, b page.Call) int {
		return cmp.Or(failedFirst(a)-failedFirst(b), cmp.Compare(b.Millis, a.Millis))
	})
}

// serveCalls serves the tool calls of a lane from one event up to another, by default all of them. A page requests them when the
// person unfolds them.
func (s *Server) serveCalls(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	h, rows, err := s.histories.history(r.Context(), t)
	if err != nil {
		return err
	}
	talk, err := page.Conversation(r.Context(), s.log, t, events.Span{After: max(number(r, "from"), 1) - 1, Until: number(r, "to")}, spokenBytes, cli.Gist)
	if err != nil {
		return err
	}
	var calls []page.Call
	for _, u := range talk {
		calls = append(calls, u.Calls...)
	}
	worstFirst(calls, h, rows)
	return s.write(w, r, "calls", linked{s.path(t), calls})
}

// serveExport serves a session as a file to share: one HTML page, Markdown, or the kept copy of its transcript.
func (s *Server) serveExport(w http.ResponseWriter, r *http.Request) error {
	about, _, _, err := s.head(r, "conversation")
	if err != nil {
		return err
	}
	t := about.Target
	if r.FormValue("as") == "jsonl" {
		return s.serveCopy(w, about)
	}
	talk, err := page.ConversationOf(r.Context(), s.log, t, about.Title, about.Info.Agent, s.config.Zone, cli.Gist)
	if err != nil {
		return err
	}
	kind, extension, write := "text/html", "html", page.WriteConversation
	if r.FormValue("as") == "md" {
		kind, extension, write = "text/markdown", "md", page.WriteConversationMarkdown
	}
	download(w, t, kind, extension)
	return write(w, talk)
}

// download sets the headers by which a browser saves the response as a file about a session.
func download(w http.ResponseWriter, t projections.Target, kind, extension string) {
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "session-" + journal.ShortID(t.Session) + "." + extension}))
}

// errNoTranscript means that there is no copy of a session's transcript.
const errNoTranscript = missingError("no copy of its transcript is kept")

// serveCopy serves the kept copy of a session's transcript.
func (s *Server) serveCopy(w http.ResponseWriter, about head) error {
	begin := sync.OnceFunc(func() { download(w, about.Target, "application/jsonl", "jsonl") })
	for row, err := range transcript.RowsOf(s.copyOf(about.Target, about.Info.Transcript), payload.Limits{}) {
		if errors.Is(err, fs.ErrNotExist) {
			return errNoTranscript
		}
		if err != nil {
			return err
		}
		begin()
		if _, err := w.Write(append(row, '\n')); err != nil {
			return err
		}
	}
	begin() // also of a copy without rows
	return nil
}

// copyOf returns the path of the kept copy of a session's transcript. path is that of the transcript.
func (s *Server) copyOf(t projections.Target, path string) string {
	return transcriptcopies.File(s.config.Dir, t.Project, t.Session, path)
}

// portion returns the range of rows that ends before an event; 0 stands for the end of the rows. The range goes back to the
// requestsAtOnce-th request, but has at most eventsAtOnce events.
func portion(rows []timeline.Row, before uint64) (from, to int) {
	to = len(rows)
	if before != 0 {
		to = timeline.RowsUpTo(rows, before-1)
	}
	requests := 0
	for from = to; from > 0 && requests < requestsAtOnce && to-from < eventsAtOnce; {
		if from--; rows[from].Type == events.TypeOf[events.PromptSubmitted]() {
			requests++
		}
	}
	return from, to
}

// head is the top of each page about a session.
type head struct {
	Target  projections.Target
	Path    string
	View    string // the page: session, conversation or compactions
	Title   string
	Info    projections.SessionState
	Total   int    // number of events
	First   int64  // time of the first event, ns since 1970
	Newest  int64  // time of the newest event (newestOf)
	Compact int    // number of compactions
	Resume  string // the command that resumes it; empty: there is none
	Lanes   []timeline.Subagent
	Live    bool // it has not ended, and its newest event is less than liveFor old
	Copy    bool // there is a kept copy of its transcript
}

// head returns the top of a page, with the history of the lane that the request names, and the session's rows. There is at least
// one row.
func (s *Server) head(r *http.Request, view string) (v head, h *timeline.History, rows []timeline.Row, err error) {
	t := targetOf(r)
	if h, rows, err = s.histories.history(r.Context(), t); err != nil {
		return v, nil, nil, err
	}
	v = head{Target: t, Path: s.path(t), View: view, Total: len(rows), First: rows[0].At, Newest: rows[newestOf(rows)].At}
	v.Lanes, v.Compact = h.Timeline().Subagents, compactionsOf(h)
	if v.Title, err = replay.Title(r.Context(), s.log, t); err != nil {
		return v, nil, nil, err
	}
	fold, err := h.At(r.Context(), rows[len(rows)-1].Seq)
	if err != nil {
		return v, nil, nil, err
	}
	v.Info = projections.SessionInfo.In(fold)
	v.Info.Agent = cmp.Or(v.Info.Agent, fold.Last().Agent)
	v.Live = !v.Info.Ended && s.config.Now().Sub(time.Unix(0, v.Newest)) < liveFor
	v.Resume = s.resume(v.Info.Agent, t.Session, v.Info.Root)
	if s.device == (cli.Device{}) && v.Info.Transcript != "" {
		_, err := os.Stat(s.copyOf(t, v.Info.Transcript))
		v.Copy = err == nil
	}
	return v, h, rows, nil
}

// compactionsOf counts the compactions of a history.
func compactionsOf(h *timeline.History) (n int) {
	for _, m := range h.Timeline().Marks {
		if m.Kind == timeline.Compaction {
			n++
		}
	}
	return n
}

// resume returns the command that resumes a session; empty for a session of another machine.
func (s *Server) resume(agent, session, root string) string {
	if s.device != (cli.Device{}) {
		return ""
	}
	return agents.Resume(agent, session, root)
}
