package ui

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"journal/projections"
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

// A panel of many tasks shows the newest, in the agent's order: the first are done.
func TestPanelOfManyTasks(t *testing.T) {
	t.Parallel()
	const total = shownItems + 4
	var all projections.TodosState
	for n := range total {
		all = append(all, projections.TodoState{Text: "task " + strconv.Itoa(n), Status: "pending"})
	}
	for _, most := range []int{openItems, shownItems} { // while a person drags, and after that
		shown, err := stateReader{most: most}.panel(all)
		if err != nil || len(shown.Lists) != 1 {
			t.Fatalf("%+v, %v", shown, err)
		}
		list := shown.Lists[0]
		items := slices.Concat(list.Items, list.Folded)
		if len(items) != most || items[0].Gist != "task 4" || list.Hidden != total-shownItems {
			t.Errorf("%d items of %d: from %q on, %d hidden", len(items), most, items[0].Gist, list.Hidden)
		}
	}
}
