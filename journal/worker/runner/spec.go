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

	"journal/events"
	"journal/journal/disk"
	"journal/journal/worker"
)

// Spec is a run as it was requested. It is stored in the run's folder, so that the run can be resumed
// without its input: prompts in the log are redacted.
type Spec struct {
	Run      string        `json:"run"`
	Root     string        `json:"root"`              // of the project
	Session  string        `json:"session,omitempty"` // id of the session that began the run
	Dir      string        `json:"dir"`               // working directory of workers
	Command  string        `json:"command,omitempty"` // of tasks without a command of their own
	Shell    bool          `json:"shell,omitempty"`   // commands are run by sh -c, but for a task's own list of words
	Workers  int           `json:"workers"`
	Timeout  time.Duration `json:"timeout,omitempty"` // of an attempt; 0 for none
	Recover  bool          `json:"recover,omitempty"`
	Language string        `json:"language,omitempty"` // of the marks in reduced prompts
	States   string        `json:"states,omitempty"`   // folder for the files with the states of tasks
	Tasks    []worker.Task `json:"tasks"`
}

// Dir returns the directory in a journal directory in which each run has a folder.
func Dir(journal string) string { return filepath.Join(journal, "work") }

// Changed returns the time at which a file was last made or removed in the folder of a run, the zero time if unknown.
func Changed(folder os.DirEntry) time.Time {
	info, err := folder.Info()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

const (
	// specName is the name of the file with the Spec in the run's folder.
	specName = "run.json"
	// MaxSpec bounds, in bytes, a stored Spec, each file that Holds searches, and the input with the tasks of a run.
	MaxSpec = 256 << 20
)

// NewID returns a random name of eight hexadecimal characters, for a run or a task.
func NewID() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // no error: it never fails
	return hex.EncodeToString(b)
}

// ReadTasks parses tasks: a JSON list, or one or more JSON objects. A task without an id gets a random
// one. Two tasks with the same id are an error, and so is an input without tasks.
func ReadTasks(in []byte) ([]worker.Task, error) {
	var list []json.RawMessage
	if b := bytes.TrimSpace(in); bytes.HasPrefix(b, []byte("[")) {
		if err := json.Unmarshal(b, &list); err != nil {
			return nil, fmt.Errorf("tasks: %w", err)
		}
	} else {
		for dec := json.NewDecoder(bytes.NewReader(b)); ; {
			var task json.RawMessage
			err := dec.Decode(&task)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("task %d: %w", len(list)+1, err)
			}
			list = append(list, task)
		}
	}
	tasks := make([]worker.Task, len(list))
	for i, task := range list {
		if err := json.Unmarshal(task, &tasks[i]); err != nil {
			return nil, fmt.Errorf("task %d: %w", i+1, err)
		}
	}
	if len(tasks) == 0 {
		return nil, errors.New("there is no task")
	}
	known := map[string]bool{}
	for i := range tasks {
		if tasks[i].ID == "" {
			tasks[i].ID = NewID()
		}
		if known[tasks[i].ID] {
			return nil, fmt.Errorf("two tasks are named %q", tasks[i].ID)
		}
		known[tasks[i].ID] = true
	}
	return tasks, nil
}

// maxWord bounds a word of a command, in bytes: Linux accepts no longer word.
const maxWord = 128<<10 - 1

// Check returns an error unless every task has a command that can be parsed, and into which its prompt fits.
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

// Save makes the folder of a run, and stores the Spec in it durably. The error is fs.ErrExist if the folder exists.
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

// Load reads the Spec in the folder of a run.
func Load(dir string) (s Spec, err error) {
	b, err := disk.ReadFile(filepath.Join(dir, specName), MaxSpec)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}

// Holds reports whether a file in a run's folder contains a text (see events.TextMatcher). A file of more
// than MaxSpec bytes counts as containing it.
func Holds(dir, text string) (bool, error) {
	contains := events.TextMatcher(text)
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		b, err := disk.ReadFile(filepath.Join(dir, e.Name()), MaxSpec)
		if errors.Is(err, disk.ErrTooLarge) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if contains(b) {
			return true, nil
		}
	}
	return false, nil
}
