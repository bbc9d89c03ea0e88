package rebuild

import (
	"bytes"
	"iter"

	"journal/embedded/copies"
	"journal/journal/record"
)

// Beside is a copy of the log that is elsewhere, and has what both copies here lack.
type Beside struct {
	Records iter.Seq2[record.Record, error] // from #1 on, without holes; Data is valid during a step
	// Merge gives what the log is to have at a place, where it and the copy have these records. A record with a number alone
	// is one that the log lost, or never had.
	Merge func(own, there record.Record) record.Record
	// Forgets says that nothing may stay of what was replaced, in no copy that was put aside.
	Forgets bool
}

// merger takes a copy from elsewhere into a log that is written anew.
type merger struct {
	Beside
	next func() (record.Record, error, bool)
}

// place gives what is to be at a place of the log.
func (m merger) place(at copies.Entry, r *Result) (copies.Entry, error) {
	there, err, ok := m.next()
	if err != nil || !ok {
		return at, err
	}
	is := m.Merge(at.Record, there)
	same := is.Subject == at.Subject && is.ID == at.ID && bytes.Equal(is.Data, at.Data)
	if same || at.Origin == copies.Lost && is.Subject == record.Withheld {
		return at, nil
	}
	r.changed.Add(at.Seq)
	is.Seq = at.Seq
	return copies.Entry{Origin: copies.InStore, Record: is}, nil
}

// rest writes what the copy has behind the end of the log.
func (m merger) rest(w *writer) error {
	for {
		there, err, ok := m.next()
		if err == nil && ok {
			err = w.put(m.Merge(record.Record{Seq: there.Seq}, there))
		}
		if err != nil || !ok {
			return err
		}
	}
}
