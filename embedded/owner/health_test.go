package owner

import (
	"testing"
	"time"
)

// A problem that did not come back is over, so that `journal status` does not tell of
// a full disk for as long as its owner lives.
func TestProblemIsOver(t *testing.T) {
	now := time.Now()
	if !(*problem)(nil).passed(now) {
		t.Error("none is not over")
	}
	p := &problem{"no space left on device", now}
	if p.passed(now.Add(problemAge)) || !p.passed(now.Add(problemAge+time.Second)) {
		t.Error("it is over too early or too late")
	}
}
