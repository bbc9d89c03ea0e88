package worker

import (
	"encoding/json"
	"errors"
	"strings"
)

// Patterns are the messages by which workers say that their context is full, in lower case; a
// message holds one of them in whatever case (S4.1).
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
// writing when its time was up is taken to have had too much to read.
const PartialTimeout = "timeout with partial output"

// Failure is how an attempt failed.
type Failure struct {
	Message string // what the worker or its executor said of it
	Output  string // what the worker had written until then
}

// Detect says whether a failure is one of the context's limit, and by which pattern. Of what the worker
// wrote only the last line is looked at, where agents in print mode tell of it: the rest may well be
// about such messages.
func Detect(f Failure) (pattern string, ok bool) {
	message, last := strings.ToLower(f.Message), strings.ToLower(LastLine(f.Output))
	for _, p := range Patterns() {
		if strings.Contains(message, p) || strings.Contains(last, p) {
			return p, true
		}
	}
	if strings.TrimSpace(f.Output) != "" && timedOut(message) {
		return PartialTimeout, true
	}
	return "", false
}

// timedOut says whether a message in lower case tells of a timeout, as programs spell it.
func timedOut(message string) bool {
	for _, said := range []string{"timeout", "timed out", "time-out", "etimedout", "deadline exceeded"} {
		if strings.Contains(message, said) {
			return true
		}
	}
	return false
}

// maxNested bounds how deep an error may be wrapped in errors.
const maxNested = 8

// ReadFailure reads an error or a result as executors spell them in JSON: a string, an error
// {message, code, partialOutput}, the body of an API's answer {error: {message}}, a result
// {success: false, error, output}, an agent's {is_error: true, result}. stdout and partialOutput are
// other names of output. failed is false for a result that tells of success, whatever its output
// speaks of. The error is for what is no JSON or neither text nor object.
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

func failureOf(v map[string]any) (f Failure, failed bool) {
	isError, _ := v["is_error"].(bool)
	if success, told := v["success"].(bool); told && success && !isError {
		return Failure{}, false
	}
	if told, ok := v["is_error"].(bool); ok && !told {
		return Failure{}, false
	}
	said := messages(v, maxNested)
	if result, ok := v["result"].(string); ok && isError {
		said = append(said, result)
	}
	f.Message = strings.Join(said, "\n")
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

// LastLine is the last line of a text that has a word.
func LastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// messages lists what an error and the errors in it say.
func messages(v any, depth int) (said []string) {
	switch v := v.(type) {
	case string:
		if v != "" {
			said = append(said, v)
		}
	case map[string]any:
		if depth == 0 {
			return nil
		}
		for _, key := range []string{"message", "error", "code", "stderr", "cause"} {
			said = append(said, messages(v[key], depth-1)...)
		}
	}
	return said
}
