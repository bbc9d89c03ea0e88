package claude

import (
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents/transcript"
)

// queue are the prompts that were typed while a turn ran and wait for the model.
type queue struct {
	waiting []string
	// removed and attached count the prompts that were told, by their text: a client may
	// tell a delivery by a row of the queue and by an attachment. The newest name it in
	// both (deliveryId).
	removed, attached map[string]int
}

// operation takes a row about the queue. remove is a prompt that goes to the model in
// the running turn, which no other row tells; before dequeue's row of its own the
// prompt is only taken out, and popAll takes all back.
func (r *reader) operation(one row) {
	q := &r.queue
	text := transcript.Unquote(one.content)
	switch one.operation {
	case "enqueue":
		q.waiting = append(q.waiting, text)
	case "dequeue":
		q.next("")
	case "popAll":
		q.waiting = nil
	case "remove":
		if text = q.next(text); !one.delivered && !twin(&q.attached, &q.removed, text) {
			// The row has no id, and may be of one moment with another.
			one.uuid = events.DerivedID("queue", one.at.UTC().Format(time.RFC3339Nano), text)
			one.within = true
			r.queued(r.thread(one), one, text, "queued")
		}
	}
}

// next takes a prompt out of the queue: the named one, else the oldest.
func (q *queue) next(text string) string {
	for i, waits := range q.waiting {
		if text == "" || waits == text {
			q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
			return waits
		}
	}
	return text
}

// arrives takes out of the queue what comes as a row of its own without a word about
// the queue, as the notice of a task does.
func (q *queue) arrives(text string) {
	for i, waits := range q.waiting {
		if waits != "" && strings.HasPrefix(text, waits) {
			q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
			return
		}
	}
}

// twin says whether the other way of telling has told a prompt already; else it notes
// that this one does.
func twin(other, this *map[string]int, text string) bool {
	if (*other)[text] > 0 {
		(*other)[text]--
		return true
	}
	if *this == nil {
		*this = map[string]int{}
	}
	(*this)[text]++
	return false
}

// queued tells a prompt that goes to the model in the running turn.
func (r *reader) queued(t *thread, one row, text, detail string) {
	if text = told(text); text == "" || t.lane != "" || !r.began {
		return
	}
	one.prompt = t.turn
	r.Words = transcript.Words{Row: one.uuid, Turn: transcript.Unquote(t.turn)}
	n := len(r.Pending)
	r.say(t, one, "UserPromptSubmit", detail, member{"prompt", quote(text)})
	for i := range r.Pending[n:] {
		r.Pending[n+i].Report.Hook.Within = true
	}
}

// attachment takes a prompt that was typed while a turn ran. The other attachments
// are the client's, and of our recovery text the owner makes the receipt (ADR-0006).
func (r *reader) attachment(t *thread, one row) {
	if transcript.Unquote(get(one.attachment, "type")) != "queued_command" {
		return
	}
	text := textOf(partsOf(get(one.attachment, "prompt")))
	if !twin(&r.queue.removed, &r.queue.attached, text) {
		r.queued(t, one, text, "")
	}
}
