package archive

import "journal/journal/record"

// After gives the chain after one more record, for tests that follow it by
// themselves.
func (c Chain) After(r record.Record) (Chain, error) {
	frame, err := appendFrame(nil, r)
	if err != nil {
		return c, err
	}
	return c.after(frame[frameHead:]), nil
}
