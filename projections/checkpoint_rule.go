package projections

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"journal/events"
)

// cooldown is how much of the reporters' own time lies at least between two
// automatic checkpoints of one trigger (S0.9).
const cooldown = 5 * time.Minute

// The percentages at which a checkpoint is made, rising (S0.9).
var checkpointLevels = []int{80, 90}

// CheckpointRule says when an automatic checkpoint is made, by what was sampled of the
// context.
type CheckpointRule struct {
	Percent int // newest sample
	Tokens  int64
	Window  int64
	Told    int64 // the window that the client told last

	Made []MadeCheckpoint // the newest automatic one of each trigger
}

// MadeCheckpoint is when a checkpoint of a trigger was made last.
type MadeCheckpoint struct {
	Trigger string
	At      int64 // ns since 1970 UTC
}

// sampled gives the trigger of the checkpoint that is to be made now, empty for none;
// so does intended.
func (r CheckpointRule) sampled(e events.UsageSampled, at At) (CheckpointRule, string) {
	percent, window, ok := usage(e, cmp.Or(r.Told, at.Config.Windows.of(e.Model)))
	if !ok {
		return r, ""
	}
	was := r.Percent
	r.Percent, r.Tokens, r.Window, r.Told = percent, e.Tokens, window, cmp.Or(e.Window, r.Told)
	for _, level := range slices.Backward(checkpointLevels) {
		if was < level && percent >= level {
			return r.made("auto_"+strconv.Itoa(level), at)
		}
	}
	return r, ""
}

func (r CheckpointRule) intended(at At) (CheckpointRule, string) { return r.made("compact", at) }

func (r CheckpointRule) restarted() CheckpointRule {
	r.Percent, r.Tokens = 0, 0
	return r
}

// made makes no checkpoint where there was one of its trigger a moment ago.
func (r CheckpointRule) made(trigger string, at At) (CheckpointRule, string) {
	i := slices.IndexFunc(r.Made, func(m MadeCheckpoint) bool { return m.Trigger == trigger })
	if i >= 0 {
		if age := time.Duration(at.At - r.Made[i].At); age >= 0 && age < cooldown {
			return r, ""
		}
	}
	r.Made = slices.Clone(r.Made)
	if i < 0 {
		r.Made = append(r.Made, MadeCheckpoint{Trigger: trigger})
		i = len(r.Made) - 1
	}
	r.Made[i].At = at.At
	return r, trigger
}
