package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// natsContext is what the NATS command line tools read as a context.
type natsContext struct {
	Description string `json:"description"`
	URL         string `json:"url"`
	User        string `json:"user"`
	Password    string `json:"password"`
}

// ContextDir is where the NATS command line tools keep their contexts:
// nats/context below $XDG_CONFIG_HOME or, without that, ~/.config.
func ContextDir() (string, error) {
	return disk.ConfigPath(os.Getenv, "nats", "context")
}

// WriteContext writes the file journal.json, mode 0600, with the address and
// password of this owner into dir (see ContextDir), so that
// "nats --context journal" reaches it; it returns the file's path. Close
// removes the file if it still is this owner's. Without Options.Listen there
// is nothing to write, which is an error.
func (s *Server) WriteContext(dir string) (string, error) {
	user, password := s.Credentials()
	if user == "" {
		return "", errors.New("write nats context: the owner does not listen on TCP")
	}
	b, err := json.MarshalIndent(natsContext{
		Description: "journal, as long as its owner runs",
		URL:         s.ClientURL(),
		User:        user,
		Password:    password,
	}, "", "  ")
	b, path := append(b, '\n'), filepath.Join(dir, "journal.json")
	if err == nil {
		err = disk.MakePrivate(dir)
	}
	if err == nil {
		err = disk.ReplaceDurable(path, b)
	}
	if err != nil {
		return "", fmt.Errorf("write nats context: %w", err)
	}
	s.mu.Lock()
	s.context = contextFile{path, b}
	s.mu.Unlock()
	return path, nil
}

// contextFile is a context that this owner has written.
type contextFile struct {
	path string
	data []byte
}

// remove leaves a file alone that another owner has written since; its
// password differs.
func (f contextFile) remove() error {
	if f.path == "" {
		return nil
	}
	have, err := disk.ReadFile(f.path, 1<<16)
	if err == nil && bytes.Equal(have, f.data) {
		err = os.Remove(f.path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove nats context: %w", err)
	}
	return nil
}
