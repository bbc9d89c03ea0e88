package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// able returns the reason why clients cannot run in a network namespace here; nil if they can.
func able() error {
	if _, err := exec.LookPath("npm"); err != nil {
		return fmt.Errorf("%w: npm, which installs the real clients, is not installed", errCannot)
	}
	c := exec.Command("/bin/true")
	c.SysProcAttr = apart()
	if err := c.Run(); err != nil {
		return fmt.Errorf("%w: a network namespace cannot be made here: %w", errCannot, err)
	}
	return nil
}

// apart returns the attributes of a process with namespaces of its own. When it ends, the processes that it started end, too.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
}

// playApart plays a day, the scripted sessions of one client or two, in a process with namespaces of its own.
func playApart(ctx context.Context, name, bin, dir string) (result, error) {
	self, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	c := exec.CommandContext(ctx, self, "-inside", name, "-bin", bin, "-keep", dir)
	c.SysProcAttr, c.Stderr = apart(), os.Stderr
	out, err := c.Output()
	if err != nil {
		return result{}, err
	}
	var r result
	return r, json.Unmarshal(out, &r)
}

// playInside plays a day in this process, which is the first of its namespaces, and prints the result as JSON.
func playInside(ctx context.Context, name, bin, dir string) error {
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if err := upLoopback(); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	var worlds []*world
	for i, c := range clientsOf(name) {
		own := dir
		if name == inTeam {
			own = filepath.Join(dir, people[i])
		}
		w, err := newWorld(c, bin, own)
		if err != nil {
			return err
		}
		worlds = append(worlds, w)
	}
	var r result
	switch {
	case len(worlds) == 1:
		r = worlds[0].day(ctx)
	case name == inTeam:
		r = teamDay(ctx, worlds[0], worlds[1])
	default:
		r = sharedDay(ctx, worlds[0], worlds[1])
	}
	for _, w := range worlds {
		if err := w.requestsFile(); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// upLoopback starts the loopback interface.
func upLoopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, r)
}
