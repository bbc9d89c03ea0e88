package recovery

import (
	"strings"
	"testing"

	"journal/projections"
)

// TestTakenOverWithoutRoom: a start that has no room for all work that others took over tells how much it leaves out, because no later
// start lists it.
func TestTakenOverWithoutRoom(t *testing.T) {
	t.Parallel()
	work := teamWork{TakenOver: []projections.Takeover{{Member: "alice", From: "s1"}, {Member: "bob", From: "s2"}, {Member: "carol", From: "s3"}}}
	for range 4 {
		work.Offers = append(work.Offers, shownWork{Offer: Offer{Member: "dave", Session: "s4", Plan: strings.Repeat("paint the doors ", 7)}})
	}
	for _, lang := range Languages() {
		out, err := work.text(lang)
		if err != nil {
			t.Fatal(err)
		}
		listed := strings.Count(out, "s1") + strings.Count(out, "s2") + strings.Count(out, "s3")
		if listed == 0 || listed == 3 || !strings.Contains(out, "`replay --projection handovers`") {
			t.Errorf("%s: %d listed in\n%s", lang, listed, out)
		}
	}
	work.Offers = nil
	if out, err := work.text("en"); err != nil || strings.Contains(out, "--projection") {
		t.Errorf("%v\n%s", err, out)
	}
}
