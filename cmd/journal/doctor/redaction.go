package doctor

import (
	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal/redact"
	"journal/journal/wire/client"
)

func checkRedaction(x *examination) {
	log, end, err := x.openLog()
	defer end()
	if err != nil || log == nil {
		return // the check of the hooks reports it
	}
	old, leaking := 0, 0
	for e, err := range log.Events(x.ctx, events.Span{}) {
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
		x.remark("journal forget --secrets", "the current rules would change %s of %d that other rules redacted", cli.Counted(leaking, "event"), old)
		return
	}
	x.fine("no recorded event contains a secret under the current rules")
}
