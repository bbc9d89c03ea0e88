package journal

import (
	"iter"

	"journal/events"
	"journal/journal/record"
)

const (
	aheadRecords = 256       // in one piece
	aheadPieces  = 4         // that wait, or are being decoded
	aheadBiggest = 256 << 10 // bytes of one piece, as they are stored
)

// ahead reads on a goroutine of its own, some pieces ahead of whoever takes the events,
// and decodes pieces on others: all processors then share the work of a fold. cancel
// ends the source, also when the caller leaves early, and is always called.
func ahead(cancel func(), from iter.Seq2[record.Record, error]) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		pieces, stop, done := make(chan *piece, aheadPieces), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			defer close(pieces)
			readPieces(from, func(p *piece) bool {
				select {
				case pieces <- p:
					go p.decode()
					return true
				case <-stop:
					return false
				}
			})
		}()
		// Nothing of the source may run once the caller goes on.
		defer func() { close(stop); cancel(); <-done }()
		for p := range pieces {
			<-p.decoded
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

// piece is a stretch of the log on its way from who reads it to who takes its events.
type piece struct {
	records []record.Record
	events  []events.Envelope
	err     error // behind the events
	decoded chan struct{}
}

func newPiece() *piece {
	return &piece{records: make([]record.Record, 0, aheadRecords), decoded: make(chan struct{})}
}

// readPieces gives a source in pieces to send, until that returns false.
func readPieces(from iter.Seq2[record.Record, error], send func(*piece) bool) {
	p, size := newPiece(), 0
	for r, err := range from {
		if err != nil {
			p.err = err
			break
		}
		p.records = append(p.records, r)
		if size += len(r.Data); len(p.records) == aheadRecords || size >= aheadBiggest {
			if !send(p) {
				return
			}
			p, size = newPiece(), 0
		}
	}
	send(p)
}

// decode makes the events of a piece out of its records.
func (p *piece) decode() {
	defer close(p.decoded)
	p.events = make([]events.Envelope, 0, len(p.records))
	for _, r := range p.records {
		e, foreign, err := decodeAt(r)
		if err != nil {
			p.err = err // what was read behind it is of no use
			return
		}
		if !foreign {
			p.events = append(p.events, e)
		}
	}
	p.records = nil
}
