package claude

import (
	"cmp"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
)

// answersOf returns the person's answers to the questions of a call. They are in the member "answers" of the response, else of the
// input. If neither has them, the response is the text for the model, and has them in words. It removes the members that the event has.
func answersOf(in, out *agents.Members) (answers []events.Answer) {
	from := out
	if out.From.Get("answers").Len() == 0 {
		from = in
	}
	complete := true // answers has everything of the member
	for question, v := range from.From.Get("answers").Members() {
		answer, ok := agents.Chosen(v)
		complete = complete && ok
		if answer == "" {
			continue
		}
		if notes := out.From.Path("annotations", question, "notes").Str(); notes != "" && notes != answer {
			answer, complete = answer+" ("+notes+")", false
		}
		answers = append(answers, events.Answer{Question: question, Answer: answer})
	}
	if len(answers) == 0 {
		return answersIn(out.From.Str(), in.From.Get("questions"))
	}
	if complete {
		from.Drop("answers")
	}
	if in.From.Get("answers").Len() > 0 && string(in.From.Get("answers").JSON()) == string(out.From.Get("answers").JSON()) {
		in.Drop("answers")
	}
	return answers
}

// answersIn returns the answers to questions in the text for the model.
func answersIn(text string, questions payload.Value) (answers []events.Answer) {
	for q := range questions.Items() {
		question := q.Get("question").Str()
		if answer := agents.AnswerIn(text, question, questions); answer != "" {
			answers = append(answers, events.Answer{Question: question, Answer: answer})
		}
	}
	return answers
}

// planOf returns the plan that the person approved, and the path of the client's file with the plan; both are "" if nobody approved one.
// The response has the plan as the person edited it. If it has none, as in newer clients, or only a cut one, planOf takes the plan from
// the input, else from the file. It removes the members that the event has.
func planOf(in, out *agents.Members, env agents.Env) (plan, file string) {
	if waits, _ := out.From.Get("awaitingLeaderApproval").Bool(); waits {
		return "", "" // another agent decides, and not the person
	}
	whole := func(v payload.Value) string {
		if v.Cut() {
			return ""
		}
		return v.Str()
	}
	plan, file = whole(out.From.Get("plan")), out.From.Get("filePath").Str()
	if response := out.From; response.Kind() == payload.String { // it is the text for the model
		if !strings.HasPrefix(response.Str(), "User has approved") {
			return "", ""
		}
		if _, rest, ok := strings.Cut(whole(response), "\n## Approved Plan"); ok {
			_, plan, _ = strings.Cut(rest, "\n")
		}
		if _, rest, ok := strings.Cut(response.Str(), "saved to: "); ok {
			file, _, _ = strings.Cut(rest, "\n")
		}
	}
	plan = cmp.Or(plan, whole(in.From.Get("plan")))
	if plan == "" {
		plan = agents.PlanIn(file, env)
	}
	for _, t := range []*agents.Members{in, out} {
		// Copies of the plan are removed, also those with other white space around them, and cut ones if the whole plan is known.
		v := t.From.Get("plan")
		if v.Cut() && plan != "" || v.Kind() == payload.String && strings.TrimSpace(v.Str()) == strings.TrimSpace(plan) {
			t.DropText("plan")
		}
	}
	out.DropText("filePath")
	return plan, file
}
