package transcript

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// Index finds the files of sessions. It reads each folder and file once. It is not safe for concurrent use.
type Index struct {
	home   string
	getenv func(string) string
	walks  map[string]*walk             // by agent
	files  map[string]map[string][]File // by agent and session
}

// NewIndex returns an index of the transcripts below a home directory, and in the folders that environment variables name.
func NewIndex(home string, getenv func(string) string) *Index {
	return &Index{home: home, getenv: getenv, walks: map[string]*walk{}, files: map[string]map[string][]File{}}
}

// Of lists the files of a session and of its subagents. known is the path of the session's transcript that the log names, "" if the log
// names none. Files that cannot be read are left out. The error is that of ctx.
func (x *Index) Of(ctx context.Context, f *Format, session, known string) ([]File, error) {
	w := x.walks[f.Agent]
	if w == nil {
		w = &walk{agents: []string{f.Agent}, seen: map[string]bool{}}
		x.walks[f.Agent], x.files[f.Agent] = w, map[string][]File{}
		x.add(ctx, w, f, f.Folders(x.home, x.getenv)...)
	}
	if filepath.IsAbs(known) {
		paths := []string{known}
		if f.Around != nil {
			paths = f.Around(known)
		}
		x.add(ctx, w, f, paths...)
	}
	return x.files[f.Agent][session], ctx.Err()
}

// At lists the files of a session at some paths. Files that are missing or cannot be read are left out.
func (f *Format) At(ctx context.Context, session string, paths ...string) []File {
	w := walk{ctx: ctx, agents: []string{f.Agent}, seen: map[string]bool{}}
	for _, path := range paths {
		_ = w.addPath(path) // a missing path has no files
	}
	return slices.DeleteFunc(w.files, func(file File) bool { return file.Skip != "" || file.Session != session })
}

// add adds the files at some paths to the index. w is the walk of the agent.
func (x *Index) add(ctx context.Context, w *walk, f *Format, paths ...string) {
	w.ctx = ctx
	for _, path := range paths {
		_ = w.addPath(path) // a folder that is missing or unreadable has no files
	}
	for _, file := range w.files {
		if file.Skip == "" {
			x.files[f.Agent][file.Session] = append(x.files[f.Agent][file.Session], file)
		}
	}
	w.files = nil
}

// Folders lists the folders of the agent's transcripts: the one below home, and those that its environment variables name.
func (f *Format) Folders(home string, getenv func(string) string) []string {
	folders := []string{filepath.Join(home, filepath.FromSlash(strings.TrimPrefix(f.Folder, "~/")))}
	for _, name := range []string{f.Moved.Var, f.Moved.Also} {
		rest, ok := strings.CutPrefix(f.Folder, f.Moved.From)
		if ok && name != "" && getenv(name) != "" {
			folders = append(folders, filepath.Join(getenv(name), filepath.FromSlash(rest)))
		}
	}
	return folders
}
