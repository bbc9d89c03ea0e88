package link

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// A laptop of which nobody asks anything leaves the hub alone (J.9).
func TestTheHubIsLookedAtOncePerConnection(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	one, other := new(nats.Conn), new(nats.Conn)
	for name, c := range map[string]struct {
		was  watched
		nc   *nats.Conn
		want bool
	}{
		"not reached":                       {watched{}, nil, false},
		"reached":                           {watched{}, one, true},
		"reached again":                     {watched{nc: one}, other, true},
		"looked at, hours ago":              {watched{nc: one, next: now.Add(-5 * time.Hour)}, one, false},
		"of an older time":                  {watched{nc: one, back: true, next: now.Add(-time.Second)}, one, true},
		"of an older time, looked just now": {watched{nc: one, back: true, next: now.Add(time.Second)}, one, false},
		"could not be asked just now":       {watched{next: now.Add(time.Second)}, one, false},
	} {
		if got := c.was.due(c.nc, now); got != c.want {
			t.Errorf("%s: due is %v", name, got)
		}
	}
}
