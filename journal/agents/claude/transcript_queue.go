package claude

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents/transcript"
)

// queue holds the prompts that the person typed while a turn ran, and that were not delivered to the model yet.
type queue struct {
	waiting []string
	// removed and attached count the prompts that queue rows and attachments reported, by text: a client may report a delivery
	// in both ways. The newest clients mark such a queue row with a deliveryId.
	removed, attached map[string]int
}

// operation handles a queue row. The operation "remove" means that a prompt was delivered in the running turn, "dequeue" that it has a
// row of its own, and "popAll" that the queue was emptied.
func (r *reader) operation(row row) {
	q := &r.queue
	text := transcript.Unquote(row.content)
	switch row.operation {
	case "enqueue":
		q.waiting = append(q.waiting, text)
	case "dequeue":
		q.next("")
	case "popAll":
		q.waiting = nil
	case "remove":
		if text = q.next(text); !row.delivered && !reportedAlready(q.attached, q.removed, text) {
			// The row has no id, and another may have the same time.
			row.uuid = events.DerivedID("queue", row.at.UTC().Format(time.RFC3339Nano), text)
			row.within = true
			r.queued(r.thread(row), row, text, "queued")
		}
	}
}

// next removes the first prompt with a text from the queue, or for "" the oldest one, and returns it. If there is none, it returns text.
func (q *queue) next(text string) string {
	return cmp.Or(q.remove(func(prompt string) bool { return text == "" || prompt == text }), text)
}

// delivered removes the first prompt with which a text begins: the client writes no queue row for some prompts with rows of their own,
// such as notices of tasks.
func (q *queue) delivered(text string) {
	q.remove(func(prompt string) bool { return prompt != "" && strings.HasPrefix(text, prompt) })
}

// remove removes the first prompt that satisfies match, and returns it; "" if there is none.
func (q *queue) remove(match func(prompt string) bool) (prompt string) {
	if i := slices.IndexFunc(q.waiting, match); i >= 0 {
		prompt = q.waiting[i]
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return prompt
}

// reportedAlready reports whether a prompt was already reported in another way. Otherwise it records this report.
func reportedAlready(other, this map[string]int, text string) bool {
	if other[text] > 0 {
		other[text]--
		return true
	}
	this[text]++
	return false
}

// queued reports a prompt that was delivered to the model in the running turn. detail is that of addHookStep.
func (r *reader) queued(t *thread, row row, text, detail string) {
	if text = hookPrompt(text); text == "" || t.lane != "" || !r.began {
		return
	}
	row.prompt = t.turn
	if !IsNotice(text) {
		r.Words = transcript.Words{Row: row.uuid, Turn: transcript.Unquote(t.turn)}
	}
	if s := r.addHookStep(t, row, "UserPromptSubmit", detail, member{"prompt", quote(text)}); s != nil {
		s.Report.Hook.Within = true
		s.Report.Hook.Machine = s.Report.Hook.Machine || row.machine()
	}
}

// attachment handles a prompt that the person typed while a turn ran. Other attachments are not reported here: contextReader finds the
// recovery text in them (ADR-0006).
func (r *reader) attachment(t *thread, row row) {
	if transcript.Unquote(get(row.attachment, "type")) != "queued_command" {
		return
	}
	text := textOf(partsOf(get(row.attachment, "prompt")))
	if !reportedAlready(r.queue.removed, r.queue.attached, text) {
		r.queued(t, row, text, "")
	}
}
