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
	Question string // the question that the text answers; of a refused call, the tool and its target
	Text     string
	Cut      bool   // the text was cut
	Back     bool   // the person took it back
	Given    uint64 // the event that records that a compaction's recovery text was given
	Restored int    // number of items that this text had
	Calls    []Call // of tools, for the kind tools
	Failed   int    // number of failed calls
	fact     bool   // of a compaction: an event proves it, which was not only announced
	worked   bool   // of a compaction: a tool was used after a fact
}

// LastCall returns the event number of the newest call; 0 if there is none.
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
	Millis int64  // duration; 0 if it is unknown
	Lane   string // of the subagent that it started; empty if it started none
}

// utteranceOf returns the entry of a conversation that an event makes. ok is false if it makes none.
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
	case events.CompactionIntended:
		return Utterance{Kind: "compaction"}, true
	case events.ContextRestarted:
		return Utterance{Kind: "compaction", fact: true}, true
	case events.CompactionCompleted:
		from, to := audit.SeenRange(e.Summary)
		return Utterance{Kind: "compaction", Text: strings.TrimSpace(e.Summary[from:to]), fact: true}, true
	case events.ConversationRewound:
		return Utterance{Kind: "rewound", Text: fmt.Sprintf("#%d–#%d", e.First, e.Last)}, e.First != 0
	case events.RecoveryGiven:
		return Utterance{Kind: "given", Restored: len(e.Items)}, true
	}
	return Utterance{}, false
}

// toolNouns are the nouns of the types of events about tool calls.
var toolNouns = []string{"command", "file", "tool", "subagent"}

// toolUses are the types of events that prove that the agent used a tool, as for projections.LastCompact. Other events with a noun of
// toolNouns may come between the facts of one compaction, such as a file of notes that was changed meanwhile.
var toolUses = []events.Type{
	events.TypeOf[events.ToolStarted](), events.TypeOf[events.ToolUsed](), events.TypeOf[events.CommandRan](),
	events.TypeOf[events.FileRead](), events.TypeOf[events.FileWritten](), events.TypeOf[events.SubagentTasked](),
}

// Conversation reads the conversation of a lane in a span. bytes bounds each text, except summaries; 0 cuts none.
// gist describes a tool call by the data of its event, as cli.Gist does.
func Conversation(ctx context.Context, src replay.Source, t projections.Target, span events.Span, bytes int, gist func(json.RawMessage) (string, []string)) (all []Utterance, err error) {
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

// addTo appends the utterance of an event to those before. The events of one compaction, and its recovery text, become one
// utterance. If a tool was used after the last fact of a compaction, another one begins, as in projections.LastCompact. Two reports of
// one interruption are one utterance, too.
func (u Utterance) addTo(all []Utterance, e events.Envelope, bytes int) []Utterance {
	u.Seq, u.At = e.Seq, e.At
	if bytes > 0 && len(u.Text) > bytes && u.Kind != "compaction" {
		u.Text, u.Cut = u.Text[:text.Before(u.Text, bytes)]+"…", true
	}
	last := lastSpoken(all)
	if u.Kind == "given" {
		u.Given = u.Seq
	}
	if last >= 0 && all[last].Kind == "compaction" {
		newest := &all[last]
		switch {
		case u.Kind == "given":
			newest.Given, newest.Restored = u.Seq, u.Restored
			return all
		case u.Kind == "compaction" && !newest.worked:
			newest.Text, newest.fact = cmp.Or(newest.Text, u.Text), newest.fact || u.fact
			return all
		}
	}
	if last >= 0 && u.Kind == "stopped" && all[last].Kind == "stopped" {
		return all // a second report of the interruption
	}
	return append(all, u)
}

// lastSpoken returns the index of the last utterance that is not made of tool calls, -1 without one.
func lastSpoken(all []Utterance) int {
	last := len(all) - 1
	for last >= 0 && all[last].Kind == "tools" {
		last--
	}
	return last
}

// addCall adds a tool call to the last utterance, or to a new one if that has no tool calls. It leaves out an event that cannot
// be shown.
func addCall(all []Utterance, e events.Envelope, gist func(json.RawMessage) (string, []string)) []Utterance {
	v, err := events.ViewOf(e)
	if err != nil {
		return all
	}
	if spoken := lastSpoken(all); spoken >= 0 && all[spoken].fact && slices.Contains(toolUses, e.Type) {
		all[spoken].worked = true
	}
	if n := len(all); n == 0 || all[n-1].Kind != "tools" {
		all = append(all, Utterance{Kind: "tools", Seq: e.Seq, At: e.At})
	}
	last := &all[len(all)-1]
	c := Call{Seq: e.Seq}
	c.Gist, _ = gist(v.Data)
	var about struct {
		Failed bool
		Millis int64 `json:"ms"`
		Lane   string
	}
	if json.Unmarshal(v.Data, &about) == nil {
		c.Failed, c.Millis, c.Lane = about.Failed, about.Millis, about.Lane
	}
	if c.Failed {
		last.Failed++
	}
	last.Calls = append(last.Calls, c)
	return all
}

// ConversationDoc is the conversation of a lane, to be written as one HTML page or as Markdown.
type ConversationDoc struct {
	Title, Session, Project, Agent string
	Entries                        []Utterance
	Zone                           *time.Location // of the times
}

// ConversationOf reads the whole conversation of a lane. It redacts the texts again, because rules may be newer than the
// events. The caller knows title and agent of the session; gist is as in Conversation.
func ConversationOf(ctx context.Context, src replay.Source, t projections.Target, title, agent string, zone *time.Location, gist func(json.RawMessage) (string, []string)) (ConversationDoc, error) {
	talk := ConversationDoc{Title: cmp.Or(redact.Text(title), "Session "+t.Session), Session: t.Session, Project: t.Project, Agent: agent, Zone: zone}
	entries, err := Conversation(ctx, src, t, events.Span{}, 0, gist)
	for i := range entries {
		u := &entries[i]
		u.Question, u.Text = redact.Text(u.Question), redact.Text(u.Text)
		for j := range u.Calls {
			u.Calls[j].Gist = redact.Text(u.Calls[j].Gist)
		}
	}
	talk.Entries = entries
	return talk, err
}

//go:embed talk.html
var talkSource string

//go:embed talk.md
var talkMarkdown string

// WriteConversation writes a conversation as one HTML page that needs nothing else.
func WriteConversation(w io.Writer, t ConversationDoc) error { return write(w, talkSource, t) }

// WriteConversationMarkdown writes a conversation as Markdown. Recorded texts are block quotes, so that none of their lines is
// a heading of the document. Their characters are printable, so that nothing in them controls a terminal that shows the file.
func WriteConversationMarkdown(w io.Writer, t ConversationDoc) error {
	say := Texts("en")
	page, err := template.New("").Funcs(template.FuncMap{
		"say":   func(name string, data ...any) string { return say(name, append(data, nil)[0]) }, // the template may give no data
		"quote": func(s string) string { return "> " + strings.ReplaceAll(text.Printable(s), "\n", "\n> ") },
		"line": func(s string) string {
			return strings.ReplaceAll(text.Printable(strings.Join(strings.Fields(s), " ")), "`", "'")
		},
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
