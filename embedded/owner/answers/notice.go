package answers

import (
	"journal/events"
	"journal/events/text"
	"journal/journal/wire"
	"journal/replay/recovery"
)

// notice returns an answer with the text s, the zero value if s is empty. n is the event that records it; notice sets the fields that
// describe the text. claim becomes answer.claim.
func (q question) notice(n events.NoticeGiven, s string, claim ...string) answer {
	if s == "" {
		return answer{}
	}
	clean := text.Inert
	if n.To == wire.ToPerson {
		clean = text.Printable // the client shows it on a terminal
	}
	cut := recovery.TextOf(text.CutUnits(clean(s), q.request.Units))
	n.AsOf, n.Lang, n.Units, n.Digest = q.fold.Seq(), q.request.Lang, cut.Units, cut.Digest
	return answer{text: cut.Text, to: n.To, claim: claim, event: n}
}
