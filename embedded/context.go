package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/nats-io/nats-server/v2/server"

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
	config := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("nats context directory: %w", err)
		}
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "nats", "context"), nil
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
	if err != nil {
		return "", fmt.Errorf("write nats context: %w", err)
	}
	b = append(b, '\n')
	if err := disk.MakePrivate(dir); err != nil {
		return "", fmt.Errorf("write nats context: %w", err)
	}
	path := filepath.Join(dir, "journal.json")
	if err := disk.ReplaceDurable(path, b); err != nil {
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

// Scratch starts a server that keeps its store in dir, which nobody else may know:
// there is no lock and no socket. It syncs nothing while it runs, which is many
// times faster, and everything when it is closed: before that nothing is durable.
// It is for writing a new store beside an old one. Options.Listen does not count.
func Scratch(ctx context.Context, dir string, o Options) (*Server, error) {
	s, err := scratch(ctx, dir, o)
	if err != nil {
		return nil, fmt.Errorf("write a store in %s: %w", dir, err)
	}
	return s, nil
}

func scratch(ctx context.Context, dir string, o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := disk.MakePrivate(dir); err != nil {
		return nil, err
	}
	s := &Server{
		scratch: dir, grace: defaultGrace, log: o.Logger, door: &doorman{owner: newSecret()}, bridges: map[*bridge]struct{}{},
	}
	opts, err := s.options(dir, "")
	if err != nil {
		return nil, err
	}
	opts.StoreDir, opts.SyncAlways = dir, false
	if s.ns, err = server.NewServer(opts); err != nil {
		return nil, fmt.Errorf("create server: %w", err)
	}
	if err := errors.Join(ctx.Err(), s.start()); err != nil {
		s.ns.Shutdown()
		s.ns.WaitForShutdown()
		return nil, err
	}
	return s, nil
}

// closeScratch stops the server and makes what it wrote durable.
func (s *Server) closeScratch() error {
	s.nc.Close()
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	if err := syncTree(s.scratch); err != nil {
		return fmt.Errorf("sync the store in %s: %w", s.scratch, err)
	}
	return nil
}

// syncTree syncs every file below a directory, and then every directory.
func syncTree(root string) error {
	var dirs []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			dirs = append(dirs, path)
			return nil
		}
		f, err := disk.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
	for _, dir := range dirs {
		err = errors.Join(err, disk.SyncDir(dir))
	}
	return err
}
