package claude

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"journal/events"
)

// queue holds the prompts that the person typed while a turn ran and that the model did not get yet.
type queue struct {
	waiting []string // oldest first
	// A client may report the delivery of a prompt by a queue row and by an attachment. removed counts the deliveries that so far only
	// queue rows reported, and attached those that only attachments reported, by the prompt's text. The newest clients mark a queue
	// row with a deliveryId if there is an attachment too.
	removed, attached map[string]int
}

// queueOperation handles a row about the queue. The operation "remove" means that a prompt was delivered in the running turn, "dequeue"
// that a prompt has a row of its own, and "popAll" that the queue was emptied.
func (r *reader) queueOperation(row row) {
	q := &r.queue
	switch row.operation {
	case "enqueue":
		q.waiting = append(q.waiting, row.content)
	case "dequeue":
		q.next("")
	case "popAll":
		q.waiting = nil
	case "remove":
		text := q.next(row.content)
		if !row.delivered && !reportedAlready(q.attached, q.removed, text) {
			// The row has no id, and other rows may have the same time.
			row.uuid = events.DerivedID("queue", row.at.UTC().Format(time.RFC3339Nano), text)
			row.within = true
			r.reportQueued(r.thread(row), row, text, "queued")
		}
	}
}

// next removes the oldest prompt that equals text from the queue, for "" the oldest of all, and returns it. If there is none, it
// returns text.
func (q *queue) next(text string) string {
	return cmp.Or(q.remove(func(prompt string) bool { return text == "" || prompt == text }), text)
}

// delivered removes the oldest prompt with which text begins. text is that of a row of its own: for some prompts, such as notices of
// tasks, the client writes no queue row.
func (q *queue) delivered(text string) {
	q.remove(func(prompt string) bool { return prompt != "" && strings.HasPrefix(text, prompt) })
}

// remove removes the oldest prompt that satisfies match, and returns it; "" if there is none.
func (q *queue) remove(match func(prompt string) bool) (prompt string) {
	if i := slices.IndexFunc(q.waiting, match); i >= 0 {
		prompt = q.waiting[i]
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return prompt
}

// reportedAlready reports whether the delivery of a prompt was already reported in the other way, and removes it from the count otherWay.
// If it was not, it adds this report to the count thisWay.
func reportedAlready(otherWay, thisWay map[string]int, text string) bool {
	if otherWay[text] > 0 {
		otherWay[text]--
		return true
	}
	thisWay[text]++
	return false
}

// reportQueued reports a prompt that was delivered to the model in the running turn. detail is that of addHookStep.
func (r *reader) reportQueued(t *thread, row row, text, detail string) {
	if text = hookPrompt(text); text == "" || t.lane != "" || !r.began {
		return
	}
	row.prompt = t.turn
	if !isNotice(text) {
		r.Words = r.Words.Next(row.uuid, t.turn, "")
	}
	if s := r.addHookStep(t, row, "UserPromptSubmit", detail, map[string]any{"prompt": text}); s != nil {
		s.Report.Hook.DuringTurn = true
		s.Report.Hook.Machine = s.Report.Hook.Machine || row.machine()
	}
}

// attachment handles an attachment with a prompt that the person typed while a turn ran. It reports no other attachments: contextReader
// reads those with the texts of hooks (ADR-0006).
func (r *reader) attachment(t *thread, row row) {
	if textIn(row.attachment, "type") != "queued_command" {
		return
	}
	text := textOf(partsOf(get(row.attachment, "prompt")))
	if !reportedAlready(r.queue.removed, r.queue.attached, text) {
		r.reportQueued(t, row, text, "")
	}
}
