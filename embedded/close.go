package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"journal/embedded/store/ownership"
)

// Close stops cleanly. It refuses new connections, waits up to Options.Grace for existing ones, closes the owner's connection and the
// server, and writes the clean marker. The lock stays with the caller, who releases it after Close and checks the spool once more (ADR-0004
// rule 3). An unhealthy or discarded server leaves no marker: its index may be incomplete, so the next owner has to read every block.
//
// Before each step that touches the directory Close checks that the lock still guards it. If not, Close returns [ownership.ErrReplaced]
// without further steps, and the process must end with os.Exit. A second Close returns the result of the first.
func (s *Server) Close() error {
	s.closing.Do(func() { s.closeErr = s.close() })
	return s.closeErr
}

// close implements the first Close.
func (s *Server) close() error {
	if s.scratch != "" {
		return s.closeScratch()
	}
	if !s.lock.Intact() {
		return fmt.Errorf("close: %w", ownership.ErrReplaced)
	}
	s.StopAccepting()
	s.drain()
	// drain took time, and the server writes into the directory when it stops.
	if !s.lock.Intact() {
		return fmt.Errorf("close: %w", ownership.ErrReplaced)
	}
	healthy := s.Healthy() == nil
	if s.toolsConn != nil {
		s.toolsConn.Close()
	}
	s.nc.Close()
	s.ns.Shutdown()
	s.ns.WaitForShutdown()

	s.mu.Lock()
	stream, seq, head, file := s.stream, s.seq, s.head, s.context
	healthy = healthy && !s.broken
	s.mu.Unlock()
	err := file.remove()
	if !s.lock.Intact() {
		return errors.Join(fmt.Errorf("close: %w", ownership.ErrReplaced), err)
	}
	if healthy {
		if last := lastStored(s.lock.Dir(), stream); last > seq {
			seq, head = last, ""
		}
		err = errors.Join(writeMarker(s.lock.Dir(), seq, head), err)
	}
	if err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// lastStored returns the sequence of the newest record in the files of a stream, 0 if that is unknown. The record may be newer than that of
// SetHead: the server stores a message even if its sender no longer waits for the acknowledgement.
func lastStored(dir, stream string) uint64 {
	if stream == "" {
		return 0
	}
	last, _ := StreamIn(dir, stream).Newest(context.Background()) // the next owner reports the error
	return last
}

// drain waits for the bridged connections, and cuts the remaining ones after the grace.
func (s *Server) drain() {
	defer time.AfterFunc(s.grace, s.cutBridges).Stop()
	s.bridging.Wait()
}

// cutBridges ends the bridged connections.
func (s *Server) cutBridges() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for b := range s.bridges {
		b.cut()
	}
}
