package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
)

// maxArrivals is the number of event types that checkHooks names at most.
const maxArrivals = 8

// checkHooks reports which types of events hooks recorded last, and when.
func checkHooks(x *examination) {
	switch {
	case x.logError != nil:
		x.note("journal status", "the log cannot be read: %v", x.logError)
		return
	case x.nothingArrived():
		return // the check of the agent reports it
	case x.log == nil:
		x.ok("not checked, because no owner runs; journal log shows the newest events")
		return
	}
	newest, err := x.arrivals()
	if err != nil {
		x.problem("journal verify", "%v", err)
		return
	}
	if len(newest) == 0 {
		x.note("start a new session of the agent", "none arrived yet, or none since an import: all recorded events are from commands or transcripts")
		return
	}
	var all []string
	for _, m := range newest {
		all = append(all, fmt.Sprintf("%s %s", m.Type, ageText(time.Since(m.Time()))))
	}
	x.ok("newest: %s", strings.Join(all, ", "))
}

// arrivals returns the metadata of the newest event of each type that began a hook's report, the newest first, at most
// maxArrivals. It reads the newest thousand events of the log, and then four times as many, until it has enough types or has read
// all. Events of imports and of answers do not count: they have derived ids. Nor do those of verbs, which have no agent, and the
// further events of a report, which have a cause.
func (x *examination) arrivals() (newest []events.Meta, err error) {
	last := x.status.LastSeq
	for n := uint64(1000); ; n *= 4 {
		byType := map[events.Type]events.Meta{}
		span := events.Span{After: last - min(last, n), Until: last}
		for e, err := range x.log.Events(x.ctx, span) {
			if err != nil {
				return nil, err
			}
			if e.Agent != "" && e.Cause == "" && !events.Derived(e.ID) && !events.Bookkeeping(e.Type) {
				byType[e.Type] = e.Meta
			}
		}
		if len(byType) >= maxArrivals || span.After == 0 {
			newest = slices.SortedFunc(maps.Values(byType), func(a, b events.Meta) int { return cmp.Compare(b.Seq, a.Seq) })
			return newest[:min(maxArrivals, len(newest))], nil
		}
	}
}

// checkRecovery reports whether the last recovery text arrived at the agent.
func checkRecovery(x *examination) {
	if x.log == nil {
		return // checkHooks reports it
	}
	offered, err := x.log.Last(x.ctx, events.Selector{Type: events.TypeOf[events.RecoveryGiven]()})
	if err != nil {
		x.ok("none was offered yet") // checkHooks reports an unreadable log
		return
	}
	about := fmt.Sprintf("the last text, #%d of session %.8s, %s", offered.Seq, offered.Session, ageText(time.Since(offered.Time())))
	receipt, err := x.log.Last(x.ctx, events.Selector{Project: offered.Project, Session: offered.Session, Type: events.TypeOf[events.DeliveryConfirmed]()})
	confirmed, _ := events.As[events.DeliveryConfirmed](receipt)
	switch {
	case err != nil || receipt.Seq < offered.Seq || confirmed.Recovery != 0 && confirmed.Recovery != offered.Seq:
		x.ok("%s: the agent's transcript has not shown yet whether it arrived", about)
	case confirmed.Whole:
		x.ok("%s, arrived whole", about)
	case confirmed.Recovery == 0:
		x.problem("check that no other SessionStart hook prints broken JSON, and that disableAllHooks is not set", "%s, did not reach the agent", about)
	default:
		x.problem("journal recover shows it; if you have your own template, shorten it", "%s, arrived in part: its first %s", about, text.Counted(confirmed.Preview, "UTF-16 unit"))
	}
}

// ageText returns an age as text: "just now", or "3 h ago".
func ageText(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return cli.Age(d) + " ago"
}
