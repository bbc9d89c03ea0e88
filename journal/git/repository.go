// Package git identifies the repository of a directory, so that one project is known on two machines.
package git

import (
	"context"
	"errors"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Identity identifies a repository: its checkouts have it in common.
type Identity struct {
	Commits []string // the root commits of what is checked out, sorted; none in a shallow clone
	Remote  string   // address, normalised, without user name or secret; may be empty
	Name    string   // a person's name for it, which counts instead of the two
}

// String names it for people: by its name, its address, or its first commit; empty for neither.
func (i Identity) String() string {
	switch {
	case i.Name != "":
		return i.Name
	case i.Remote == "" && len(i.Commits) > 0:
		return "a repository begun by commit " + i.Commits[0][:min(len(i.Commits[0]), 12)]
	}
	return i.Remote
}

// gitWait bounds the search for the root commits, which reads the whole history.
const gitWait = 20 * time.Second

// Look identifies a directory; the zero value without an error means no repository, or no git.
func Look(ctx context.Context, dir string) (Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	var id Identity
	facts, err := git(ctx, dir, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository")
	if err != nil || len(facts) < 2 || facts[0] != "true" {
		return id, err // no repository, or one without files
	}
	remote, err := git(ctx, dir, "config", "--get", "remote.origin.url")
	if len(remote) > 0 {
		id.Remote = Normalise(remote[0])
	}
	if err != nil || facts[1] == "true" {
		return id, err
	}
	id.Commits, err = git(ctx, dir, "rev-list", "--max-parents=0", "HEAD") // none without a commit
	slices.Sort(id.Commits)
	return id, err
}

// git returns the words of git's output; none if it fails or is not installed. The error means that it did not get to
// its end.
func git(ctx context.Context, dir string, args ...string) ([]string, error) {
	const most = 1 << 20
	out, err := Output(ctx, dir, most, args...)
	if exit := (*exec.ExitError)(nil); errors.Is(err, exec.ErrNotFound) || errors.As(err, &exit) && exit.Exited() && ctx.Err() == nil {
		return nil, nil
	}
	return strings.Fields(out), err
}

// Normalise returns one form for all ways to write the address of a repository: host/path, the host in
// lower case. A path on this machine is not an address.
func Normalise(remote string) string {
	host, path := "", ""
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil || u.Scheme == "file" {
			return ""
		}
		host, path = u.Hostname(), u.Path
	} else {
		var ok bool
		if host, path, ok = strings.Cut(remote, ":"); !ok || strings.ContainsAny(host, `/\[`) || len(host) < 2 {
			return "" // a path, here or below C:
		}
		if _, h, ok := strings.Cut(host, "@"); ok {
			host = h
		}
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if host == "" || path == "" {
		return ""
	}
	return strings.ToLower(host) + "/" + path
}

// Same reports whether two are one project: a name that a person gave decides, else an equal address or equal root commits.
func (i Identity) Same(o Identity) bool {
	if i.Name != "" || o.Name != "" {
		return i.Name == o.Name
	}
	return i.Remote != "" && i.Remote == o.Remote || len(i.Commits) > 0 && slices.Equal(i.Commits, o.Commits)
}
