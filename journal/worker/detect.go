package worker

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Patterns returns parts of messages with which workers report a full context, in lower case (S4.1).
func Patterns() []string {
	return []string{
		"context limit reached",
		"context window exceeded",
		"maximum context length",
		"token limit exceeded",
		"prompt is too long",
		"context_length_exceeded",
		"conversation is too long",
		"conversation too long",
		"exceed context limit",
		"exceeds the context window",
		"reached its context window limit",
		"room in the model's context window",
		"exceeds the maximum number of tokens",
		"exceed the remaining context window limit",
		"input is too long for requested model",
	}
}

// PartialTimeout is the pattern of a timeout with partial output: a worker that was still
// writing at the timeout probably had too much to read.
const PartialTimeout = "timeout with partial output"

// Failure describes how an attempt failed.
type Failure struct {
	Message string // of the worker, or of the program that runs it
	Output  string // of the worker until it failed
}

// Detect reports whether a failure means a full context, and returns the pattern that matched: one of Patterns or
// PartialTimeout. It searches the message and the last line of the output, where agents in print mode report a full context.
// Other lines may be a text about such messages. Case does not matter.
func Detect(f Failure) (pattern string, ok bool) {
	message, last := strings.ToLower(f.Message), strings.ToLower(LastLine(f.Output))
	for _, p := range Patterns() {
		if strings.Contains(message, p) || strings.Contains(last, p) {
			return p, true
		}
	}
	// Common programs name a timeout by one of these words.
	words := []string{"timeout", "timed out", "time-out", "etimedout", "deadline exceeded"}
	if strings.TrimSpace(f.Output) != "" && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(message, w) }) {
		return PartialTimeout, true
	}
	return "", false
}

// maxNested bounds the depth to which nested errors are read.
const maxNested = 8

// ReadFailure parses an error or a result in the JSON of programs that run workers: a string, an error
// {message, code, partialOutput}, the body of an API's answer {error: {message}}, a result
// {success: false, error, output}, an agent's {is_error: true, result}. stdout and partialOutput are
// other names of output. failed is false for an empty string, and for a successful result, whatever its
// output is. It returns an error if b is not JSON, or neither a string nor an object.
func ReadFailure(b []byte) (f Failure, failed bool, err error) {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return Failure{}, false, errors.New("not JSON")
	}
	switch v := v.(type) {
	case string:
		return Failure{Message: v}, v != "", nil
	case map[string]any:
		f, failed = failureOf(v)
		return f, failed, nil
	}
	return Failure{}, false, errors.New("neither a text nor an object")
}

// failureOf returns the failure that an object describes (ReadFailure). An object that reports no success is a failure.
func failureOf(v map[string]any) (f Failure, failed bool) {
	isError, known := v["is_error"].(bool)
	success, _ := v["success"].(bool)
	if !isError && (known || success) {
		return Failure{}, false
	}
	texts := messages(v, maxNested)
	if result, ok := v["result"].(string); ok && isError {
		texts = append(texts, result)
	}
	f.Message = strings.Join(texts, "\n")
	// The last key that has an output wins. If the object and its error have this key, that of the object wins.
	inner, _ := v["error"].(map[string]any)
	for _, key := range []string{"stdout", "output", "partialOutput"} {
		for _, from := range []map[string]any{inner, v} {
			if s, ok := from[key].(string); ok && strings.TrimSpace(s) != "" {
				f.Output = s
			}
		}
	}
	return f, true
}

// LastLine returns the last line that is not blank, "" if there is none.
func LastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// messages returns the messages of an error and of the errors nested in it, which are read down to a depth.
func messages(v any, depth int) (texts []string) {
	switch v := v.(type) {
	case string:
		if v != "" {
			texts = append(texts, v)
		}
	case map[string]any:
		if depth == 0 {
			return nil
		}
		for _, key := range []string{"message", "error", "code", "stderr", "cause"} {
			texts = append(texts, messages(v[key], depth-1)...)
		}
	}
	return texts
}
