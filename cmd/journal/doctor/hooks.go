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
	"journal/journal"
)

// openLog opens the log of a running owner; nil without one, because doctor starts none.
func (x *examination) openLog() (log *journal.Log, end func(), err error) {
	if x.status.Owner == nil {
		return nil, func() {}, nil
	}
	return x.OwnersLog(x.ctx, nil)
}

// maxArrivals bounds the event types that are named.
const maxArrivals = 8

func checkHooks(x *examination) {
	log, end, err := x.openLog()
	defer end()
	switch {
	case err != nil:
		x.remark("journal status", "what arrived cannot be read: %v", err)
		return
	case x.nothingArrived():
		return // the check of the agent reports it
	case log == nil:
		x.fine("not looked at, no owner runs; journal log shows the newest events")
		return
	}
	newest, err := x.arrivals(log)
	if err != nil {
		x.problem("journal verify", "%v", err)
		return
	}
	if len(newest) == 0 {
		x.remark("start a new session of the agent", "none arrived yet, or none since an import; what is recorded came from commands or transcripts")
		return
	}
	var all []string
	for _, m := range newest {
		all = append(all, fmt.Sprintf("%s %s", m.Type, ago(time.Since(m.Time()))))
	}
	x.fine("newest: %s", strings.Join(all, ", "))
}

// arrivals returns the newest event of each of the types that hooks reported last, the newest first. Imports and answers have
// derived ids.
func (x *examination) arrivals(log *journal.Log) (newest []events.Meta, err error) {
	last := x.status.LastSeq
	for within := uint64(1000); ; within *= 4 {
		byType := map[events.Type]events.Meta{}
		span := events.Span{After: last - min(last, within), Until: last}
		for e, err := range log.Events(x.ctx, span) {
			if err != nil {
				return nil, err
			}
			if e.Agent != "" && e.Cause == "" && !events.Derived(e.ID) && !events.Aside(e.Type) {
				byType[e.Type] = e.Meta
			}
		}
		if len(byType) >= maxArrivals || span.After == 0 {
			newest = slices.SortedFunc(maps.Values(byType), func(a, b events.Meta) int { return cmp.Compare(b.Seq, a.Seq) })
			return newest[:min(maxArrivals, len(newest))], nil
		}
	}
}

func checkRecovery(x *examination) {
	log, end, err := x.openLog()
	defer end()
	if err != nil || log == nil {
		return // said above
	}
	given, err := log.Last(x.ctx, events.Selector{Type: events.TypeOf[events.RecoveryGiven]()})
	if err != nil {
		x.fine("none was offered yet") // unreadable events were reported above
		return
	}
	about := fmt.Sprintf("the last text, #%d of session %.8s, %s", given.Seq, given.Session, ago(time.Since(given.Time())))
	receipt, err := log.Last(x.ctx, events.Selector{Project: given.Project, Session: given.Session, Type: events.TypeOf[events.DeliveryConfirmed]()})
	confirmed, _ := events.As[events.DeliveryConfirmed](receipt)
	switch {
	case err != nil || receipt.Seq < given.Seq || confirmed.Recovery != 0 && confirmed.Recovery != given.Seq:
		x.fine("%s: the agent's transcript has not shown yet whether it arrived", about)
	case confirmed.Whole:
		x.fine("%s, arrived whole", about)
	case confirmed.Recovery == 0:
		x.problem("check that no other SessionStart hook prints broken JSON, and that disableAllHooks is not set", "%s, did not reach the agent", about)
	default:
		x.problem("journal recover shows it; if you have your own template, shorten it", "%s, arrived in part: %d units of it", about, confirmed.Preview)
	}
}

// ago returns the time since something, for people.
func ago(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return cli.Age(d) + " ago"
}
