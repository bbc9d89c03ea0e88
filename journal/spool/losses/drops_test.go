package losses_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"journal/journal/disk"
	"journal/journal/spool/losses"
)

func read(t *testing.T, dir string) losses.Record {
	t.Helper()
	r, err := losses.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func note(t *testing.T, dir string, n int, at int64, told bool) (first bool) {
	t.Helper()
	first, err := losses.Note(dir, n, time.Unix(0, at), "no space left on device", told)
	if err != nil {
		t.Error(err)
	}
	return first
}

func TestCounting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if r := read(t, dir); r.Lost.Events != 0 {
		t.Errorf("nothing was lost, and it reads %+v", r)
	}
	if err := losses.Make(dir); err != nil {
		t.Fatal(err)
	}
	if !note(t, dir, 2, 200, false) || !note(t, dir, 1, 100, true) || note(t, dir, 4, 300, true) {
		t.Error("the person is told other than once")
	}
	if r := read(t, dir); r.Lost != (losses.Span{First: 100, Last: 300, Events: 7}) || r.Reason != "no space left on device" || !r.Shown {
		t.Errorf("%+v", r)
	}
}

// However many hooks no program handled, all are counted, once.
func TestManyUnhandledHooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const n = 300_000 // 6 MB
	if err := os.WriteFile(filepath.Join(dir, losses.Unhandled), []byte(strings.Repeat("1764400000000000000\n", n)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := read(t, dir); r.Lost.Events != n {
		t.Errorf("%d events, want %d", r.Lost.Events, n)
	}
	takeDue(t, dir)
	settle(t, dir)
	if due, err := losses.TakeDue(dir); err != nil || due.Due.Events != n {
		t.Errorf("due %+v, error %v", due, err)
	}
	if r := read(t, dir); r.Lost.Events != 0 {
		t.Errorf("counted again: %+v", r)
	}
}

// A hook that no program handled is counted once, also if it is appended while TakeDue waits for the lock of the counts.
func TestUnhandledHookBesideTakeDue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, losses.Unhandled)
	if err := errors.Join(losses.Make(dir), os.WriteFile(path, []byte("100\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	counts, err := os.OpenFile(losses.Path(dir), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := disk.Lock(counts); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := losses.TakeDue(dir)
		done <- err
	}()
	time.Sleep(50 * time.Millisecond)
	err = errors.Join(os.WriteFile(path, []byte("100\n200\n"), 0o600), counts.Close(), <-done)
	if r := read(t, dir); err != nil || r.Due.Events+r.Lost.Events != 2 {
		t.Errorf("%+v, error %v", r, err)
	}
}

// A hook that opened the file before TakeDue renamed it, and writes afterwards, is counted once.
func TestUnhandledHookThatWritesLate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, losses.Unhandled)
	if err := os.WriteFile(path, []byte("100\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hook, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	takeDue(t, dir)
	_, err = hook.WriteString("200\n")
	if err := errors.Join(err, hook.Close()); err != nil {
		t.Fatal(err)
	}
	if r := read(t, dir); r.Due.Events+r.Lost.Events != 2 {
		t.Errorf("before the count: %+v", r)
	}
	settle(t, dir)
	if r, err := losses.TakeDue(dir); err != nil || r.Due.Events != 2 {
		t.Errorf("%+v, error %v", r, err)
	}
	if r := read(t, dir); r.Lost.Events != 0 {
		t.Errorf("counted again: %+v", r)
	}
}

// takeDue calls TakeDue, which finds nothing that it can count.
func takeDue(t *testing.T, dir string) {
	t.Helper()
	if r, err := losses.TakeDue(dir); err != nil || r.Due.Events != 0 {
		t.Errorf("due %+v, error %v", r, err)
	}
}

// settle makes the file that TakeDue renamed, if there is one, so old that it is counted.
func settle(t *testing.T, dir string) {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, losses.Unhandled+".taken"), past, past); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A TakeDue that was interrupted leaves the hooks that it took. The next ones count these, and then the hooks since.
func TestInterruptedTakeDue(t *testing.T) {
	t.Parallel()
	for _, left := range []string{"100\n300\n", ""} {
		dir := t.TempDir()
		path := filepath.Join(dir, losses.Unhandled)
		if err := errors.Join(os.WriteFile(path+".taken", []byte(left), 0o600), os.WriteFile(path, []byte("400\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		want := strings.Count(left, "\n")
		if r := read(t, dir); r.Lost.Events != uint64(want+1) {
			t.Errorf("%d hooks left: %+v", want, r.Lost)
		}
		for _, n := range []int{want, 0, 1, 0} {
			settle(t, dir)
			r, err := losses.TakeDue(dir)
			if err != nil || r.Due.Events != uint64(n) {
				t.Errorf("%d hooks left: due %+v, want %d, error %v", want, r.Due, n, err)
			}
			if err := losses.Settle(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The span of unhandled hooks begins with the first of them.
func TestTimesOfUnhandledHooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, losses.Unhandled), []byte("100\n300\n200\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := read(t, dir); r.Lost != (losses.Span{First: 100, Last: 300, Events: 3}) {
		t.Errorf("%+v", r.Lost)
	}
}

// What is counted while the log takes note of the rest is not part of that, and is left
// when it has.
func TestTheLogTakesNote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	note(t, dir, 2, 100, true)
	want := losses.Span{First: 100, Last: 100, Events: 2}
	for range 2 { // who dies in between finds the same
		due, err := losses.TakeDue(dir)
		if err != nil || due.Due != want || due.DueReason == "" {
			t.Errorf("due %+v, error %v", due, err)
		}
		if !note(t, dir, 1, 200, false) {
			t.Error("a new episode is not told")
		}
	}
	if err := losses.Settle(dir); err != nil {
		t.Fatal(err)
	}
	if r := read(t, dir); r.Due.Events != 0 || r.Lost.Events != 2 {
		t.Errorf("%+v", r)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check := func(err error, disordered bool) {
		t.Helper()
		if r := read(t, dir); err != nil || r.Disordered() != disordered {
			t.Errorf("error %v, %+v", err, r)
		}
	}
	check(losses.CountOvertaking(dir, 1, time.Unix(0, 5)), false)
	check(losses.CountLate(dir, 0), false) // nothing had waited
	check(losses.CountOvertaking(dir, 1, time.Unix(0, 6)), false)
	check(losses.CountLate(dir, 3), true)
	if r := read(t, dir); r.Ahead != (losses.Span{First: 6, Last: 6, Events: 1}) || r.Late != 3 {
		t.Errorf("%+v", r)
	}
	acknowledge := func(want bool) {
		t.Helper()
		was, err := losses.Acknowledge(dir)
		if was != want {
			t.Errorf("acknowledged: %v", was)
		}
		check(err, false)
	}
	acknowledge(true)
	acknowledge(false)
	check(losses.CountOvertaking(dir, 1, time.Unix(0, 7)), false)
	acknowledge(false) // it is not over
	check(losses.CountLate(dir, 1), true)
	check(losses.CountOvertaking(dir, 1, time.Unix(0, 7)), false) // another time begins
	if r := read(t, dir); r.Ahead != (losses.Span{First: 7, Last: 7, Events: 1}) {
		t.Errorf("%+v", r)
	}
}

// A write that a power cut tore leaves the one before, and the file is never longer.
func TestTornWrite(t *testing.T) {
	t.Parallel()
	for _, from := range []int{0, 1} {
		dir := t.TempDir()
		for n := range 5 {
			note(t, dir, 1, int64(n), false)
		}
		file, err := os.ReadFile(losses.Path(dir))
		if err != nil {
			t.Fatal(err)
		}
		half := len(file) / 2
		for i := half * from; i < half*(from+1); i += 7 {
			file[i] ^= 0x55
		}
		if err := os.WriteFile(losses.Path(dir), file, 0o600); err != nil {
			t.Fatal(err)
		}
		if r := read(t, dir); r.Lost.Events < 4 {
			t.Errorf("copy %d is torn: %+v", from, r)
		}
		note(t, dir, 1, 9, false)
		if fi, err := os.Stat(losses.Path(dir)); err != nil || fi.Size() != int64(len(file)) {
			t.Errorf("size %d, was %d, error %v", fi.Size(), len(file), err)
		}
		if r := read(t, dir); r.Lost.Events < 5 {
			t.Errorf("%+v", r)
		}
	}
}

// Neither copy can be read: nothing is known of before, and counting goes on.
func TestGarbage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, size := range []int{0, 100, 1 << 20} {
		if err := os.WriteFile(losses.Path(dir), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := losses.Read(dir); err == nil {
			t.Errorf("%d bytes of garbage read as nothing", size)
		}
		note(t, dir, 1, 1, false)
		if r := read(t, dir); r.Lost.Events != 1 {
			t.Errorf("%+v", r)
		}
	}
}

func TestAnyReasonFits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := strings.Repeat("\x01", 5000)
	for range 2 {
		if _, err := losses.Note(dir, 1, time.Unix(1<<33, 0), long, false); err != nil {
			t.Fatal(err)
		}
		if _, err := losses.TakeDue(dir); err != nil {
			t.Fatal(err)
		}
	}
	if r := read(t, dir); r.Reason == "" || r.DueReason == "" {
		t.Errorf("%+v", r)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for n := range 20 {
				note(t, dir, 1, int64(n), false)
			}
		})
	}
	all.Wait()
	if r := read(t, dir); r.Lost.Events != 400 {
		t.Errorf("%d of 400 were counted", r.Lost.Events)
	}
}

func TestSomethingElseInItsPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(losses.Path(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := losses.Read(dir); err == nil {
		t.Error("a directory is read")
	}
	if _, err := losses.Note(dir, 1, time.Now(), "", false); err == nil {
		t.Error("a directory is written")
	}
}

// What an owner that died was about to record counts as unrecorded, together with what was lost since.
func TestUnrecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	note(t, dir, 2, 200, true)
	if _, err := losses.TakeDue(dir); err != nil {
		t.Fatal(err)
	}
	if lost, why := read(t, dir).Unrecorded(); lost != (losses.Span{First: 200, Last: 200, Events: 2}) || why == "" {
		t.Errorf("%+v, %q", lost, why)
	}
	note(t, dir, 1, 300, true)
	if lost, why := read(t, dir).Unrecorded(); lost != (losses.Span{First: 200, Last: 300, Events: 3}) || why == "" {
		t.Errorf("%+v, %q", lost, why)
	}
}
