package compile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/journal/git"
)

// tree holds the files of a project. Paths are relative to the root, with slashes.
type tree struct {
	files   []string        // without those that git ignores
	changed map[string]bool // files that differ from the last commit
	added   map[string]bool // files of changed that the last commit does not have
	git     bool            // the project is in a repository
	history bool            // the repository has a commit
	notes   []string        // for a person
}

// readTree lists the files of a project, by git if it is in a repository.
func readTree(ctx context.Context, root string) (tree, error) {
	out, err := ask(ctx, root, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-prefix")
	if errors.Is(err, exec.ErrNotFound) {
		return walk(root, "git is not installed: every CLAUDE.md is a target")
	}
	if err != nil && strings.Contains(err.Error(), "not a git repository") {
		return walk(root, "not a git repository: every CLAUDE.md is a target")
	}
	if err != nil {
		return tree{}, err
	}
	answers := strings.Split(out, "\n") // one for each option
	if len(answers) < 3 || answers[0] != "true" {
		return tree{}, fmt.Errorf("%s is in a git repository that has no files of its own (bare)", root)
	}
	t := tree{git: true, changed: map[string]bool{}, added: map[string]bool{}}
	if answers[1] == "true" {
		t.notes = append(t.notes, "a shallow clone: commits before its first count as one")
	}
	_, err = ask(ctx, root, "rev-parse", "--verify", "--quiet", "HEAD")
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		t.history = true
	case failed && exit.Exited():
		t.notes = append(t.notes, "no commit yet: everything is uncommitted")
	default:
		return tree{}, err
	}
	return t, t.list(ctx, root, answers[2])
}

// list adds the files that git tracks, and the untracked files that it does not ignore. prefix is the path of root in the
// repository, empty or with a slash at its end.
func (t *tree) list(ctx context.Context, root, prefix string) error {
	indexed, err := ask(ctx, root, "ls-files", "-z", "--stage")
	if err != nil {
		return err
	}
	status, err := ask(ctx, root, "status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all", ".")
	if err != nil {
		return err
	}
	deleted := map[string]bool{}
	for _, c := range git.Changes(status) {
		name, inside := strings.CutPrefix(c.Path, prefix)
		if oldName, wasInside := strings.CutPrefix(c.Was, prefix); wasInside && c.Was != "" {
			t.changed[oldName] = true
		}
		switch {
		case !inside:
		case strings.HasSuffix(name, "/"):
			t.notes = append(t.notes, name+" is a repository of its own: plan it there")
		case c.State == "??":
			t.files = append(t.files, name)
			t.changed[name], t.added[name] = true, !t.changed[name] // a row before it reports a file that only the index lacks
		default:
			t.changed[name], t.added[name] = true, c.Was != "" || c.State[0] == 'A'
			deleted[name] = c.State[1] == 'D'
		}
	}
	for entry := range strings.SplitSeq(indexed, "\x00") {
		mode, name, ok := strings.Cut(entry, "\t")
		switch {
		case !ok || deleted[name]:
		case strings.HasPrefix(mode, "160000 "):
			t.notes = append(t.notes, name+" is a submodule: plan it there")
		default:
			t.files = append(t.files, name)
		}
	}
	slices.Sort(t.files)
	t.files = slices.Compact(t.files) // a file with a conflict has several entries
	return nil
}

// maxFiles bounds the number of a project's files that are read without git.
var maxFiles = 200_000

// walk lists the files of a project without git, and so without their changes. It leaves out hidden directories, node_modules and
// vendor. note is a note for a person.
func walk(root, note string) (tree, error) {
	t := tree{notes: []string{note}}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && p == root:
			return err
		case err != nil:
			return nil // an unreadable directory counts as empty
		case d.IsDir() && p != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "vendor"):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case len(t.files) == maxFiles:
			t.notes = append(t.notes, fmt.Sprintf("more than %d files: the rest was not read", maxFiles))
			return filepath.SkipAll
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		t.files = append(t.files, filepath.ToSlash(rel))
		return nil
	})
	return t, err
}

// maxListed bounds git's list of a project's files, in bytes.
const maxListed = 256 << 20

// patience bounds one call of git, which waits for ever if one of its own files is a pipe.
var patience = time.Minute

// ask runs git and returns its output, without the last line break.
func ask(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := git.Output(ctx, dir, maxListed, args...)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("git %s took more than %s: a .gitignore or a file in .git may not be a regular file", args[0], patience)
	}
	return out, err
}
