package ui

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
	"journal/journal/agents"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
	"journal/replay/timeline"
)

// conversationView is a part of a session's conversation, which ends before an event.
type conversationView struct {
	Head    head
	Entries []utterance
	Earlier uint64 // the event at which the previous part ends, 0 none
	Newest  bool   // this part is the end of the session
}

// utterance is an entry of a conversation: words, or the tool calls between them.
type utterance struct {
	Kind     string // prompt, machine, answer, question, plan, refused, decided, failed, stopped, compaction, rewound, tools
	Seq      uint64
	At       int64
	Question string // to which the person gave this answer
	Text     string
	Cut      bool   // the text goes on
	Back     bool   // the person took it back
	Given    uint64 // the event that records that a compaction's recovery text was given
	Calls    []call
	Failed   int // calls
}

// call is a call of a tool.
type call struct {
	Seq    uint64
	Failed bool
	Gist   string
}

const (
	requestsAtOnce = 30 // in a part
	eventsAtOnce   = 4000
	spokenBytes    = 6 << 10 // how much of a text is shown at once
)

// utteranceOf returns an event's part of a conversation. ok is false if it has none.
func utteranceOf(ev events.Event) (u utterance, ok bool) {
	switch e := ev.(type) {
	case events.PromptSubmitted:
		if e.Machine {
			return utterance{Kind: "machine", Text: e.Text}, true
		}
		return utterance{Kind: "prompt", Text: e.Text}, true
	case events.TurnEnded:
		return utterance{Kind: "answer", Text: e.Text}, e.Text != ""
	case events.TurnFailed:
		return utterance{Kind: "failed", Text: e.Error + "\n" + e.Details}, true
	case events.TurnInterrupted:
		return utterance{Kind: "stopped"}, true
	case events.PlanApproved:
		return utterance{Kind: "plan", Text: e.Text}, true
	case events.QuestionAnswered:
		return utterance{Kind: "question", Question: e.Question, Text: e.Answer}, true
	case events.ToolRefused:
		return utterance{Kind: "refused", Question: e.Tool + " " + e.Target, Text: e.Words}, true
	case events.DecisionRecorded:
		return utterance{Kind: "decided", Text: e.Text}, !e.Weak
	case events.CompactionIntended, events.ContextRestarted:
		return utterance{Kind: "compaction"}, true
	case events.CompactionCompleted:
		from, to := audit.Seen(e.Summary)
		return utterance{Kind: "compaction", Text: strings.TrimSpace(e.Summary[from:to])}, true
	case events.ConversationRewound:
		return utterance{Kind: "rewound", Text: fmt.Sprintf("#%d–#%d", e.First, e.Last)}, e.First != 0
	case events.RecoveryGiven:
		return utterance{Kind: "given"}, true
	}
	return utterance{}, false
}

// toolNouns are the nouns of the events that tool calls leave.
var toolNouns = []string{"command", "file", "tool", "subagent"}

// serveConversation shows the conversation of a session, by default its newest part.
func (s *Server) serveConversation(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	h, rows, err := s.desk.rows(r.Context(), t)
	if err != nil {
		return err
	}
	from, to := portion(rows, number(r, "before"))
	v := conversationView{Newest: to == len(rows)}
	if from > 0 {
		v.Earlier = rows[from].Seq
	}
	if v.Head, err = s.head(r, t, "conversation", h, rows); err != nil {
		return err
	}
	if v.Entries, err = s.log.utterances(r.Context(), t, rows[from:to]); err != nil {
		return err
	}
	return s.show(w, r, "conversation", cmp.Or(v.Head.Title, t.Session), "sessions", v)
}

// portion returns the range of rows with the last requests before an event, 0 for the end.
func portion(rows []timeline.Row, before uint64) (from, to int) {
	to = len(rows)
	if before != 0 {
		to = max(timeline.RowPlace(rows, before)-1, 0)
	}
	requests := 0
	for from = to; from > 0 && requests < requestsAtOnce && to-from < eventsAtOnce; {
		if from--; rows[from].Type == events.TypeOf[events.PromptSubmitted]() {
			requests++
		}
	}
	return from, to
}

