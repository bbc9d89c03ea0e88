package page

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/redact"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
)

// Utterance is an entry of a conversation: words, or the tool calls between them.
type Utterance struct {
	Kind     string // prompt, machine, answer, question, plan, refused, decided, failed, stopped, compaction, given, rewound, tools
	Seq      uint64
	At       int64
	Question string // to which the person gave this answer
	Text     string
	Cut      bool   // the text goes on
	Back     bool   // the person took it back
	Given    uint64 // the event that records that a compaction's recovery text was given
	Restored int    // how many items that text had
	Calls    []Call
	Failed   int // calls
}

// LastCall returns the event of the newest call; 0 if there is none.
func (u Utterance) LastCall() uint64 {
	if len(u.Calls) == 0 {
		return 0
	}
	return u.Calls[len(u.Calls)-1].Seq
}

// Call is a call of a tool.
type Call struct {
	Seq    uint64
	Failed bool
	Gist   string
	Millis int64  // how long it took; 0 unknown
	Lane   string // of the subagent that it started; empty: none
}

// utteranceOf returns an event's part of a conversation. ok is false if it has none.
func utteranceOf(ev events.Event) (u Utterance, ok bool) {
	switch e := ev.(type) {
	case events.PromptSubmitted:
		if e.Machine {
			return Utterance{Kind: "machine", Text: e.Text}, true
		}
		return Utterance{Kind: "prompt", Text: e.Text}, true
	case events.TurnEnded:
		return Utterance{Kind: "answer", Text: e.Text}, e.Text != ""
	case events.TurnFailed:
		return Utterance{Kind: "failed", Text: e.Error + "\n" + e.Details}, true
	case events.TurnInterrupted:
		return Utterance{Kind: "stopped"}, true
	case events.PlanApproved:
		return Utterance{Kind: "plan", Text: e.Text}, true
	case events.QuestionAnswered:
		return Utterance{Kind: "question", Question: e.Question, Text: e.Answer}, true
	case events.ToolRefused:
		return Utterance{Kind: "refused", Question: e.Tool + " " + e.Target, Text: e.Words}, true
	case events.DecisionRecorded:
		return Utterance{Kind: "decided", Text: e.Text}, !e.Weak
	case events.CompactionIntended, events.ContextRestarted:
		return Utterance{Kind: "compaction"}, true
	case events.CompactionCompleted:
		from, to := audit.SeenRange(e.Summary)
		return Utterance{Kind: "compaction", Text: strings.TrimSpace(e.Summary[from:to])}, true
	case events.ConversationRewound:
		return Utterance{Kind: "rewound", Text: fmt.Sprintf("#%d–#%d", e.First, e.Last)}, e.First != 0
	case events.RecoveryGiven:
		return Utterance{Kind: "given", Restored: len(e.Items)}, true
	}
	return Utterance{}, false
}

// toolNouns are the nouns of the events that tool calls leave.
var toolNouns = []string{"command", "file", "tool", "subagent"}

// Conversation reads the conversation of a lane in a span. Texts are cut after so many bytes; 0 cuts none. gist describes a
// tool call by its data. It returns the source's error.
func Conversation(ctx context.Context, src replay.Source, t projections.Target, span events.Span, bytes int, gist func(json.RawMessage) string) (all []Utterance, err error) {
	rewinds, err := replay.Rewinds(ctx, src, t.Project, t.Session, 0)
	if err != nil {
		return nil, err
	}
	for e, err := range src.Events(ctx, span, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			return nil, err
		}
		if e.EchoOf != 0 || e.Lane != t.Lane {
			continue
		}
		if e.Type != events.TypeOf[events.ToolRefused]() && slices.Contains(toolNouns, strings.Split(string(e.Type), ".")[0]) {
			all = addCall(all, e, gist)
		} else if ev, err := events.Open(e); err == nil { // otherwise it cannot be shown
			if u, ok := utteranceOf(ev); ok {
				u.Back = rewinds.TakenBack(e.Meta, t.Lane)
				all = u.addTo(all, e, bytes)
			}
		}
	}
	return all, nil
}

