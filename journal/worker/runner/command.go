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
	promptPlace = "{prompt}"
	filePlace   = "{prompt_file}"
)

// inScript replaces the placeholders in a shell script by parameters of the script: values in its
// text would be run as code. Quotes around a placeholder are dropped.
var inScript = strings.NewReplacer(
	`"`+promptPlace+`"`, `"$1"`, `'`+promptPlace+`'`, `"$1"`, promptPlace, `"$1"`,
	`"`+filePlace+`"`, `"$2"`, `'`+filePlace+`'`, `"$2"`, filePlace, `"$2"`)

// command returns the command of a task for a prompt, which is also in a file. stdin says that the
// command has no placeholder, so the prompt must be on stdin. A task's own command is a text or a list of words.
func (s Spec) command(t worker.Task, prompt, file string) (argv []string, stdin bool, err error) {
	line, words := s.Command, []string(nil)
	if raw, ok := t.Rest["command"]; ok && json.Unmarshal(raw, &words) != nil {
		words = nil
		if json.Unmarshal(raw, &line) != nil {
			return nil, false, errors.New("command is a text or a list of words")
		}
	}
	named := func(s string) bool { return strings.Contains(s, promptPlace) || strings.Contains(s, filePlace) }
	if words == nil {
		if strings.TrimSpace(line) == "" {
			return nil, false, errors.New("there is no command")
		}
		if s.Shell {
			if !strings.Contains(line, promptPlace) {
				prompt = "" // it may be too long for a command line
			}
			return []string{"/bin/sh", "-c", inScript.Replace(line), "sh", prompt, file}, !named(line), nil
		}
		if words, err = shell.Words(line); err != nil {
			return nil, false, err
		}
	}
	if len(words) == 0 || words[0] == "" {
		return nil, false, errors.New("there is no command")
	}
	filled := strings.NewReplacer(promptPlace, prompt, filePlace, file)
	for _, w := range words {
		argv = append(argv, filled.Replace(w))
	}
	return argv, !slices.ContainsFunc(words, named), nil
}

// sent returns the text that a worker gets: the prompt, then the context, then the names of the files.
func sent(t worker.Task) string {
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

// plain returns the text of a JSON string, and other JSON as it is.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
