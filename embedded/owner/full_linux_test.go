package owner_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal/spool"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// fullEnv names the directory of the process whose disk is full.
const fullEnv = "OWNER_TEST_FULL"

func TestMain(m *testing.M) {
	if dir := os.Getenv(fullEnv); dir != "" {
		if err := fillDisk(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestFullDisk: when the log's disk is full, an event is not refused but left
// to its asker, who spools it, and nothing that was acknowledged is missing.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), fullEnv+"="+ownertest.Dir(t), "GORACE=atexit_sleep_ms=0")
	if reason, skip := strings.CutPrefix(testutil.OwnMounts(t, cmd), "skip: "); skip {
		t.Skip(reason)
	}
}

// fillDisk owns a store of 2 MiB that only this process sees.
func fillDisk(dir string) error {
	store := filepath.Join(dir, "store")
	if err := os.Mkdir(store, 0o700); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", store, "tmpfs", 0, "size=2m,mode=700"); err != nil {
		fmt.Println("skip: mount:", err)
		return nil
	}
	lock, err := ownership.TryLock(dir)
	if err != nil {
		return err
	}
	o, err := owner.Own(context.Background(), lock, owner.Config{Logger: slog.New(slog.DiscardHandler), Settings: settings})
	if err != nil {
		return err
	}
	var acknowledged []uint64
	for n := range 100 {
		envelopes, err := client.Report(about(0), nil, events.PromptSubmitted{Text: testutil.Words(uint64(n), 100<<10)})
		if err != nil {
			return err
		}
		r, err := client.NewRequest(envelopes, "")
		if err != nil {
			return err
		}
		reply := o.Handle(context.Background(), r)
		if reply.Error == "" {
			acknowledged = append(acknowledged, reply.Seqs...)
			continue
		}
		if n == 0 || reply.Refused || len(reply.Seqs) != 0 {
			return fmt.Errorf("request %d: reply %+v", n, reply)
		}
		if err := checkFull(dir, o, r, acknowledged); err != nil {
			return err
		}
		return checkLeaves(dir, o)
	}
	return errors.New("10 MB fit into 2 MiB")
}

// checkFull spools what was not taken and reads back what was.
func checkFull(dir string, o *owner.Owner, r wire.Request, acknowledged []uint64) error {
	if err := client.Open(dir, client.Options{}).Save(r); err != nil {
		return err
	}
	if err := o.Drain(context.Background()); err == nil {
		return errors.New("drained into a full disk")
	}
	entries, aside, err := spool.Open(filepath.Join(dir, "spool")).Count()
	if err != nil || entries != 1 || aside != 0 {
		return fmt.Errorf("%d in the spool, %d aside, error %w", entries, aside, err)
	}
	for _, seq := range acknowledged {
		n := 0
		for _, err := range o.Log().Events(context.Background(), events.Span{After: seq - 1, Until: seq}) {
			if err != nil {
				return fmt.Errorf("seq %d was acknowledged: %w", seq, err)
			}
			n++
		}
		if n != 1 {
			return fmt.Errorf("seq %d was acknowledged and is missing", seq)
		}
	}
	return nil
}

// checkLeaves sees the owner notice that its store takes nothing more, which only
// another start ends, and leave no word that the store is sound (ADR-0012).
func checkLeaves(dir string, o *owner.Owner) error {
	ctx, cancel := context.WithTimeout(context.Background(), testutil.Patience)
	defer cancel()
	if err := o.Serve(ctx, nil); !errors.Is(err, owner.ErrUnhealthy) {
		return fmt.Errorf("served on a full disk until %w", err)
	}
	if err := o.Close(); err != nil {
		return err
	}
	if clean, _ := embedded.WasClean(dir); clean {
		return errors.New("the store counts as clean")
	}
	return nil
}
