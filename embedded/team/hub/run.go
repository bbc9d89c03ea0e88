package hub

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"journal/embedded"
)

// readyWait bounds the start of the server.
const readyWait = 20 * time.Second

// ErrManyNodes is returned for a hub of several nodes: each has a machine of its own.
var ErrManyNodes = errors.New("the hub has several nodes, each runs by nats-server on a machine of its own")

// Run starts the one node of a hub in this process, out of the files in its directory, as nats-server would. The process
// works in that directory from then on: the names in a node's configuration begin there. The server's warnings go to the
// logger. stop ends it, and returns when its files are closed.
func (h *Hub) Run(log *slog.Logger) (stop func(), err error) {
	if len(h.Nodes) != 1 || h.Cluster != nil {
		return nil, ErrManyNodes
	}
	if err := os.Chdir(h.dir); err != nil {
		return nil, err
	}
	o, err := server.ProcessConfigFile(filepath.Join(h.dir, h.Nodes[0].Name+".conf"))
	if err != nil {
		return nil, fmt.Errorf("the hub's configuration: %w", err)
	}
	o.NoSigs, o.NoLog = true, true
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("the hub's server: %w", err)
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
		return nil, fmt.Errorf("the hub does not start: %s", lines.Failure())
	}
	return stop, nil
}
