package journal

import (
	"iter"

	"journal/events"
)

const (
	aheadEvents  = 256     // in one piece, from one goroutine to the other
	aheadPieces  = 4       // that wait
	aheadBiggest = 1 << 20 // bytes in one piece
)

// ahead reads and decodes on a goroutine of its own, some pieces ahead of whoever
// takes the events: two processors then share the work of a fold. cancel ends the
// source when the caller leaves early.
func ahead(cancel func(), from iter.Seq2[events.Envelope, error]) iter.Seq2[events.Envelope, error] {
	type piece struct {
		events []events.Envelope
		err    error // behind the events
	}
	return func(yield func(events.Envelope, error) bool) {
		pieces, stop, done := make(chan piece, aheadPieces), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			defer close(pieces)
			var p piece
			size := 0
			send := func() bool {
				select {
				case pieces <- p:
				case <-stop:
					return false
				}
				p, size = piece{events: make([]events.Envelope, 0, aheadEvents)}, 0
				return true
			}
			for e, err := range from {
				if err != nil {
					p.err = err
					break
				}
				p.events = append(p.events, e)
				if size += len(e.Body) + len(e.More); len(p.events) == aheadEvents || size >= aheadBiggest {
					if !send() {
						return
					}
				}
			}
			send()
		}()
		// Nothing of the source may run once the caller goes on.
		defer func() { close(stop); cancel(); <-done }()
		for p := range pieces {
			for _, e := range p.events {
				if !yield(e, nil) {
					return
				}
			}
			if p.err != nil {
				yield(events.Envelope{}, p.err)
				return
			}
		}
	}
}
