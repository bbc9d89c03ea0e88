package events

import (
	"path"
	"strings"

	"journal/events/shell"
)

// FileMoved says that a shell command gave a file or a directory another name.
type FileMoved struct {
	From string `json:"from"` // absolute, as To
	To   string `json:"to"`
	Use  string `json:"use,omitempty"`
}

func (FileMoved) event() {}

var _ = declare("file.moved", "a shell command moved a file",
	fromEach(func(h Hook) []FileMoved {
		if h.Kind != ToolEnd || h.Tool.Action != RunCommand {
			return nil
		}
		t := h.Tool
		if t.Failed || t.Mark != "" || t.Background != "" {
			return nil
		}
		return moves(t.Command, h.Cwd, t.Use)
	}),
)

// moves reads the moves out of a shell command that is nothing but simple commands
// one after the other. A command that needs a shell to be understood (variables,
// patterns, pipes, conditions) moves nothing that is known.
func moves(command, cwd, use string) []FileMoved {
	if !strings.Contains(command, "mv ") || strings.ContainsAny(command, "$*?`|<>(){}") || !path.IsAbs(cwd) {
		return nil
	}
	var all []FileMoved
	for _, words := range shell.Commands(command) {
		switch {
		case len(words) == 2 && words[0] == "cd":
			cwd = below(cwd, words[1])
		case len(words) > 1 && words[0] == "git" && words[1] == "mv":
			words = words[1:]
		}
		if len(words) == 0 || words[0] != "mv" {
			continue
		}
		words = words[1:]
		for len(words) > 0 && strings.HasPrefix(words[0], "-") {
			words = words[1:]
		}
		if len(words) < 2 {
			continue
		}
		to := words[len(words)-1]
		for _, from := range words[:len(words)-1] {
			target := to
			if strings.HasSuffix(to, "/") || len(words) > 2 || path.Ext(to) == "" && path.Ext(from) != "" {
				target = path.Join(to, path.Base(from)) // a directory
			}
			all = append(all, FileMoved{From: below(cwd, from), To: below(cwd, target), Use: use})
		}
	}
	return all
}

func below(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
