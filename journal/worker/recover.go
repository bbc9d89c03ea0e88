package worker

import "strings"

// Result is the result of one attempt.
type Result struct {
	Success bool
	Failure // after a success only Output is set, to the output of the worker
}

// Recovery is the result of retrying a task.
type Recovery struct {
	Recovered bool      // all parts of a phase succeeded, which counts as success of the task (S4.5)
	Result    Result    // of the phase that succeeded, else of the original attempt
	Phase     int       // the last phase that was tried, 0 for none
	Part      int       // the last part of the task that was tried in Phase (Task.Part)
	Retries   int       // number of phases that were tried
	Partial   []Partial // outputs of failed attempts, and of parts that succeeded before a part failed
}

// Partial holds the output of an attempt that failed, or that did only a part of the task.
type Partial struct {
	Phase  int    `json:"phase"` // 0 is the original attempt
	Output string `json:"output"`
}

// Join joins the outputs of the parts of a task. Each begins on a new line.
func Join(outputs []string) string {
	var b strings.Builder
	for _, out := range outputs {
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(out)
	}
	return b.String()
}

// Recover retries a task whose first attempt failed, if that failure means a full context. Only the
// first failure decides about it: phase 2 follows any failure of phase 1, and nothing follows phase 2. A
// phase that cannot shorten the task is skipped. There is no wait between attempts (S4.2, S4.6).
//
// from is the first phase to try. It is 1, unless an earlier process has tried phases: these count as
// failed. try makes an attempt with the task of a phase. An error of try means that the attempt could
// not be made, and Recover returns that error. If a phase left out a part of the prompt and succeeds,
// the rest follows part by part (Task.Next), and the outputs are joined. If a later part fails, no
// other phase is tried, because the earlier parts would run twice. Without a success the result is the
// original one, and Partial has the outputs of all attempts (S4.5).
func Recover(t Task, original Result, from int, language string, try func(Task) (Result, error)) (Recovery, error) {
	r := Recovery{Result: original}
	r.addPartial(0, original)
	if _, isFull := Detect(original.Failure); original.Success || !isFull {
		return r, nil
	}
	for reduced := range Phases(t, language) {
		if reduced.Phase < from {
			r.Phase = reduced.Phase
			r.Retries++
			continue
		}
		result, err := try(reduced)
		if err != nil {
			return r, err
		}
		r.Phase = reduced.Phase
		r.Retries++
		if result.Success {
			return r.tryRest(reduced, result, language, try)
		}
		r.addPartial(reduced.Phase, result)
	}
	return r, nil
}

// tryRest tries the parts of the prompt that a successful phase left out, one by one. first is the task of the phase, and result its
// result.
func (r Recovery) tryRest(first Task, result Result, language string, try func(Task) (Result, error)) (Recovery, error) {
	outputs := []string{result.Output}
	for part, more := first.Next(language); more; part, more = part.Next(language) {
		result, err := try(part)
		if err != nil {
			return r, err
		}
		r.Part = part.Part
		if !result.Success {
			for _, out := range outputs {
				r.Partial = append(r.Partial, Partial{part.Phase, out})
			}
			r.addPartial(part.Phase, result)
			return r, nil
		}
		outputs = append(outputs, result.Output)
	}
	r.Recovered, r.Result = true, Result{Success: true, Failure: Failure{Output: Join(outputs)}}
	return r, nil
}

// addPartial adds the output of an attempt, if the attempt failed and has an output.
func (r *Recovery) addPartial(phase int, result Result) {
	if !result.Success && result.Output != "" {
		r.Partial = append(r.Partial, Partial{phase, result.Output})
	}
}
