// Package git runs git. It identifies the repository of a directory, so that one project is known on two machines, and
// observes checkouts.
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

// Identity identifies a repository, whatever checkout it is read from. See Same.
type Identity struct {
	Commits []string // the root commits of the commit that is checked out, sorted; none in a shallow clone
	Remote  string   // the address of origin, normalised, without user name or secret; empty for none
	Name    string   // a person's name for the repository, which replaces Commits and Remote; empty for none
}

// shownDigits is the number of digits of a commit that people are shown, a few more than in the short form of git.
const shownDigits = 12

// String describes the repository for people: by Name, Remote or a root commit. It returns "" if there is none of them.
func (i Identity) String() string {
	switch {
	case i.Name != "":
		return i.Name
	case i.Remote == "" && len(i.Commits) > 0:
		return "a repository begun by commit " + i.Commits[0][:min(len(i.Commits[0]), shownDigits)]
	}
	return i.Remote
}

// identifyWait bounds Identify, in which git reads the whole history for the root commits.
const identifyWait = 20 * time.Second

// Identify returns the identity of the repository that a directory is a checkout of. It returns the zero value without an
// error if the directory is in no checkout, or git is not installed. After an error the identity may lack members.
func Identify(ctx context.Context, dir string) (Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, identifyWait)
	defer cancel()
	var id Identity
	facts, err := words(ctx, dir, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository")
	if err != nil || len(facts) < 2 || facts[0] != "true" {
		return id, err // no repository, or a bare one
	}
	remote, err := words(ctx, dir, "config", "--get", "remote.origin.url")
	if len(remote) > 0 {
		id.Remote = normalise(remote[0])
	}
	if err != nil || facts[1] == "true" { // a shallow clone lacks its root commits
		return id, err
	}
	id.Commits, err = words(ctx, dir, "rev-list", "--max-parents=0", "HEAD") // none in a repository without a commit
	slices.Sort(id.Commits)
	return id, err
}

// maxWords bounds the output that words reads, in bytes: thousands of root commits.
const maxWords = 1 << 20

// words returns the words of git's output, none if git exits with an error or is not installed. Its error means that git was
// not started, was killed, or printed too much.
func words(ctx context.Context, dir string, args ...string) ([]string, error) {
	out, err := Output(ctx, dir, maxWords, args...)
	exit, ended := errors.AsType[*exec.ExitError](err)
	failed := ended && exit.Exited() && ctx.Err() == nil // on Windows a killed git has exited, too
	if failed || errors.Is(err, exec.ErrNotFound) {
		return nil, nil
	}
	return strings.Fields(out), err
}

// normalise returns the address of a remote, a URL or user@host:path, as host/path with the host in lower case. It returns ""
// for a path on this machine, and for a host in brackets.
func normalise(remote string) string {
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
			return "" // a path, perhaps with a drive of Windows
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

// Same reports whether both identify one project: by equal names if either has one, else by equal addresses or root commits.
func (i Identity) Same(other Identity) bool {
	if i.Name != "" || other.Name != "" {
		return i.Name == other.Name
	}
	return i.Remote != "" && i.Remote == other.Remote || len(i.Commits) > 0 && slices.Equal(i.Commits, other.Commits)
}
