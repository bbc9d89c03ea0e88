package rebuild

import (
	"bytes"
	"iter"

	"journal/embedded/copies"
	"journal/journal/record"
)

// Remote is a copy of the log on another machine. It has records that both local copies lack.
type Remote struct {
	Records iter.Seq2[record.Record, error] // from #1, without holes; Data is valid during a step
	// Merge returns the record for a sequence, from the record of the log and that of the remote copy. own has only a sequence if the log
	// lost its record, or never had it.
	Merge func(own, remote record.Record) record.Record
	// Forgets is true if no replaced copy of the log may be kept.
	Forgets bool
}

// merger merges a remote copy into a log that is rebuilt.
type merger struct {
	Remote
	next func() (record.Record, error, bool) // reads Records
}

// merge returns an entry of the log after the merge with the remote record of the same sequence, if there is one.
func (m merger) merge(e copies.Entry, r *Result) (copies.Entry, error) {
	remote, err, ok := m.next()
	if err != nil || !ok {
		return e, err
	}
	merged := m.Merge(e.Record, remote)
	same := merged.Subject == e.Subject && merged.ID == e.ID && bytes.Equal(merged.Data, e.Data)
	if same || e.Origin == copies.Lost && merged.Subject == record.Withheld { // what both lack stays lost
		return e, nil
	}
	r.changed.Add(e.Seq)
	merged.Seq = e.Seq
	return copies.Entry{Origin: copies.InStore, Record: merged}, nil // neither lost nor from the archive
}

// putRest writes the remote records behind the end of the log.
func (m merger) putRest(w *writer) error {
	for {
		remote, err, ok := m.next()
		if err != nil || !ok {
			return err
		}
		if err := w.put(m.Merge(record.Record{Seq: remote.Seq}, remote)); err != nil {
			return err
		}
	}
}
