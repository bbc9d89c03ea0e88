package projections

import (
	"encoding/json"
	"time"
)

// Stamp is a time in a projection's state, by the clock of the reporter: nanoseconds since 1970 UTC, RFC 3339 in JSON. 0 means unknown.
type Stamp int64

// Time returns the stamp in UTC.
func (s Stamp) Time() time.Time { return time.Unix(0, int64(s)).UTC() }

// MarshalJSON encodes the time in RFC 3339.
func (s Stamp) MarshalJSON() ([]byte, error) {
	return json.Marshal(s.Time().Format(time.RFC3339Nano))
}

// StampOf parses a time in RFC 3339. It returns 0 for any other text, and for a time that a stamp cannot hold.
func StampOf(s string) Stamp {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || !time.Unix(0, t.UnixNano()).Equal(t) {
		return 0
	}
	return Stamp(t.UnixNano())
}

// UnmarshalJSON reads the output of MarshalJSON.
func (s *Stamp) UnmarshalJSON(b []byte) error {
	var at time.Time
	if err := at.UnmarshalJSON(b); err != nil {
		return err
	}
	*s = Stamp(at.UnixNano())
	return nil
}