// addTo appends an utterance to those before. A compaction joins several events, and its recovery text.
func (u Utterance) addTo(all []Utterance, e events.Envelope, bytes int) []Utterance {
	u.Seq, u.At = e.Seq, e.At
	if bytes > 0 && len(u.Text) > bytes && u.Kind != "compaction" {
		u.Text, u.Cut = u.Text[:text.Before(u.Text, bytes)]+"…", true
	}
	last := len(all) - 1
	for last >= 0 && all[last].Kind == "tools" {
		last--
	}
	if last >= 0 && all[last].Kind == "compaction" && (u.Kind == "compaction" || u.Kind == "given") {
		newest := &all[last]
		newest.Text = cmp.Or(newest.Text, u.Text)
		if u.Kind == "given" {
			newest.Given, newest.Restored = u.Seq, u.Restored
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

// addCall adds a tool call.
func addCall(all []Utterance, e events.Envelope, gist func(json.RawMessage) string) []Utterance {
	v, err := events.ViewOf(e)
	if err != nil {
		return all
	}
	if n := len(all); n == 0 || all[n-1].Kind != "tools" {
		all = append(all, Utterance{Kind: "tools", Seq: e.Seq, At: e.At})
	}
	to := &all[len(all)-1]
	c := Call{Seq: e.Seq, Gist: gist(v.Data)}
	var about struct {
		Failed bool
		Millis int64 `json:"ms"`
		Lane   string
	}
	if json.Unmarshal(v.Data, &about) == nil {
		c.Failed, c.Millis, c.Lane = about.Failed, about.Millis, about.Lane
	}
	if c.Failed {
		to.Failed++
	}
	to.Calls = append(to.Calls, c)
	return all
}

// ConversationDoc is a session that is written as one page or in Markdown.
type ConversationDoc struct {
	Title, Session, Project, Agent string
	Entries                        []Utterance
	Zone                           *time.Location // of the times
}

// ConversationOf reads a whole lane, whose title and agent the caller knows, and redacts it again: rules may be newer than its events.
// gist describes a tool call by its data. It returns the source's error.
func ConversationOf(ctx context.Context, src replay.Source, t projections.Target, title, agent string, zone *time.Location, gist func(json.RawMessage) string) (ConversationDoc, error) {
	talk := ConversationDoc{Title: cmp.Or(redact.Text(title), "Session "+t.Session), Session: t.Session, Project: t.Project, Agent: agent, Zone: zone}
	entries, err := Conversation(ctx, src, t, events.Span{}, 0, func(data json.RawMessage) string { return redact.Text(gist(data)) })
	for i := range entries {
		u := &entries[i]
		u.Question, u.Text = redact.Text(u.Question), redact.Text(u.Text)
	}
	talk.Entries = entries
	return talk, err
}

//go:embed talk.html
var talkSource string

//go:embed talk.md
var talkMarkdown string

// WriteConversation writes a session as one HTML page that needs nothing else.
func WriteConversation(w io.Writer, t ConversationDoc) error { return write(w, talkSource, t) }

// WriteConversationMarkdown writes a session in Markdown. What was recorded is in quotes, where no line of it is a heading.
func WriteConversationMarkdown(w io.Writer, t ConversationDoc) error {
	say := Texts("en")
	page, err := template.New("").Funcs(template.FuncMap{
		"say":   func(name string, data ...any) string { return say(name, append(data, nil)[0]) },
		"quote": func(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") },
		"line":  func(s string) string { return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "`", "'") },
	}).Parse(talkMarkdown)
	if err != nil {
		return err
	}
	return page.Execute(w, t)
}

// Time formats the time of an utterance for people.
func (t ConversationDoc) Time(at int64) string {
	return time.Unix(0, at).In(t.Zone).Format("2006-01-02 15:04")
}
