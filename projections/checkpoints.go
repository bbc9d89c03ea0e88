package projections

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
)

// cooldown is how much of the reporters' own time lies at least between two
// automatic checkpoints of one trigger (S0.9).
const cooldown = 5 * time.Minute

// maxCheckpoints bounds how many checkpoints a state holds: the newest.
const maxCheckpoints = 100

// The percentages at which a checkpoint is made, rising (S0.9).
var checkpointLevels = []int{80, 90}

// CheckpointState is one checkpoint: a point of the log that can be replayed.
type CheckpointState struct {
	ID      string `json:"id"`      // cp- and eight characters, of session and sequence
	Trigger string `json:"trigger"` // auto_80, auto_90, compact, manual
	Summary string `json:"summary,omitempty"`
	Percent int    `json:"percent,omitempty"` // of the context
	Tokens  int64  `json:"tokens,omitempty"`
	Window  int64  `json:"window,omitempty"`
	Seq     uint64 `json:"seq"`
	At      Stamp  `json:"at"`
}

// CheckpointsState lists the checkpoints of a lane, oldest first.
type CheckpointsState struct {
	List    []CheckpointState
	Percent int // newest sample
	Tokens  int64
	Window  int64
	Told    int64 // the window that the client told last
}

// MarshalJSON gives the list alone.
func (s CheckpointsState) MarshalJSON() ([]byte, error) { return marshalList(s.List) }

// Newest gives the newest checkpoint.
func (s CheckpointsState) Newest() (CheckpointState, bool) {
	if len(s.List) == 0 {
		return CheckpointState{}, false
	}
	return s.List[len(s.List)-1], true
}

// Checkpoints derives the automatic checkpoints, at 80 and 90 percent of the context and before each compaction, and
// lists them with those made on purpose. A replay up to a checkpoint's sequence shows the state at it.
var Checkpoints = Declare("checkpoints", 1, Lane, "points to go back to: at 80 and 90 percent, before compactions, on purpose",
	On(CheckpointsState.recorded),
	On(CheckpointsState.sampled),
	On(CheckpointsState.intended),
	On(func(s CheckpointsState, _ events.ContextRestarted, _ At) CheckpointsState {
		s.Percent, s.Tokens = 0, 0
		return s
	}),
)

func (s CheckpointsState) recorded(e events.CheckpointRecorded, at At) CheckpointsState {
	return s.add("manual", e.Summary, at)
}

func (s CheckpointsState) sampled(e events.UsageSampled, at At) CheckpointsState {
	percent, window, ok := usage(e, cmp.Or(s.Told, at.Config.Windows.of(e.Model)))
	if !ok {
		return s
	}
	was := s.Percent
	s.Percent, s.Tokens, s.Window = percent, e.Tokens, window
	if e.Window > 0 {
		s.Told = e.Window
	}
	for _, level := range slices.Backward(checkpointLevels) {
		if was < level && percent >= level {
			return s.automatic("auto_"+strconv.Itoa(level), at)
		}
	}
	return s
}

func (s CheckpointsState) intended(_ events.CompactionIntended, at At) CheckpointsState {
	return s.automatic("compact", at)
}

// automatic adds a checkpoint unless there was one of its trigger a moment ago.
func (s CheckpointsState) automatic(trigger string, at At) CheckpointsState {
	for _, c := range slices.Backward(s.List) {
		if c.Trigger == trigger {
			if age := time.Duration(at.At - int64(c.At)); age >= 0 && age < cooldown {
				return s
			}
			break
		}
	}
	return s.add(trigger, "", at)
}

func (s CheckpointsState) add(trigger, summary string, at At) CheckpointsState {
	c := CheckpointState{
		ID: checkpointID(at.Session, at.Seq), Trigger: trigger, Summary: summary,
		Percent: s.Percent, Tokens: s.Tokens, Window: s.Window, Seq: at.Seq, At: Stamp(at.At),
	}
	from := max(0, len(s.List)+1-maxCheckpoints)
	s.List = append(slices.Clone(s.List[from:]), c)
	return s
}

func checkpointID(session string, seq uint64) string {
	sum := sha256.Sum256([]byte(session + "/" + strconv.FormatUint(seq, 10)))
	return "cp-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}
