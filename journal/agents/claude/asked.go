package claude

import (
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/disk"
	"journal/journal/redact"
)

// answersOf reads what the person chose or wrote at the questions of a call. Where the
// response is only the text for the model, the answers stand in that.
func answersOf(in, out *agents.Taker) (answers []events.Answer) {
	from := out
	if out.From.Get("answers").Len() == 0 {
		from = in
	}
	known := true
	for question, v := range from.From.Get("answers").Members() {
		answer, ok := chosen(v)
		if known = known && ok; answer == "" {
			continue
		}
		if notes := out.From.Path("annotations", question, "notes").Str(); notes != "" {
			answer, known = answer+" ("+notes+")", false
		}
		answers = append(answers, events.Answer{Question: question, Answer: answer})
	}
	if len(answers) == 0 {
		return answersSaid(out.From.Str(), in.From.Get("questions"))
	}
	if known {
		from.Drop("answers")
	}
	if in.From.Get("answers").Len() > 0 && string(in.From.Get("answers").JSON()) == string(out.From.Get("answers").JSON()) {
		in.Drop("answers")
	}
	return answers
}

// chosen reads an answer: a text, or several of them.
func chosen(v payload.Value) (answer string, ok bool) {
	if v.Kind() != payload.Array {
		return v.Str(), v.Kind() == payload.String
	}
	var all []string
	ok = true
	for item := range v.Items() {
		ok = ok && item.Kind() == payload.String
		all = append(all, item.Str())
	}
	return strings.Join(all, ", "), ok
}

// answersSaid reads answers out of the text for the model:
// User has answered your questions: "Which one?"="one", "Why?"="small". You can now …
func answersSaid(text string, questions payload.Value) (answers []events.Answer) {
	var asked []string
	for q := range questions.Items() {
		asked = append(asked, q.Get("question").Str())
	}
	for _, q := range asked {
		_, rest, ok := strings.Cut(text, `"`+q+`"="`)
		if !ok || q == "" {
			continue
		}
		end := strings.LastIndexByte(rest, '"')
		for _, next := range slices.Concat([]string{`". You can now `, `" user notes: `, `" selected preview:`}, asked) {
			if slices.Contains(asked, next) {
				next = `", "` + next + `"="`
			}
			if i := strings.Index(rest, next); i >= 0 && i < end {
				end = i
			}
		}
		if end > 0 {
			answers = append(answers, events.Answer{Question: q, Answer: rest[:end]})
		}
	}
	return answers
}

// planBytes bounds the file of a plan that is read.
const planBytes = 256 << 10

// planOf reads the plan that the person approved, and where the client keeps it; both
// empty when nobody did. The response has it as the person left it, newer clients only
// in the file. One that came cut is taken whole out of the file or not at all.
func planOf(in, out *agents.Taker, env agents.Env) (plan, file string) {
	if waits, _ := out.From.Get("awaitingLeaderApproval").Bool(); waits {
		return "", "" // another agent decides
	}
	whole := func(v payload.Value) string {
		if v.Cut() {
			return ""
		}
		return v.Str()
	}
	plan, file = whole(out.From.Get("plan")), out.From.Get("filePath").Str()
	if said := out.From; said.Kind() == payload.String { // the text for the model
		if !strings.HasPrefix(said.Str(), "User has approved") {
			return "", ""
		}
		if _, rest, ok := strings.Cut(whole(said), "\n## Approved Plan"); ok {
			_, plan, _ = strings.Cut(rest, "\n")
		}
		if _, rest, ok := strings.Cut(said.Str(), "saved to: "); ok {
			file, _, _ = strings.Cut(rest, "\n")
		}
	}
	if plan == "" {
		plan = whole(in.From.Get("plan"))
	}
	if plan == "" && file != "" && !env.Past {
		if b, err := disk.ReadFile(env.Path(file), planBytes); err == nil {
			plan = redact.Text(strings.ToValidUTF8(string(b), "\uFFFD"))
		}
	}
	for _, t := range []*agents.Taker{in, out} {
		// A line end is no other plan, and a cut one no other beside one that is whole.
		v := t.From.Get("plan")
		if v.Cut() && plan != "" || v.Kind() == payload.String && strings.TrimSpace(v.Str()) == strings.TrimSpace(plan) {
			t.Text("plan")
		}
	}
	out.Text("filePath")
	return plan, file
}
