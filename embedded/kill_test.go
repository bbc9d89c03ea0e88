package embedded_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"testing"

	"journal/cmd/testkit/ownertest"
	"journal/embedded"
	"journal/embedded/store/ownership"
)

func init() { children["publish"] = publish }

// publish owns dir, and prints the number of every acknowledged message.
func publish(dir string) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return exitError
	}
	l, err := ownership.TryLock(dir)
	if err != nil {
		return fail(err)
	}
	s, err := embedded.Own(context.Background(), l, embedded.Options{})
	if err != nil {
		return fail(err)
	}
	if err := s.Serve(); err != nil {
		return fail(err)
	}
	js, st, err := stream(s.Conn())
	if err != nil {
		return fail(err)
	}
	info, err := st.Info(context.Background())
	if err != nil {
		return fail(err)
	}
	for seq := info.State.LastSeq + 1; ; seq++ {
		ack, err := js.Publish(context.Background(), "journal.p.s.t", fmt.Append(nil, seq))
		if err != nil {
			return fail(err)
		}
		fmt.Println(ack.Sequence)
	}
}

func TestKilledOwnerLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	var acked uint64
	for round := range 4 {
		cmd := child(t, "publish", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 20+10*round && lines.Scan(); n++ {
			if _, err := fmt.Sscan(lines.Text(), &acked); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // What it said before it died counts.
			if _, err := fmt.Sscan(lines.Text(), &acked); err != nil {
				break // The last line may be torn.
			}
		}
		_ = cmd.Wait()
		if clean, _ := embedded.WasClean(dir); clean {
			t.Fatal("a killed owner counts as clean")
		}
	}
	if acked < 80 {
		t.Fatalf("only %d acknowledged", acked)
	}

	s := owner(t, dir, embedded.Options{}) // Replaces the socket of the dead one.
	if s.StoreState().Clean {
		t.Error("opened as clean")
	}
	_, st, err := stream(s.Conn())
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint64(1); seq <= acked; seq++ {
		m, err := st.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatalf("message %d of %d: %v", seq, acked, err)
		}
		if string(m.Data) != fmt.Sprint(seq) {
			t.Fatalf("message %d is %q", seq, m.Data)
		}
	}
	if err := dial(t, dir).Flush(); err != nil {
		t.Error(err)
	}
}
