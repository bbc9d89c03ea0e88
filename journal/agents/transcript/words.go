package transcript

import (
	"slices"
	"strings"

	"journal/events/text"
	"journal/journal/agents"
)

// Words are an agent's last words since the newest prompt, as the transcript has them: neither redacted nor cut.
type Words struct {
	Row   string // id of the row with Text, or with the prompt if Text is ""
	Turn  string // the turn's id in hooks, "" if rows do not have it
	Text  string // "" if there are no words since the prompt
	Calls int    // number of tool calls since Text
	// Thought is the model's newest reasoning after Text, "" if the client stores none, and ThoughtCalls the number of tool calls
	// since Thought.
	Thought      string
	ThoughtCalls int
	// ResultOf is the newest call after Text, Result is its result, and Command is set if the call is a command. Both texts are "" for
	// a call whose result other events have: files, failures, the agent's own lists.
	Result, ResultOf string
	Command          bool
	Open             []Open // the newest unfinished calls, newest first
	// Announced has the words and reasoning directly before calls that write files, since the prompt, oldest first.
	Announced []Announcement
	// Searches has the results of the newest searches in files since the prompt, oldest first.
	Searches []Search

	// Earlier are the strongest findings of the newest earlier turn that has any, oldest first.
	Earlier []Earlier

	before   agents.Finding   // the words before Text, empty if there are none
	findings []agents.Finding // earlier words and reasoning that state a finding, oldest first
	called   int              // number of tool calls since the prompt
	wrote    int              // value of called after the newest call that writes a file; 0 if none came since the prompt
	kept     bool             // Text is among findings
}

// Earlier is a text of an earlier turn that states a finding.
type Earlier struct {
	Text  string
	Acted bool // the agent wrote a file after the text, before the prompt
}

// Announcement is a text of the agent directly before a call.
type Announcement struct {
	Use  string // id of the call
	Text string
}

// Bounds of the announcements: their number, and the length of a text, in bytes. Longer texts announce no single edit.
const (
	maxAnnounced = 16
	maxBeforeUse = 4 << 10
)

// Search is a call that searched files, and its result.
type Search struct {
	Call, Result string
	at           int // number of tool calls between the prompt and its result
}

// Bounds of the searches: their number, and the length of a result, in bytes. What a longer one found is no answer.
const (
	maxSearches = 8
	maxFound    = 16 << 10
)

// searches matches a call that searches files: of a tool, or a command.
var searches = text.Pattern(`^(?:Grep|Glob|grep_search|search_file_content|glob)\b|^(?:cd \S+ && )?(?:grep|egrep|rg|ag|git grep|find|fd)\b`)

// Finding is a text of the agent that states a finding.
type Finding struct {
	Text   string
	Calls  int  // number of tool calls after the text
	Acted  bool // the agent wrote a file after the text
	Spoken bool // to the person; false for reasoning
}

// newest returns Text in the form of a finding.
func (w *Words) newest() agents.Finding {
	return agents.Finding{Words: w.Text, At: w.called - w.Calls, Spoken: true}
}

// Next returns the state after the agent's next words in the same turn. It keeps those earlier words that state a finding.
func (w Words) Next(row, turn, words string) Words {
	w.settle()
	if w.Text != "" && !w.kept {
		w.add(w.before)
		w.before = w.newest()
	}
	return Words{Row: row, Turn: turn, Text: words, before: w.before, findings: w.findings, called: w.called, wrote: w.wrote, Announced: w.Announced, Searches: w.Searches, Earlier: w.Earlier}
}

// maxEarlier bounds the texts of Words.Earlier.
const maxEarlier = 6

// Asked returns the state after a prompt that begins a turn.
func (w Words) Asked(row, turn string) Words {
	w.settle()
	earlier := w.Earlier
	switch found := w.found(); {
	case len(found) > 0:
		earlier = nil
		for _, f := range agents.Strongest(found, maxEarlier) {
			earlier = append(earlier, Earlier{f.Words, f.At < w.wrote})
		}
	case w.wrote > 0:
		earlier = slices.Clone(earlier)
		for i := range earlier {
			earlier[i].Acted = true
		}
	}
	return Words{Row: row, Turn: turn, Earlier: earlier, Announced: w.Announced}
}

