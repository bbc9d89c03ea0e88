package journal

import (
	"iter"

	"journal/events"
)

// merge merges ordered sequences into one, with each event once.
func merge(sources []iter.Seq2[events.Envelope, error]) iter.Seq2[events.Envelope, error] {
	if len(sources) == 1 {
		return sources[0]
	}
	return func(yield func(events.Envelope, error) bool) {
		type head struct {
			next func() (events.Envelope, error, bool)
			e    events.Envelope
		}
		var heads []*head
		for _, s := range sources {
			next, stop := iter.Pull2(s)
			defer stop()
			heads = append(heads, &head{next: next})
		}
		// advance moves to the next event of a source; false ends the merge.
		advance := func(h *head) (alive bool, err error) {
			e, err, ok := h.next()
			h.e = e
			return ok, err
		}
		live := heads[:0]
		for _, h := range heads {
			ok, err := advance(h)
			if err != nil {
				yield(events.Envelope{}, err)
				return
			}
			if ok {
				live = append(live, h)
			}
		}
		for len(live) > 0 {
			first := live[0]
			for _, h := range live[1:] {
				if h.e.Seq < first.e.Seq {
					first = h
				}
			}
			e := first.e
			if !yield(e, nil) {
				return
			}
			rest := live[:0]
			for _, h := range live {
				ok := true
				if h.e.Seq == e.Seq {
					var err error
					if ok, err = advance(h); err != nil {
						yield(events.Envelope{}, err)
						return
					}
				}
				if ok {
					rest = append(rest, h)
				}
			}
			live = rest
		}
	}
}
