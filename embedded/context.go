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

// natsContext is a context of the NATS command line tools.
type natsContext struct {
	Description string `json:"description"`
	URL         string `json:"url"`
	User        string `json:"user"`
	Password    string `json:"password"`
}

// ContextDir returns the directory of the NATS command line tools' contexts: nats/context below $XDG_CONFIG_HOME or, without that,
// ~/.config.
func ContextDir() (string, error) {
	return disk.ConfigPath(os.Getenv, "nats", "context")
}

// WriteContext writes the address and password of this owner to the file journal.json in dir (see ContextDir), with mode 0600, so that
// "nats --context journal" reaches it. It returns the file's path. Close removes the file, unless another owner has written it since.
// Without Options.Listen it returns an error.
func (s *Server) WriteContext(dir string) (string, error) {
	path, err := s.writeContext(dir)
	if err != nil {
		return "", fmt.Errorf("write nats context: %w", err)
	}
	return path, nil
}

// writeContext implements WriteContext.
func (s *Server) writeContext(dir string) (string, error) {
	user, password := s.Credentials()
	if user == "" {
		return "", errors.New("the owner does not listen on TCP")
	}
	b, err := json.MarshalIndent(natsContext{
		Description: "journal, as long as its owner runs",
		URL:         s.ClientURL(),
		User:        user,
		Password:    password,
	}, "", "  ")
	if err != nil {
		return "", err
	}
	if err := disk.MakePrivate(dir); err != nil {
		return "", err
	}
	b, path := append(b, '\n'), filepath.Join(dir, "journal.json")
	if err := disk.ReplaceDurable(path, b); err != nil {
		return "", err
	}
	s.mu.Lock()
	s.context = contextFile{path, b}
	s.mu.Unlock()
	return path, nil
}

// maxContext bounds a context, in bytes. That of WriteContext is much shorter.
const maxContext = 1 << 16

// contextFile is a file that WriteContext has written, the zero value for none.
type contextFile struct {
	path string
	data []byte
}

// remove removes the file, unless another owner has written it since.
func (f contextFile) remove() error {
	if f.path == "" {
		return nil
	}
	current, err := disk.ReadFile(f.path, maxContext)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(current, f.data) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove nats context: %w", err)
	}
	if err := disk.Remove(f.path); err != nil {
		return fmt.Errorf("remove nats context: %w", err)
	}
	return nil
}
