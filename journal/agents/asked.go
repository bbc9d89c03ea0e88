package agents

import (
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents/payload"
	"journal/journal/disk"
	"journal/journal/redact"
)

// Answered makes a call of a tool that asks the person one with these answers, in the order of its questions. answer
// returns the answer to the i-th question, empty if there is none. A call that nobody answered is unchanged: it decided
// nothing.
func Answered(t *events.ToolCall, questions payload.Value, answer func(i int, question payload.Value) string) {
	i := 0
	for q := range questions.Items() {
		if a := strings.TrimSpace(answer(i, q)); a != "" {
			t.Answers = append(t.Answers, events.Answer{Question: q.Get("question").Str(), Answer: a})
		}
		i++
	}
	if t.Answers != nil {
		t.Action = events.AskPerson
	}
}

// AnswerIn returns the answer to a question in the text that several agents send the model:
// User has answered your questions: "Which one?"="one", "Why?"="small". You can now …
func AnswerIn(text, question string, questions payload.Value) string {
	_, rest, ok := strings.Cut(text, `"`+question+`"="`)
	if !ok || question == "" {
		return ""
	}
	ends := []string{`". You can now `, `" user notes: `, `" selected preview:`}
	for q := range questions.Items() {
		ends = append(ends, `", "`+q.Get("question").Str()+`"="`)
	}
	end := strings.LastIndexByte(rest, '"')
	for _, next := range ends {
		if i := strings.Index(rest, next); i >= 0 && i < end {
			end = i
		}
	}
	return rest[:max(end, 0)]
}

// Chosen returns what the person chose or wrote for one question: a text, or several, joined. ok is false if a part is
// no text.
func Chosen(v payload.Value) (answer string, ok bool) {
	if v.Kind() != payload.Array {
		return v.Str(), v.Kind() == payload.String
	}
	var all []string
	ok = true
	for item := range v.Items() {
		ok = ok && item.Kind() == payload.String
		all = append(all, item.Str())
	}
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ", "), ok
}

// planBytes bounds how much of a plan's file is read.
const planBytes = 256 << 10

// PlanIn returns the plan in a file that the person has just approved, redacted; empty if the payload is from the past,
// or the file cannot be read.
func PlanIn(file string, env Env) string {
	if file == "" || env.Past {
		return ""
	}
	b, err := disk.ReadFile(env.Path(file), planBytes)
	if err != nil {
		return ""
	}
	return redact.Text(strings.ToValidUTF8(string(b), "\uFFFD"))
}
