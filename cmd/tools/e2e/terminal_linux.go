package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// inTerminal runs a prompt in a new session in a terminal, with steps as the script and some acts of the person, and closes the
// terminal when the turn has ended. Print mode would have no dialogs, and with some clients no texts of hooks.
func (w *world) inTerminal(ctx context.Context, prompt string, acts []act, steps ...step) error {
	ctx, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	before, err := w.turnsEnded(ctx)
	if err != nil {
		return err
	}
	w.model.play(steps...)
	person, terminal, err := openTerminal()
	if err != nil {
		return err
	}
	defer person.Close()
	line := w.Terminal(w, prompt)
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.Dir, c.Env = w.project, w.env()
	c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
	c.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	err = c.Start()
	terminal.Close()
	if err != nil {
		return err
	}
	shown, err := os.OpenFile(filepath.Join(w.dir, "terminal.txt"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer shown.Close()
	read := make(chan struct{})
	wide := false
	s := &screen{terminal: person, kept: shown, repaint: func() {
		wide = !wide
		_ = setSize(person, wide) // after an error the text is not found
	}}
	go func() {
		defer close(read)
		s.read()
	}()
	err = s.play(ctx, acts)
	for now := before; err == nil && (now == before || w.model.left() > 0); {
		if now, err = w.turnsEnded(ctx); err == nil {
			err = pause(ctx)
		}
	}
	if err != nil {
		_ = c.Process.Kill()
		_ = c.Wait()
		return fmt.Errorf("%q in a terminal (%s), %d steps of the script left: %w", prompt, shown.Name(), w.model.left(), err)
	}
	_ = c.Process.Signal(unix.SIGHUP) // the terminal is closed
	_ = c.Wait()                      // by a signal
	<-read
	return nil
}

// turnsEnded counts the turns that ended.
func (w *world) turnsEnded(ctx context.Context) (n int, err error) {
	all, err := w.recorded(ctx)
	for _, e := range all {
		if e.Type == "turn.ended" {
			n++
		}
	}
	return n, err
}

// openTerminal returns the two ends of a terminal.
func openTerminal() (person, program *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("a terminal: %w", err)
	}
	person = os.NewFile(uintptr(fd), "person")
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = setSize(person, false)
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		person.Close()
		return nil, nil, fmt.Errorf("a terminal: %w", err)
	}
	return person, program, nil
}

// setSize sets the size of a terminal's screen.
func setSize(person *os.File, wide bool) error {
	size := unix.Winsize{Row: 40, Col: 120}
	if wide {
		size.Col++
	}
	return unix.IoctlSetWinsize(int(person.Fd()), unix.TIOCSWINSZ, &size)
}
