// Command e2e plays a day of work through the real clients of agents, with the hooks
// that `journal install` gives them, and prints what of it the journal recorded and
// what the model saw again after its compactions; and a day of two of them in one
// project, each of which goes on with a session of the other; and a day of two people in
// one team, the second of whom goes on with what the first has left.
//
// Each client is installed from the npm registry into a cache, once, and runs in a
// network of its own that holds nothing but its loopback, with a model server there
// that answers by a script: no account, no key, and nothing leaves the machine. It
// runs in the module's root, on Linux with npm and user namespaces; elsewhere it says
// so and ends with 0. It ends with 1 when a check failed.
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

// errCannot says why nothing can be played on this machine.
var errCannot = errors.New("skipped")

func main() {
	bin := flag.String("bin", "bin", "directory of journal and journal-hook")
	only := flag.String("clients", strings.Join(names(), ","), "days to play, separated by commas: of a client, of two in one project, or of two people in a team")
	keep := flag.String("keep", "", "keep what the runs leave in this directory")
	inside := flag.String("inside", "", "client to play in this process, whose network is its own")
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

// playAll plays the clients one after the other and prints the table.
func playAll(ctx context.Context, bin string, chosen []string, keep string) (failed bool, err error) {
	for _, name := range chosen {
		if !slices.Contains(names(), name) {
			return false, fmt.Errorf("no day of %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	if err := able(); err != nil {
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
