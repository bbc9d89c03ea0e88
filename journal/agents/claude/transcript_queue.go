package claude

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents/transcript"
)

// queue holds the prompts that were typed while a turn ran and wait for the model.
type queue struct {
	waiting []string
	// removed and attached count the reported prompts by text: a client may report a delivery both by a queue row and
	// by an attachment. The newest clients identify it in both (deliveryId).
	removed, attached map[string]int
}

// operation handles a queue row. remove delivers a prompt to the model in the running turn, which no other row reports.
// dequeue only takes the prompt out, as it has a row of its own, and popAll takes all back.
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

// next removes a prompt from the queue: the named one, else the oldest.
func (q *queue) next(text string) string {
	return cmp.Or(q.remove(func(waits string) bool { return text == "" || waits == text }), text)
}

// arrives removes from the queue a prompt that has a row of its own without a queue row, like the notice of a task.
func (q *queue) arrives(text string) {
	q.remove(func(waits string) bool { return waits != "" && strings.HasPrefix(text, waits) })
}

// remove removes the first waiting prompt that satisfies match, and returns it; empty if there is none.
func (q *queue) remove(match func(waits string) bool) (prompt string) {
	if i := slices.IndexFunc(q.waiting, match); i >= 0 {
		prompt = q.waiting[i]
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return prompt
}

// reportedAlready reports whether a prompt was already reported in the other way; otherwise it records this report.
func reportedAlready(other, this map[string]int, text string) bool {
	if other[text] > 0 {
		other[text]--
		return true
	}
	this[text]++
	return false
}

// queued reports a prompt that goes to the model in the running turn.
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

// attachment handles a prompt that was typed while a turn ran. Other attachments are the client's; for our recovery
// text the owner records the receipt (ADR-0006).
func (r *reader) attachment(t *thread, row row) {
	if transcript.Unquote(get(row.attachment, "type")) != "queued_command" {
		return
	}
	text := textOf(partsOf(get(row.attachment, "prompt")))
	if !reportedAlready(r.queue.removed, r.queue.attached, text) {
		r.queued(t, row, text, "")
	}
}
