package ui

import (
	"encoding/json"
	"slices"
	"testing"
)

// A panel shows a text whatever words it has, and leaves out a value without information.
func TestPanelWords(t *testing.T) {
	t.Parallel()
	state := json.RawMessage(`{"output":"no","step":"0","phase":"none","level":"none","notified":"none","held":false,"count":0,"task":null,"more":{"a":false}}`)
	shown, err := stateReader{}.panel(state)
	if want := []fieldView{{"output", "no"}, {"step", "0"}, {"phase", "none"}}; err != nil || !slices.Equal(shown.Fields, want) {
		t.Errorf("got %v, %v; want %v", shown.Fields, err, want)
	}
}
