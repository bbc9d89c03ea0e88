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
	Name    string   // a person's name for a directory outside of a repository
	// Also are repositories that a person declared to be this one, though only one of commits and address is
	// equal: a fork, or the one that it moved from.
	Also []Checkout
}

// Checkout describes a checkout of a repository, as git reports it.
type Checkout struct {
	Commits []string `json:"commits,omitempty"`
	Remote  string   `json:"remote,omitempty"`
}

// Equal reports whether two are the same.
func (c Checkout) Equal(o Checkout) bool {
	return c.Remote == o.Remote && slices.Equal(c.Commits, o.Commits)
}

// String names it for people: its address, or its first commit.
func (c Checkout) String() string {
	if c.Remote == "" && len(c.Commits) > 0 {
		return "a repository without an address, begun by commit " + c.Commits[0][:min(len(c.Commits[0]), 12)]
	}
	return c.Remote
}

// Checkout returns the part that git knows.
func (i Identity) Checkout() Checkout { return Checkout{i.Commits, i.Remote} }

// Takes reports whether this side accepts another as the same project: by comparison, or by a person's
// declaration. Unlike Compare it is not symmetric: a declaration counts only on its own side.
func (i Identity) Takes(o Identity) bool {
	matches := func(c Checkout) bool { return c.Equal(o.Checkout()) }
	return Compare(i, o) == Same || i.Name == "" && o.Name == "" && slices.ContainsFunc(i.Also, matches)
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

// Likeness is the result of Compare.
type Likeness string

const (
	// Same: the root commits and the address are equal; in a shallow clone, which does not know the
	// former, the address; without git the name.
	Same Likeness = "same"
	// Alike: one of both is equal, as with a fork, or a repository that moved. A person decides once.
	Alike Likeness = "alike"
	// Different: neither is equal, or nothing is known.
	Different Likeness = "different"
)

// Compare returns the likeness of two identities. It is symmetric.
func Compare(a, b Identity) Likeness {
	if a.Name != "" || b.Name != "" {
		if a.Name == b.Name {
			return Same
		}
		return Different
	}
	shallow := len(a.Commits) == 0 || len(b.Commits) == 0
	commits := !shallow && slices.Equal(a.Commits, b.Commits)
	remote := a.Remote != "" && a.Remote == b.Remote
	switch {
	case remote && (commits || shallow):
		return Same
	case remote || commits:
		return Alike
	}
	return Different
}
