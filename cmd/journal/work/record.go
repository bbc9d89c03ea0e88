package work

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
	"journal/journal/worker"
	"journal/journal/worker/runner"
)

// workRecord makes the command `journal work record`.
func workRecord(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	var write bool
	var states string
	c := cli.NewCommand("record start|error|phase|outcome|state", "record what happened to a task, as JSON on stdin",
		`Records one step of a task, read as JSON from stdin, and prints a receipt with the task's name. Every
step but start names the task by taskId.

  start    the task: {"id","prompt","type","context","files"}; without taskId and id it gets a name
  error    the failure of the first attempt: an error or a result as for journal work detect
  phase    {"taskId","phase":1} with "prompt" or "promptLength", and "notAsked": the phase begins; with "success", and "error" and "output" of a failure: it ended. "part" counts, from 1, the parts of the prompt that the phase left out at first
  outcome  {"taskId","success","phase","result","error"}: the task is finished
  state    a whole state, as journal work status --json prints it; it replaces the recorded one

Exit codes: 0 durable, 1 refused or not durable, 2 usage, or the input cannot be read.`,
		func(c *cobra.Command, args []string) error {
			b, err := a.ReadInput(c.Context(), "-", maxWorkInput)
			if err != nil {
				return cli.Usage(err)
			}
			doc, e, err := workSteps[args[0]](b)
			if err != nil {
				return cli.Usage(fmt.Errorf("stdin: %w", err))
			}
			receipt, err := a.Appender().Append(c.Context(), a.About(t), e)
			if err != nil {
				return cli.NotRecorded(err)
			}
			doc.Seqs, doc.Spooled = append([]uint64{}, receipt.Seqs...), receipt.Spooled
			if write && states == "" {
				states = workDir(a.Root(t.Project))
			}
			path, err := writeTasks(c.Context(), a, t, states, doc.TaskID)
			if err != nil {
				return err
			}
			if states != "" {
				doc.Path = path
			}
			return a.JSONLines().Encode(doc)
		})
	c.ValidArgs = slices.Sorted(maps.Keys(workSteps))
	t.Add(c)
	c.Flags().BoolVar(&write, "write", false, "write the state's file even if .omcm/state/context-recovery does not exist")
	statesFlag(c, &states)
	return c
}

// statesFlag adds the flag of the folder for the files of states.
func statesFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "states", "", "folder for the states' files at every step (default: .omcm/state/context-recovery, if it exists)")
}

// workReceipt is the JSON document of a recorded step.
type workReceipt struct {
	TaskID     string   `json:"taskId"`
	*detection          // only for a failed attempt
	Seqs       []uint64 `json:"seqs"`
	Spooled    bool     `json:"spooled"`
	Path       string   `json:"path,omitempty"` // of the state's file, if --states or --write asked for it
}

// workStep has the JSON members of all steps.
type workStep struct {
	Run          string          `json:"run"`
	TaskID       string          `json:"taskId"`
	ID           string          `json:"id"`
	Phase        int             `json:"phase"`
	FinalPhase   int             `json:"finalPhase"`
	Prompt       string          `json:"prompt"`
	PromptLength int             `json:"promptLength"`
	Part         int             `json:"part"`
	NotAsked     string          `json:"notAsked"`
	Success      *bool           `json:"success"`
	Recovered    *bool           `json:"recovered"`
	Result       json.RawMessage `json:"result"`
	failure      worker.Failure  // the failure that the JSON describes; zero if it describes none
}

// workSteps holds, by the name of a step, the function that parses its JSON. The function returns the step's event, and a receipt
// that has only the task and the detection.
var workSteps = map[string]func([]byte) (workReceipt, events.Event, error){
	"start":   startStep,
	"error":   readStep(workStep.error),
	"phase":   readStep(workStep.phase),
	"outcome": readStep(workStep.outcome),
	"state": func(b []byte) (workReceipt, events.Event, error) {
		e, err := worker.ReadState(b)
		return workReceipt{TaskID: e.Task}, e, err
	},
}

