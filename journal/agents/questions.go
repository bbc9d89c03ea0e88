package agents

import (
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents/payload"
	"journal/journal/disk"
	"journal/journal/redact"
)

// SetAnswers records the person's answers in a call of a tool that asks questions. The function answer returns the answer to the i-th
// question, "" if there is none. A call without an answer to any question is unchanged, because nothing was decided.
func SetAnswers(t *events.ToolCall, questions payload.Value, answer func(i int, question payload.Value) string) {
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

// AnswerIn returns the answer to a question, "" if text has none. text is the one that several clients send to the model:
// User has answered your questions: "Which one?"="one", "Why?"="small". You can now …
// questions lists all questions of the call.
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

// Chosen returns the person's answer to one question, from a string or a list of strings, which are joined. ok is false if v or an
// element of it is not a string.
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

// planBytes bounds the size of a plan's file, in bytes.
const planBytes = 256 << 10

// PlanIn returns the redacted plan in a file: the plan that the person has just approved. It is "" if the payload is from the past,
// because the file may have changed since, and if the file cannot be read or has more than planBytes.
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
