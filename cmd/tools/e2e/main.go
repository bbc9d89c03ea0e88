// Command e2e plays a day of work with the real clients of agents and the hooks of `journal install`. It checks what the journal
// recorded, and what the model got after compactions. It also plays a day of two clients in one project, which continue each
// other's sessions, and a day of two people in a team, of whom one continues the other's work.
//
// Each client is installed once from the npm registry into a cache. A client runs in a network namespace with only a loopback,
// where a model server answers by a script: there is no account and no key, and nothing leaves the machine. The command runs in
// the module's root, on Linux with npm and user namespaces. On other systems, and if npm cannot install a client, it prints that
// and exits with 0. It exits with 1 if a check failed, and after any other error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// errCannot means that nothing can be played on this machine.
var errCannot = errors.New("skipped")

func main() {
	bin := flag.String("bin", "bin", "directory of journal and journal-hook")
	only := flag.String("clients", strings.Join(names(), ","), "days to play, separated by commas: of a client, of two in one project, or of two people in a team")
	keep := flag.String("keep", "", "keep the files of the runs in this directory")
	inside := flag.String("inside", "", "day to play in this process, which has a network namespace of its own")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	failed := false
	if *inside != "" {
		err = playInside(ctx, *inside, *bin, *keep)
	} else {
		failed, err = playAll(ctx, *bin, strings.Split(*only, ","), *keep)
	}
	switch {
	case errors.Is(err, errCannot):
		fmt.Println(err)
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	case failed:
		os.Exit(1)
	}
}

// playAll plays the chosen days one after the other, prints the table, and reports whether a check failed.
func playAll(ctx context.Context, bin string, chosen []string, keep string) (failed bool, err error) {
	for _, name := range chosen {
		if !slices.Contains(names(), name) {
			return false, fmt.Errorf("no day of %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	if err := checkNamespaces(); err != nil {
		return false, err
	}
	bin, err = filepath.Abs(bin)
	if err != nil {
		return false, err
	}
	if _, err := os.Stat(filepath.Join(bin, "journal")); err != nil {
		return false, fmt.Errorf("%w; run: make build", err)
	}
	if keep == "" {
		if keep, err = os.MkdirTemp("", "journal-e2e-"); err != nil {
			return false, err
		}
		defer os.RemoveAll(keep)
	}
	var all []result
	for _, name := range chosen {
		for _, c := range clientsOf(name) {
			if err := fetch(ctx, c); err != nil {
				return false, err
			}
		}
		dir := filepath.Join(keep, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return false, err
		}
		if name == inTeam {
			if err := buildServer(ctx, dir); err != nil {
				return false, err
			}
		}
		r, err := playApart(ctx, name, bin, dir)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, r)
	}
	return printTable(os.Stdout, all), nil
}

// names lists the days that can be played.
func names() []string {
	var all []string
	for name := range clients {
		all = append(all, name)
	}
	slices.Sort(all)
	return append(all, together, inTeam)
}

// together is a day of two clients in one project.
const together = "claude+codex"

// clientsOf returns the clients of a day.
func clientsOf(name string) (all []*client) {
	for one := range strings.SplitSeq(name, "+") {
		all = append(all, clients[one])
	}
	return all
}
