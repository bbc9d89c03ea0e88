package doctor

import (
	"journal/events"
	"journal/events/text"
	"journal/journal/redact"
	"journal/journal/wire/client"
)

// checkRedaction looks for secrets in the events that were not redacted by the present version of the rules.
func checkRedaction(x *examination) {
	if x.log == nil {
		return // checkHooks reports it
	}
	old, leaking := 0, 0
	for e, err := range x.log.Events(x.ctx, events.Span{}) {
		if err != nil {
			x.problem("journal verify", "%v", err)
			return
		}
		if e.Rules == int(redact.RuleSet) {
			continue
		}
		old++
		if found, err := client.Secrets(e); err == nil && len(found) > 0 {
			leaking++
		}
	}
	if leaking > 0 {
		x.note("journal forget --secrets", "the current rules find secrets in %s of %d that other rules redacted", text.Counted(leaking, "event"), old)
		return
	}
	x.ok("no recorded event contains a secret under the current rules")
}
