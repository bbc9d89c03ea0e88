package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/nats-io/nats-server/v2/server"

	"journal/journal/disk"
)

// Scratch starts a server with its store in dir, which no other process may use: the server has no lock and no socket. It syncs nothing
// while it runs, which is many times faster, and everything when it is closed. It is for a new store that replaces another one. logger, if
// not nil, gets the messages of the server.
func Scratch(ctx context.Context, dir string, logger *slog.Logger) (*Server, error) {
	s, err := scratch(ctx, dir, logger)
	if err != nil {
		return nil, fmt.Errorf("write a store in %s: %w", dir, err)
	}
	return s, nil
}

// scratch implements Scratch.
func scratch(ctx context.Context, dir string, logger *slog.Logger) (*Server, error) {
	if err := disk.MakePrivate(dir); err != nil {
		return nil, err
	}
	s := &Server{scratch: dir, log: cmp.Or(logger, slog.New(slog.DiscardHandler)), auth: &authenticator{owner: newSecret()}}
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

// closeScratch stops the server and makes its store durable.
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
