package runner

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"journal/events/shell"
	"journal/journal/worker"
)

// Placeholders in a command. Without one of them the prompt is on stdin.
const (
	promptPlaceholder = "{prompt}"
	filePlaceholder   = "{prompt_file}"
)

// scriptParameters replaces each placeholder in a shell script by a positional parameter, together with the quotes around the
// placeholder. A prompt in the text of the script would be run as code.
var scriptParameters = strings.NewReplacer(
	`"`+promptPlaceholder+`"`, `"$1"`, `'`+promptPlaceholder+`'`, `"$1"`, promptPlaceholder, `"$1"`,
	`"`+filePlaceholder+`"`, `"$2"`, `'`+filePlaceholder+`'`, `"$2"`, filePlaceholder, `"$2"`)

// command returns the command line that runs a task. The placeholders are replaced by the prompt and by the file with the prompt.
// stdin is true if the command has no placeholder: then the prompt must be on stdin. The command is that of the task, a text or a
// list of words, else that of the run.
func (s Spec) command(t worker.Task, prompt, file string) (argv []string, stdin bool, err error) {
	line, words := s.Command, []string(nil)
	if raw, ok := t.Rest["command"]; ok && json.Unmarshal(raw, &words) != nil {
		words = nil
		if json.Unmarshal(raw, &line) != nil {
			return nil, false, errors.New("command is a text or a list of words")
		}
	}
	hasPlaceholder := func(s string) bool {
		return strings.Contains(s, promptPlaceholder) || strings.Contains(s, filePlaceholder)
	}
	if words == nil {
		if strings.TrimSpace(line) == "" {
			return nil, false, errors.New("there is no command")
		}
		if s.Shell {
			if !strings.Contains(line, promptPlaceholder) {
				prompt = "" // the prompt may be too long for a command line
			}
			return []string{"/bin/sh", "-c", scriptParameters.Replace(line), "sh", prompt, file}, !hasPlaceholder(line), nil
		}
		if words, err = shell.Words(line); err != nil {
			return nil, false, err
		}
	}
	if len(words) == 0 || words[0] == "" {
		return nil, false, errors.New("there is no command")
	}
	filled := strings.NewReplacer(promptPlaceholder, prompt, filePlaceholder, file)
	for _, w := range words {
		argv = append(argv, filled.Replace(w))
	}
	return argv, !slices.ContainsFunc(words, hasPlaceholder), nil
}

// input returns the text that a worker gets: the prompt, then the context, then the names of the files.
func input(t worker.Task) string {
	var b strings.Builder
	b.WriteString(t.Prompt)
	if t.HasContext() {
		b.WriteString("\n\n")
		b.WriteString(plain(t.Context))
	}
	if t.HasFiles() {
		b.WriteString("\n\nFiles:\n")
		var list []string
		if json.Unmarshal(t.Files, &list) == nil {
			b.WriteString("- " + strings.Join(list, "\n- "))
		} else {
			b.WriteString(plain(t.Files))
		}
	}
	return b.String()
}

// plain returns the text of a JSON string, or other JSON as it is.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
