package runner

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/journal/disk"
	"journal/journal/worker"
)

// Spec is a run as it was requested. It is kept in the run's folder, so that the run can be resumed
// without its input; a prompt in the log may have lost a secret to redaction.
type Spec struct {
	Run      string        `json:"run"`
	Root     string        `json:"root"`              // of the project
	Session  string        `json:"session,omitempty"` // the one that began it
	Dir      string        `json:"dir"`               // where workers run
	Command  string        `json:"command,omitempty"` // of tasks without one of their own
	Shell    bool          `json:"shell,omitempty"`   // commands are run by sh -c
	Workers  int           `json:"workers"`
	Timeout  time.Duration `json:"timeout,omitempty"` // of an attempt; 0 for none
	Recover  bool          `json:"recover,omitempty"`
	Language string        `json:"language,omitempty"` // of marks
	States   string        `json:"states,omitempty"`   // folder for the files of states
	Tasks    []worker.Task `json:"tasks"`
}

// Dir returns the directory of a journal in which each run has a folder.
func Dir(journal string) string { return filepath.Join(journal, "work") }

// Changed returns when the folder of a run last got or lost a file; the zero time if it cannot be read.
func Changed(folder os.DirEntry) time.Time {
	info, err := folder.Info()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// specName is the file of a Spec in the run's folder; MaxSpec bounds it, and the tasks of a run, in bytes.
const (
	specName = "run.json"
	MaxSpec  = 256 << 20
)

// NewID returns a random name of eight hexadecimal characters, for a run or a task.
func NewID() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// ReadTasks reads tasks as one JSON list, one JSON object, or JSON Lines. A task without a name
// gets one. Two tasks of one name are an error, and so is a run without tasks.
func ReadTasks(in []byte) ([]worker.Task, error) {
	var tasks []worker.Task
	var err error
	if b := bytes.TrimSpace(in); bytes.HasPrefix(b, []byte("[")) {
		err = json.Unmarshal(b, &tasks)
	} else {
		dec := json.NewDecoder(bytes.NewReader(b))
		for err == nil {
			var t worker.Task
			if err = dec.Decode(&t); err == nil {
				tasks = append(tasks, t)
			}
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("task %d: %w", len(tasks)+1, err)
	}
	if len(tasks) == 0 {
		return nil, errors.New("there is no task")
	}
	names := map[string]bool{}
	for i := range tasks {
		if tasks[i].ID == "" {
			tasks[i].ID = NewID()
		}
		if names[tasks[i].ID] {
			return nil, fmt.Errorf("two tasks are named %q", tasks[i].ID)
		}
		names[tasks[i].ID] = true
	}
	return tasks, nil
}

// maxWord bounds a word of a command, in bytes: Linux takes no longer one.
const maxWord = 128<<10 - 1

// Check returns an error unless every task has a command that can be parsed and run.
func (s Spec) Check() error {
	for _, t := range s.Tasks {
		argv, _, err := s.command(t, input(t), "")
		if err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}
		if slices.ContainsFunc(argv, func(word string) bool { return len(word) > maxWord }) {
			return fmt.Errorf("task %s: the prompt is too long for a command line; name %s in the command, or nothing, so that it is on stdin", t.ID, filePlaceholder)
		}
	}
	return nil
}

// Save makes the folder of a run. It is durable when Save returns.
func (s Spec) Save(dir string) error {
	if err := disk.MakePrivate(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return errors.Join(disk.ReplaceDurable(filepath.Join(dir, specName), b), disk.SyncDir(filepath.Dir(dir)))
}

// Load reads the run of a folder.
func Load(dir string) (s Spec, err error) {
	b, err := disk.ReadFile(filepath.Join(dir, specName), MaxSpec)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}

// Holds reports whether a file of a run's folder contains a text, literally or encoded as JSON: by
// us, safe for HTML, or by others.
func Holds(dir, text string) (bool, error) {
	forms := [][]byte{[]byte(text)}
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(html)
		if err := enc.Encode(text); err != nil {
			return false, err
		}
		forms = append(forms, bytes.Trim(b.Bytes(), "\"\n"))
	}
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		b, err := disk.ReadFile(filepath.Join(dir, e.Name()), MaxSpec)
		if errors.Is(err, disk.ErrTooLarge) {
			return true, nil // in doubt it does
		}
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(forms, func(form []byte) bool { return bytes.Contains(b, form) }) {
			return true, nil
		}
	}
	return false, nil
}
