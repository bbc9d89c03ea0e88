package events

import (
	"path"
	"slices"
	"strings"

	"journal/events/shell"
)

// FileRead says that the agent read a file.
type FileRead struct {
	Path string `json:"path"`
	Use  string `json:"use,omitempty"`
	From int    `json:"from,omitempty"` // the first line that was read, 0 for the whole file, or when that is unknown
	To   int    `json:"to,omitempty"`   // the last one
}

func (FileRead) event() {}

var _ = declare[FileRead]("file.read", "the agent read a file",
	fromCall(func(_ Hook, t *ToolCall) (all []FileRead) {
		for _, p := range t.Paths {
			all = append(all, FileRead{Path: p, Use: t.Use, From: t.From, To: t.To})
		}
		return all
	}, ReadFile))

// FileWritten says that the agent wrote a file or edited a part of it.
type FileWritten struct {
	Path string `json:"path"`
	Op   string `json:"op"` // write, edit
	Tool string `json:"tool,omitempty"`
	Use  string `json:"use,omitempty"`
	// At is where an edit changed the file, as far as the agent says.
	At []Passage `json:"at,omitempty"`
}

func (FileWritten) event() {}

var _ = declare[FileWritten]("file.written", "the agent wrote or edited a file",
	fromCall(func(_ Hook, t *ToolCall) (all []FileWritten) {
		op := map[Action]string{WriteFile: "write", EditFile: "edit"}[t.Action]
		for _, p := range t.Paths {
			all = append(all, FileWritten{Path: p, Op: op, Tool: t.Name, Use: t.Use, At: t.passagesIn(p)})
		}
		return all
	}, WriteFile, EditFile))

// FileMoved says that a shell command gave a file or a directory another name.
type FileMoved struct {
	From string `json:"from"` // absolute, as To
	To   string `json:"to"`
	Use  string `json:"use,omitempty"`
}

func (FileMoved) event() {}

var _ = declare[FileMoved]("file.moved", "a shell command moved a file",
	fromCall(func(h Hook, t *ToolCall) []FileMoved {
		if t.Mark != "" || t.Background != "" {
			return nil
		}
		return moves(t.Command, h.Cwd, t.Use)
	}, RunCommand))

// moves reads the moves out of a shell command that is nothing but simple commands
// one after the other. A command that needs a shell to be understood (variables,
// patterns, pipes, conditions) moves nothing that is known. Whether a name without an
// extension is a directory that was there, so that the move went into it, cannot be known
// afterwards: `mv old new` counts as giving another name.
func moves(command, cwd, use string) []FileMoved {
	command = strings.TrimSpace(command)
	if !strings.Contains(command, "mv ") || strings.ContainsAny(command, "$*?`|<>(){}~[#") || strings.Contains(command, "\\\n") || !path.IsAbs(cwd) {
		return nil
	}
	if chain := strings.Index(command, "&&"); chain >= 0 && strings.ContainsAny(command[chain:], ";\n") {
		return nil // the end of the last command says nothing about the chain before it
	}
	var all []FileMoved
	for _, words := range shell.Commands(command) {
		switch {
		case words[0] == "cd" && (len(words) != 2 || words[1] == "-"):
			return all
		case words[0] == "cd":
			cwd = below(cwd, words[1])
		case len(words) > 1 && words[0] == "git" && words[1] == "mv":
			words = words[1:]
		}
		if len(words) == 0 || words[0] != "mv" {
			continue
		}
		words = words[1:]
		for len(words) > 0 && plainOption(words[0]) {
			words = words[1:]
		}
		if len(words) < 2 || slices.ContainsFunc(words, func(s string) bool { return strings.HasPrefix(s, "-") }) {
			continue
		}
		to := words[len(words)-1]
		for _, from := range words[:len(words)-1] {
			target := to
			if strings.HasSuffix(to, "/") || len(words) > 2 || namesDirectory(to, from) {
				target = path.Join(to, path.Base(from)) // a directory
			}
			all = append(all, FileMoved{From: below(cwd, from), To: below(cwd, target), Use: use})
		}
	}
	return all
}

// plainOption says whether an option of mv leaves the meaning of its names as it is.
func plainOption(s string) bool {
	return s == "--" || len(s) > 1 && s[0] == '-' && strings.Trim(s[1:], "fivnk") == ""
}

// namesDirectory says whether a file with an extension is moved to what has none, and
// not to its own name without it, as Dockerfile.dev to Dockerfile.
func namesDirectory(to, from string) bool {
	ext := path.Ext(from)
	return path.Ext(to) == "" && ext != "" && path.Base(to) != strings.TrimSuffix(path.Base(from), ext)
}

func below(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
