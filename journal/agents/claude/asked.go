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

// refusals begin what the client tells the model of a call that the person did not
// want. Nothing of it is the person's but what stands behind saidBy.
var refusals = []string{
	"The user doesn't want to proceed with this tool use.",
	"The user doesn't want to take this action right now.",
	"Permission for this tool use was denied. The tool use was rejected",
	"The agent proposed a plan that was rejected by the user.",
	"User rejected ",
}

// saidBy stands before the person's words, within the client's sentence; adviceBehind
// begins what the client adds to them.
const (
	saidBy       = "he user said:"
	saidWithin   = 300
	adviceBehind = "\n\nNote: The user's next message may contain a correction"
)

// formulas begin what the client says for a person who chose to talk about questions
// instead of answering them.
var formulas = []string{
	"The user wants to clarify these questions.",
	"The user has indicated they have provided enough answers",
}

// refusalOf says whether a tool's error or answer is that the person refused the
// call, and what they said.
func refusalOf(text string) (words string, refused bool) {
	text = bare(text)
	if !begins(text, refusals) {
		return "", false
	}
	if i := strings.Index(text, saidBy); 0 <= i && i < saidWithin {
		words, _, _ = strings.Cut(text[i+len(saidBy):], adviceBehind)
	}
	if begins(words, formulas) {
		words = ""
	}
	return strings.TrimSpace(words), true
}

// voids begin what the client tells of a call that came to no end of its own: the person
// interrupted it, another call of the same batch failed, or the permissions did not let
// it run.
var voids = []string{
	interruption, "Sibling tool call errored", "Cancelled: parallel tool call", "Permission to use ", "Claude requested permissions to ",
}

const interruption = "[Request interrupted by user"

// isVoid says whether a tool's error is that the call came to no end of its own.
func isVoid(text string) bool {
	text = bare(text)
	return begins(text, voids) || wasCut(text)
}

// wasCut says whether the text is what a call said until the person stopped it.
func wasCut(text string) bool {
	i := strings.LastIndexByte(text, '\n')
	return i >= 0 && strings.HasPrefix(text[i+1:], interruption)
}

// bare takes off what some versions put around an error.
func bare(text string) string {
	text = strings.TrimSpace(text)
	if inner := tag(text, "tool_use_error"); inner != "" && strings.HasPrefix(text, "<tool_use_error>") {
		text = inner
	}
	return strings.TrimPrefix(text, "Error: ")
}
