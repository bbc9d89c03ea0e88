// Package teamhub runs the one node of a small team's hub in this process, out of the files that
// journal/team/hub wrote, as nats-server would.
package teamhub

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"journal/embedded"
	"journal/journal/team/hub"
)

// readyWait bounds the start of the server.
const readyWait = 20 * time.Second

// ErrManyNodes is returned for a hub of several nodes: each has a machine of its own.
var ErrManyNodes = errors.New("the hub has several nodes, each runs by nats-server on a machine of its own")

// Start starts the node of a hub that is kept in a directory. The process works in that directory from
// then on: the names in a node's configuration begin there. What the server warns of goes to the
// logger. stop ends it, and returns when its files are closed.
func Start(dir string, h *hub.Hub, log *slog.Logger) (stop func(), err error) {
	o, err := options(dir, h)
	if err != nil {
		return nil, err
	}
	_, stop, err = start(o, log)
	return stop, err
}

// StartAside starts the node of a hub for this machine alone, to read what it has: at a free port, whose URL it gives.
func StartAside(dir string, h *hub.Hub, log *slog.Logger) (url string, stop func(), err error) {
	o, err := options(dir, h)
	if err != nil {
		return "", nil, err
	}
	o.Host, o.Port, o.TLSConfig = "127.0.0.1", server.RANDOM_PORT, nil
	s, stop, err := start(o, log)
	if err != nil {
		return "", nil, err
	}
	return s.ClientURL(), stop, nil
}

// options reads the configuration of a hub's one node.
func options(dir string, h *hub.Hub) (*server.Options, error) {
	if len(h.Nodes) != 1 || h.Cluster != nil {
		return nil, ErrManyNodes
	}
	if err := os.Chdir(dir); err != nil {
		return nil, err
	}
	o, err := server.ProcessConfigFile(filepath.Join(dir, h.Nodes[0].Name+".conf"))
	if err != nil {
		return nil, fmt.Errorf("the hub's configuration: %w", err)
	}
	o.NoSigs, o.NoLog = true, true
	return o, nil
}

func start(o *server.Options, log *slog.Logger) (s *server.Server, stop func(), err error) {
	s, err = server.NewServer(o)
	if err != nil {
		return nil, nil, fmt.Errorf("the hub's server: %w", err)
	}
	lines := &embedded.Lines{Out: log}
	s.SetLoggerV2(lines, false, false, false)
	s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	if ready := s.ReadyForConnections(readyWait); lines.Failure() != "" || !ready {
		stop()
		return nil, nil, fmt.Errorf("the hub does not start: %s", lines.Failure())
	}
	return s, stop, nil
}
