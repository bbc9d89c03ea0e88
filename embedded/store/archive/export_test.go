package archive

import (
	"os"
	"path/filepath"

	"journal/journal/record"
)

// Unreadable is unreadable.
var Unreadable = unreadable

// After returns the chain after one more record.
func (c Chain) After(r record.Record) (Chain, error) {
	frame, err := appendFrame(nil, r)
	if err != nil {
		return c, err
	}
	return c.after(frame[frameHead:]), nil
}

// Chain returns the chain with which the next record or segment begins.
func (w *Writer) Chain() Chain { return w.chain }

// Forge writes a sealed segment of some records with the given name, sequences and count, and returns its link. Its chain is other, or that
// of the records if other is zero.
func Forge(dir string, name [2]uint64, first, last, count uint64, records []record.Record, before, other Chain) (Chain, error) {
	raw := header{first: first, before: before}.append(nil)
	chain := before
	for _, r := range records {
		var err error
		if raw, err = appendFrame(raw, r); err != nil {
			return chain, err
		}
		if chain, err = chain.After(r); err != nil {
			return chain, err
		}
	}
	if other != (Chain{}) {
		chain = other
	}
	s := seal{last: last, count: count, size: uint64(len(raw)), chain: chain}.linked()
	if err := writeSealed(dir, first, compress(raw), s); err != nil {
		return chain, err
	}
	return s.link, os.Rename(filepath.Join(dir, sealedName(first, last)), filepath.Join(dir, sealedName(name[0], name[1])))
}
