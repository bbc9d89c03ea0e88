package spool

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// sweepAfter is the age at which an incomplete temporary file is removed
// (ADR-0004 rule 10).
const sweepAfter = time.Hour

// Sweep removes the temporary files that writers left incomplete more than an
// hour before now, and returns how many. Nothing is lost: their hooks ended
// before Put returned. Complete files, files of a later format, and names
// that this package does not write stay.
func (d *Dir) Sweep(now time.Time) (removed int, err error) {
	names, err := readNames(d.path)
	if err != nil {
		return 0, fmt.Errorf("sweep spool: %w", err)
	}
	var errs []error
	for _, name := range names {
		final, isTmp := strings.CutPrefix(name, tmpPrefix)
		if !isTmp {
			continue
		}
		e, err := ParseName(final)
		e.Name = name
		if err != nil || !d.untouched(e, now, sweepAfter) {
			continue
		}
		if _, _, err := d.Read(e); !errors.Is(err, ErrBroken) {
			continue
		}
		if err := d.Remove(e); err != nil {
			errs = append(errs, err)
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}
