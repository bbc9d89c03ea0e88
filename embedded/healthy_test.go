package embedded

import (
	"errors"
	"testing"
	"time"
)

// Only repeated reports of an unhealthy store make an owner leave.
func TestHealthy(t *testing.T) {
	t.Parallel()
	type said struct {
		told bool
		err  error
	}
	ill := errors.New("no space")
	unsure, well, sick := said{}, said{told: true}, said{true, ill}
	for name, tc := range map[string]struct {
		says []said // the last one for ever
		want error
		asks int
	}{
		"well":                   {[]said{well}, nil, 1},
		"busy":                   {[]said{unsure, unsure, unsure, unsure, unsure, well}, nil, 6},
		"too busy to say":        {[]said{unsure}, nil, healthQueries},
		"ill":                    {[]said{sick}, ill, unhealthyReports},
		"ill and busy":           {[]said{sick, unsure, sick, unsure, sick, unsure, sick}, ill, unhealthyReports + 3},
		"ill for a moment":       {[]said{sick, sick, sick, well}, nil, 4},
		"ill, then nothing more": {[]said{sick, unsure}, ill, healthQueries},
	} {
		asked, slept := 0, time.Duration(0)
		got := healthy(func() (bool, error) {
			s := tc.says[min(asked, len(tc.says)-1)]
			asked++
			return s.told, s.err
		}, func(d time.Duration) { slept += d })
		if got != tc.want || asked != tc.asks {
			t.Errorf("%s: %v after %d asks, want %v after %d", name, got, asked, tc.want, tc.asks)
		}
		if slept > 6*time.Second {
			t.Errorf("%s: decided after %v", name, slept)
		}
	}
}