// add adds a text to the findings if it is one.
func (w *Words) add(f agents.Finding) { w.findings = agents.AddFinding(w.findings, f) }

// settle removes Thought. If Thought states a finding, it becomes one, after the words before it that state one.
func (w *Words) settle() {
	if agents.IsFinding(w.Thought) {
		w.add(w.before)
		w.before = agents.Finding{}
		if !w.kept && agents.IsFinding(w.Text) {
			w.add(w.newest())
			w.kept = true
		}
		w.add(agents.Finding{Words: w.Thought, At: w.called - w.ThoughtCalls})
	}
	w.Thought, w.ThoughtCalls = "", 0
}

// Called records a call of a tool. use is the id of the call.
func (w *Words) Called(tool, use string) {
	if slices.Contains(fileWriters, strings.ToLower(tool)) {
		w.announce(use)
		w.wrote = w.called + 1
	}
	w.called++
	w.Calls++
	w.ThoughtCalls++
}

// announce records the words or else the reasoning directly before a call, if there are any.
func (w *Words) announce(use string) {
	words := ""
	switch {
	case w.Calls == 0 && w.Text != "":
		words = w.Text
	case w.ThoughtCalls == 0:
		words = w.Thought
	}
	if use == "" || words == "" || len(words) > maxBeforeUse {
		return
	}
	w.Announced = append(slices.Clip(w.Announced), Announcement{use, words})
	w.Announced = w.Announced[max(0, len(w.Announced)-maxAnnounced):]
}

// fileWriters lists the names of the agents' tools that write files, in lower case.
var fileWriters = strings.Fields("edit write multiedit notebookedit apply_patch write_file replace create str_replace patch")

// maxKept bounds the kept reasoning and the kept result, in bytes. Longer texts are ignored: they would have to be redacted before they
// are cut, which would take too long.
const maxKept = 64 << 10

// Think records the model's reasoning after its words.
func (w *Words) Think(reasoning string) {
	if reasoning = strings.TrimSpace(reasoning); reasoning != "" && len(reasoning) <= maxKept {
		w.settle()
		w.Thought, w.ThoughtCalls = reasoning, 0
	}
}

// Return records the result of a call. command is set if the call is a command.
func (w *Words) Return(call, result string, command bool) {
	w.ResultOf, w.Result, w.Command = "", "", command
	if result = strings.TrimRight(result, " \t\r\n"); result != "" && len(result) <= maxKept {
		w.ResultOf, w.Result = call, result
	}
	if result != "" && len(result) <= maxFound && searches().MatchString(call) {
		w.Searches = append(slices.Clip(w.Searches), Search{call, result, w.called})
		w.Searches = w.Searches[max(0, len(w.Searches)-maxSearches):]
	}
}

// WroteAfter reports whether the agent wrote a file after a search.
func (w Words) WroteAfter(s Search) bool { return s.at < w.wrote }

// Lengths of words, in UTF-16 units. Words shorter than shortText mean little without the words before them ("Let me check the
// order:"), and words shorter than minWords mean nothing.
const (
	shortText = 160
	minWords  = 40
)

// Found returns the findings of the turn before its last words, oldest first. If Text is short, the words before it count as a finding.
func (w Words) Found() (found []Finding) {
	for _, f := range w.found() {
		found = append(found, Finding{Text: f.Words, Calls: w.called - f.At, Acted: f.At < w.wrote, Spoken: f.Spoken})
	}
	return found
}

// found returns the findings of Found, which the caller may change.
func (w Words) found() (found []agents.Finding) {
	w.add(w.before)
	if short := text.Units(w.Text) < shortText && text.Units(w.before.Words) >= minWords; short && !agents.IsFinding(w.before.Words) {
		w.findings = append(slices.Clip(w.findings), w.before)
	}
	for _, f := range w.findings {
		if !w.kept || f.Words != w.Text || f.At != w.newest().At {
			found = append(found, f)
		}
	}
	return found
}

// Open is an unfinished call.
type Open struct {
	Call string // the command, or the tool and its target
	// Ends lists the possible occurrence keys of the hook that reports the call's end. The log may have that report before the
	// transcript has the end.
	Ends []string
}
