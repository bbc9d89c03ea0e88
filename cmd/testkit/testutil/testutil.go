// Package testutil holds helpers that tests of several packages share.
package testutil

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// Patience bounds the time that a test waits for something. Nothing takes nearly as long, so no test fails on a busy machine.
const Patience = time.Minute

// Racing reports whether the test runs under the race detector. The detector allocates memory and needs /proc.
func Racing() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// Within polls ok until it returns true or the timeout is over, and reports whether it returned true. The interval grows, because
// ok may start a process.
func Within(timeout time.Duration, ok func() bool) bool {
	late := time.NewTimer(timeout)
	defer late.Stop()
	for pause := 5 * time.Millisecond; !ok(); pause = min(pause*5/4, 100*time.Millisecond) {
		select {
		case <-late.C:
			return false
		case <-time.After(pause):
		}
	}
	return true
}

// Eventually waits until ok returns true, and fails the test if that takes longer than Patience. what describes ok.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !Within(Patience, ok) {
		t.Fatalf("not within %v: %s", Patience, what)
	}
}

// WantError fails the test unless err is want, in the sense of errors.Is.
func WantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

// Words returns n bytes of random words, which hardly compress. The same seed yields the same words.
func Words(seed uint64, n int) string {
	random := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(random.IntN(26))
		if i%9 == 8 {
			b[i] = ' '
		}
	}
	return string(b)
}

// Listen listens on a socket at path until the test ends. Closing the listener does not remove the socket's file.
func Listen(t testing.TB, path string) *net.UnixListener {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	t.Cleanup(func() { l.Close() })
	return l
}

// Transcript is a transcript of Claude Code that a test writes. Row adds the members that every row has. The ids of the rows are in
// order, and their times are a second apart.
type Transcript struct {
	Session string
	IDs     string // the beginning of the rows' ids: fewer than eight digits
	text    strings.Builder
	rows    int
}

// Row adds a row of a type with further members.
func (tr *Transcript) Row(kind string, members map[string]any) {
	tr.rows++
	doc := map[string]any{
		"type": kind, "uuid": fmt.Sprintf("%s%0*d-0000-4000-8000-000000000000", tr.IDs, 8-len(tr.IDs), tr.rows), "sessionId": tr.Session, "cwd": "/home/dev/project",
		"timestamp": time.Date(2026, 3, 1, 10, 0, tr.rows, 0, time.UTC).Format(time.RFC3339Nano),
	}
	maps.Copy(doc, members)
	line, err := json.Marshal(doc)
	if err != nil {
		panic(fmt.Sprintf("a row that a test wrote is no JSON: %v", err))
	}
	tr.text.Write(append(line, '\n'))
}

// String returns the content of the file.
func (tr *Transcript) String() string { return tr.text.String() }