// utterances reads the conversation in some rows of a session.
func (r *reader) utterances(ctx context.Context, t projections.Target, rows []timeline.Row) (all []utterance, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	rewinds, err := replay.Rewinds(ctx, r, t.Project, t.Session, 0)
	if err != nil {
		return nil, err
	}
	span := events.Span{After: rows[0].Seq - 1, Until: rows[len(rows)-1].Seq}
	for e, err := range r.Events(ctx, span, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			return nil, err
		}
		if e.EchoOf != 0 || e.Lane != t.Lane {
			continue
		}
		if e.Type != events.TypeOf[events.ToolRefused]() && slices.Contains(toolNouns, noun(e.Type)) {
			all = called(all, e)
		} else if ev, err := events.Open(e); err == nil { // otherwise it cannot be shown
			if u, ok := utteranceOf(ev); ok {
				u.Back = rewinds.TakenBack(e.Meta, t.Lane)
				all = u.after(all, e)
			}
		}
	}
	return all, nil
}

// after appends an utterance to those before. A compaction joins several events, and its recovery text.
func (u utterance) after(all []utterance, e events.Envelope) []utterance {
	u.Seq, u.At = e.Seq, e.At
	if len(u.Text) > spokenBytes && u.Kind != "compaction" {
		u.Text, u.Cut = u.Text[:text.Before(u.Text, spokenBytes)]+"…", true
	}
	last := len(all) - 1
	for last >= 0 && all[last].Kind == "tools" {
		last--
	}
	if last >= 0 && all[last].Kind == "compaction" && (u.Kind == "compaction" || u.Kind == "given") {
		newest := &all[last]
		newest.Text = cmp.Or(newest.Text, u.Text)
		if u.Kind == "given" {
			newest.Given = u.Seq
		}
		return all
	}
	if u.Kind == "given" {
		u.Given = u.Seq
	}
	if last >= 0 && u.Kind == "stopped" && all[last].Kind == "stopped" {
		return all // the transcript reports it with words, behind the hook
	}
	return append(all, u)
}

// called adds a tool call.
func called(all []utterance, e events.Envelope) []utterance {
	v, err := events.ViewOf(e)
	if err != nil {
		return all
	}
	if n := len(all); n == 0 || all[n-1].Kind != "tools" {
		all = append(all, utterance{Kind: "tools", Seq: e.Seq, At: e.At})
	}
	to := &all[len(all)-1]
	c := call{Seq: e.Seq}
	c.Gist, _ = cli.Gist(v.Data)
	var about struct{ Failed bool }
	if json.Unmarshal(v.Data, &about) == nil && about.Failed {
		c.Failed = true
		to.Failed++
	}
	to.Calls = append(to.Calls, c)
	return all
}

// head is the top of each page about a session.
type head struct {
	Target  projections.Target
	Path    string
	View    string // which page it is
	Title   string
	Info    projections.SessionState
	Total   int   // events
	First   int64 // times of the first and the newest event, by the session's clock
	Newest  int64
	Compact int    // compactions
	Resume  string // the command that resumes it; empty: there is none
	Lanes   []timeline.Subagent
	Live    bool // something came in the last minutes, and it has not ended
}

// head returns it for one of the pages.
func (s *Server) head(r *http.Request, t projections.Target, view string, h *timeline.History, rows []timeline.Row) (v head, err error) {
	v = head{Target: t, Path: s.path(t), View: view, Total: len(rows), First: rows[0].At, Newest: rows[newestOf(rows)].At}
	line := h.Timeline()
	v.Lanes = line.Subagents
	for _, m := range line.Marks {
		if m.Kind == timeline.Compaction {
			v.Compact++
		}
	}
	if v.Title, err = replay.Title(r.Context(), s.log, t); err != nil {
		return v, err
	}
	fold, err := h.At(r.Context(), rows[len(rows)-1].Seq)
	if err != nil {
		return v, err
	}
	v.Info = projections.SessionInfo.In(fold)
	v.Info.Agent = cmp.Or(v.Info.Agent, fold.Last().Agent)
	v.Live = !v.Info.Ended && s.config.Now().Sub(time.Unix(0, v.Newest)) < liveFor
	if s.place == (Place{}) { // what others share is on another machine
		v.Resume = agents.Resume(v.Info.Agent, t.Session, v.Info.Root)
	}
	return v, nil
}
