package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"journal/events"
	"journal/events/text"
)

// MaxPromptCharacters bounds the characters of a prompt that the state of a task holds (S4.3).
const MaxPromptCharacters = 500

// The lengths of the first and the last part that Clip keeps, in bytes (ADR-0014 rule 2).
const (
	resultHead = 128 << 10
	resultTail = 64 << 10
)

// Clip shortens a result or partial output for an event.
func Clip(s string) string { return text.Cut(s, resultHead, resultTail) }

// ClipNotAsked shortens, for an event, the part of a prompt that was sent to no worker.
func ClipNotAsked(s string) string { return cut(s, maxErrorBytes) }

// clipPrompt returns the part of a prompt that a state holds. Its bytes are bounded too, because a character can have any number
// of bytes.
func clipPrompt(prompt string) string {
	return text.Cut(text.FirstCharacters(prompt, MaxPromptCharacters), maxPromptBytes, 0)
}

// Started returns the event of a task's start. name is the task's name in the log. The event has t.ID
// only if it differs from the name.
func Started(run, name string, t Task) events.WorkStarted {
	e := events.WorkStarted{
		Run: run, Task: name, Prompt: clipPrompt(t.Prompt), PromptLength: text.Characters(t.Prompt),
		Type: t.Type, HasContext: t.HasContext(), HasFiles: t.HasFiles(),
	}
	if t.ID != name {
		e.ID = t.ID
	}
	return e
}

// stateForm is the JSON of a task's state in the files of the original tool (docs/FILES.md §S4). Members may
// be missing or null.
type stateForm struct {
	TaskID       string `json:"taskId"`
	OriginalTask struct {
		ID           string `json:"id"`
		Prompt       string `json:"prompt"`
		Type         string `json:"type"`
		HasContext   bool   `json:"hasContext"`
		HasFiles     bool   `json:"hasFiles"`
		PromptLength int    `json:"promptLength"`
	} `json:"originalTask"`
	Error struct {
		Message string `json:"message"`
		Pattern string `json:"pattern"`
	} `json:"error"`
	Recovery struct {
		Phase1, Phase2 phaseForm
	} `json:"recovery"`
	Recovered      bool              `json:"recovered"`
	FinalPhase     int               `json:"finalPhase"`
	TotalRetries   int               `json:"totalRetries"`
	PartialResults []json.RawMessage `json:"partialResults"`
	Timestamps     struct {
		Started, Phase1Start, Phase1End, Phase2Start, Phase2End, Completed string
	} `json:"timestamps"`
}

// phaseForm is the JSON of a phase in stateForm.
type phaseForm struct {
	Attempted           bool            `json:"attempted"`
	Success             bool            `json:"success"`
	ReducedPromptLength int             `json:"reducedPromptLength"`
	SplitPromptLength   int             `json:"splitPromptLength"`
	Error               string          `json:"error"`
	Result              json.RawMessage `json:"result"`
}

// Limits of the texts in a WorkReported, in bytes. Their sum is less than the limit of an event.
const (
	maxPromptBytes  = 64 << 10  // of the beginning of a prompt
	maxNameBytes    = 1 << 10   // of a name, a pattern, a time
	maxErrorBytes   = 64 << 10  // of the first error
	maxPhaseBytes   = 16 << 10  // of the error of a phase
	maxResultBytes  = 48 << 10  // of the result of a phase
	maxPartialBytes = 128 << 10 // of all partial results together
	minPartialBytes = 1 << 10   // the least share of a partial result, which bounds their number
)

// cut shortens a text to limit bytes: two thirds from its beginning, and one from its end.
func cut(s string, limit int) string { return text.Cut(s, limit*2/3, limit/3) }

// ReadState parses the state of a task in the form of the original tool. The event's Task is the taskId of
// the state. Long texts are shortened.
func ReadState(b []byte) (events.WorkReported, error) {
	var f stateForm
	if err := json.Unmarshal(b, &f); err != nil {
		if typeErr := (*json.UnmarshalTypeError)(nil); errors.As(err, &typeErr) {
			return events.WorkReported{}, fmt.Errorf("wrong shape: %q cannot be %s", typeErr.Field, typeErr.Value)
		}
		return events.WorkReported{}, fmt.Errorf("not JSON: %w", err)
	}
	switch {
	case f.TaskID == "":
		return events.WorkReported{}, errors.New("wrong shape: no taskId")
	case len(f.TaskID) > maxNameBytes:
		return events.WorkReported{}, fmt.Errorf("wrong shape: a taskId of more than %d bytes", maxNameBytes)
	}
	o, t := f.OriginalTask, f.Timestamps
	e := events.WorkReported{
		Task: f.TaskID, ID: cut(o.ID, maxNameBytes), Prompt: clipPrompt(o.Prompt), PromptLength: o.PromptLength,
		Type: cut(o.Type, maxNameBytes), HasContext: o.HasContext, HasFiles: o.HasFiles,
		Error: cut(f.Error.Message, maxErrorBytes), Pattern: cut(f.Error.Pattern, maxNameBytes),
		Phases: []events.WorkPhase{
			f.Recovery.Phase1.event(f.Recovery.Phase1.ReducedPromptLength, t.Phase1Start, t.Phase1End),
			f.Recovery.Phase2.event(f.Recovery.Phase2.SplitPromptLength, t.Phase2Start, t.Phase2End),
		},
		Recovered: f.Recovered, FinalPhase: f.FinalPhase, Retries: f.TotalRetries,
		Started: cut(t.Started, maxNameBytes), Completed: cut(t.Completed, maxNameBytes),
	}
	partials := f.PartialResults[:min(len(f.PartialResults), maxPartialBytes/minPartialBytes)]
	for _, p := range partials {
		e.Partial = append(e.Partial, jsonText(p, maxPartialBytes/len(partials)))
	}
	return e, nil
}

// event returns the phase for an event. length is the length of the prompt that the phase sent; start and end are its times.
func (p phaseForm) event(length int, start, end string) events.WorkPhase {
	return events.WorkPhase{
		Attempted: p.Attempted, Success: p.Success, Length: length, Error: cut(p.Error, maxPhaseBytes), Result: jsonText(p.Result, maxResultBytes),
		Start: cut(start, maxNameBytes), End: cut(end, maxNameBytes),
	}
}

// jsonText returns JSON without white space, cut to limit bytes. It is empty for null and for invalid JSON.
func jsonText(b json.RawMessage, limit int) string {
	var compact bytes.Buffer
	if present(b) == nil || json.Compact(&compact, b) != nil {
		return ""
	}
	return cut(compact.String(), limit)
}

// plainName matches task names that can be file names on every system, except those that deviceName
// matches, which Windows reserves for devices.
var (
	plainName  = text.Pattern(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	deviceName = text.Pattern(`(?i)^(con|prn|aux|nul|(com|lpt)[0-9])$`)
)

// FileName returns the name of the file for the state of a task. A task's name may be any text (S4.4): if it
// is not plain, or in taken, the file's name has a digest of it. taken holds names in lower case without
// ".json"; FileName adds the new one.
func FileName(task string, taken map[string]bool) string {
	name := task
	if !plainName().MatchString(name) || deviceName().MatchString(name) || taken[strings.ToLower(name)] {
		name = "x-" + text.Digest(task)[:16]
	}
	taken[strings.ToLower(name)] = true
	return name + ".json"
}
