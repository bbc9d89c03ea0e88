package answers

import (
	"journal/events"
	"journal/events/text"
	"journal/journal/wire"
	"journal/replay/recovery"
)

// notice returns an answer that is not a recovery text, the zero value for an empty text s. level is the level of a notice of pressure, and
// empty for other notices. about is the sequence of the event that the text is about, 0 for none. claim becomes answer.claim.
func (q question) notice(kind, level, to, s string, about uint64, claim ...string) answer {
	if s == "" {
		return answer{}
	}
	clean := text.Inert
	if to == wire.ToPerson {
		clean = text.Printable // the client shows it on a terminal
	}
	cut := recovery.TextOf(text.CutUnits(clean(s), q.request.Units))
	return answer{
		text: cut.Text, to: to, claim: claim,
		event: events.NoticeGiven{
			Kind: kind, Level: level, To: to, AsOf: q.fold.Seq(), About: about, Lang: q.request.Lang,
			Units: cut.Units, Digest: cut.Digest,
		},
	}
}
