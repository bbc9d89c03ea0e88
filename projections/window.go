package projections

import (
	"maps"
	"strings"
)

// Windows gives the context windows in tokens of models, by what their ids begin with:
// the longest beginning counts. Samples of headless sessions tell the model and its
// tokens only (S1.3).
type Windows map[string]int64

// of gives the window of a model, 0 when it is unknown.
func (w Windows) of(model string) int64 {
	var longest string
	for beginning := range w {
		if len(beginning) > len(longest) && strings.HasPrefix(model, beginning) {
			longest = beginning
		}
	}
	return w[longest]
}

// Over gives the windows with those of others in place of the equal ones.
func (w Windows) Over(others Windows) Windows {
	all := maps.Clone(others)
	if all == nil {
		all = Windows{}
	}
	maps.Copy(all, w)
	return all
}

// Equal says whether two configurations derive the same states.
func (c Config) Equal(d Config) bool {
	return c.Pressure == d.Pressure && maps.Equal(c.Windows, d.Windows)
}