// startStep parses the JSON of a task that begins.
func startStep(b []byte) (workReceipt, events.Event, error) {
	var t worker.Task
	if err := t.UnmarshalJSON(b); err != nil {
		return workReceipt{}, nil, err
	}
	var names struct {
		Run    string `json:"run"`
		TaskID string `json:"taskId"`
	}
	_ = json.Unmarshal(b, &names) // a task's own members may have these names with other types
	name := cmp.Or(names.TaskID, t.ID, runner.NewID())
	return workReceipt{TaskID: name}, worker.Started(names.Run, name, t), nil
}

// readStep returns a function that parses the JSON of a step; event returns the step's event.
func readStep(event func(workStep) (events.Event, error)) func([]byte) (workReceipt, events.Event, error) {
	return func(b []byte) (workReceipt, events.Event, error) {
		var s workStep
		if err := json.Unmarshal(b, &s); err != nil {
			return workReceipt{}, nil, errors.New("a JSON object with the step's members is needed")
		}
		var err error
		if s.failure, _, err = worker.ReadFailure(b); err != nil {
			return workReceipt{}, nil, err
		}
		s.TaskID = cmp.Or(s.TaskID, s.ID)
		if s.TaskID == "" {
			return workReceipt{}, nil, errors.New("taskId is required")
		}
		e, err := event(s)
		receipt := workReceipt{TaskID: s.TaskID}
		if ended, ok := e.(events.WorkEnded); ok && !ended.Success {
			receipt.detection = &detection{ended.Pattern != "", ended.Pattern}
		}
		return receipt, e, err
	}
}

// error returns the event of the first attempt's failure.
func (s workStep) error() (events.Event, error) {
	if s.failure.Message == "" {
		return nil, errors.New("no message")
	}
	return s.failed(0), nil
}

// phase returns the event of the beginning or, with Success, of the end of a phase.
func (s workStep) phase() (events.Event, error) {
	switch {
	case s.Phase != 1 && s.Phase != 2:
		return nil, errors.New("phase must be 1 or 2")
	case s.Success == nil:
		length := s.PromptLength
		if s.Prompt != "" {
			length = text.Characters(s.Prompt)
		}
		return events.WorkAttempted{Run: s.Run, Task: s.TaskID, Phase: s.Phase, Part: s.Part, Length: length, NotAsked: worker.ClipNotAsked(s.NotAsked)}, nil
	case *s.Success:
		return events.WorkEnded{Run: s.Run, Task: s.TaskID, Phase: s.Phase, Part: s.Part, Success: true}, nil
	}
	return s.failed(s.Phase), nil
}

// failed returns the event of an attempt that failed; phase 0 is the first attempt.
func (s workStep) failed(phase int) events.Event {
	f := s.failure
	pattern, _ := worker.Detect(f)
	return events.WorkEnded{Run: s.Run, Task: s.TaskID, Phase: phase, Part: s.Part, Error: worker.Clip(f.Message), Pattern: pattern, Partial: worker.Clip(f.Output)}
}

// outcome returns the event of a finished task. Without the member success the member recovered counts.
func (s workStep) outcome() (events.Event, error) {
	e := events.WorkFinished{Run: s.Run, Task: s.TaskID, Phase: cmp.Or(s.Phase, s.FinalPhase)}
	switch {
	case e.Phase < 0 || e.Phase > worker.MaxPhase:
		return nil, errors.New("phase must be 0, 1 or 2")
	case s.Success == nil && s.Recovered == nil:
		return nil, errors.New("success is required")
	case s.Success != nil:
		e.Success = *s.Success
	default:
		e.Success = *s.Recovered
	}
	if !e.Success {
		e.Error = worker.Clip(s.failure.Message)
	} else if result := bytes.TrimSpace(s.Result); len(result) > 0 && !strings.EqualFold(string(result), "null") {
		e.Result = worker.Clip(string(result))
	}
	return e, nil
}
