package service_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"testing"

	"journal/embedded/service"
	"journal/journal/wire"
	"journal/journal/wire/sock"
)

// If an owner leaves between the greeting and the first answer, Reach tries the next one, so that a person's command does not fail.
func TestReachFollowsAnOwner(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	serve(t, dir)
	path := sock.Path(dir)
	if err := os.Rename(path, path+"2"); err != nil {
		t.Fatal(err)
	}
	door, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left := make(chan error, 1)
	go func() { left <- leave(door, path) }()
	nc, waits, err := service.Reach(t.Context(), dir, nil)
	if err != nil || waits != "" {
		t.Fatalf("%q waits, error %v", waits, err)
	}
	nc.Close()
	if err := <-left; err != nil {
		t.Error(err)
	}
}

// leave forwards one connection to an owner, ends it at the first request, and then lets the owner's socket take its place.
func leave(door net.Listener, path string) error {
	near, err := door.Accept()
	if err != nil {
		return err
	}
	defer near.Close()
	far, err := net.Dial("unix", path+"2")
	if err != nil {
		return err
	}
	defer far.Close()
	go func() { _, _ = io.Copy(near, far) }()
	for said := make([]byte, 4096); ; {
		n, err := near.Read(said)
		if err != nil {
			return err
		}
		if bytes.Contains(said[:n], []byte(wire.Drain)) {
			door.Close() // before the rename, because it removes its path
			return os.Rename(path+"2", path)
		}
		if _, err := far.Write(said[:n]); err != nil {
			return err
		}
	}
}
