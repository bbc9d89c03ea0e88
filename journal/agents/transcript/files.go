package transcript

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"journal/journal/agents/payload"
	"journal/journal/disk"
)

// File is a transcript of a session, or of one of its subagents. A file on the disk that holds many sessions is one File for each of
// them.
type File struct {
	Head
	Path   string
	Format *Format
	Size   int64  // bytes of the file, or of one session's rows if the file holds many sessions
	Skip   string // the reason why the file cannot be read, "" if it can
	// Open returns the rows in the first Size bytes, because the file may grow as fast as it is read.
	Open func() (io.ReadCloser, error)
}

// Files lists the files of sessions of some agents at paths, and in the folders there at any depth, each file once. It follows a
// link at a path, and links directly in a folder at a path. A file or folder below a path that cannot be read is listed with the reason.
// The error is about one of the paths, such as disk.ErrNotRegular for a path that is neither a file nor a folder, or it is that of ctx.
func Files(ctx context.Context, paths, agents []string) ([]File, error) {
	w := walk{ctx: ctx, agents: agents, seen: map[string]bool{}}
	for _, path := range paths {
		if path == "" { // a shell variable without a value: it would mean the working directory
			return nil, errors.New("a path is empty")
		}
		if err := w.addPath(path); err != nil {
			return nil, err
		}
	}
	return w.files, nil
}

// isFolder reports whether a path has the name of the agent's folder of transcripts. The path may be ".", the working directory.
func (f *Format) isFolder(path string) bool {
	path, err := filepath.Abs(path)
	return err == nil && filepath.Base(path) == filepath.Base(f.Folder)
}

// walk looks for files of sessions and collects them. It is not safe for concurrent use.
type walk struct {
	ctx    context.Context
	agents []string
	seen   map[string]bool // files and folders that were visited, by their paths without links
	files  []File
}

// addPath lists the files at one of the caller's paths, and what is beside a path with the name of an agent's folder (Format.Beside
// and Format.History).
func (w *walk) addPath(path string) error {
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return w.file(path, target, w.agents)
	}
	if err := w.folder(path, target, 0); err != nil {
		return err
	}
	for _, agent := range w.agents {
		f := declared[agent]
		if !f.isFolder(path) {
			continue
		}
		w.beside(path, f.Beside, func(path, target string) error { return w.folder(path, target, 0) })
		w.beside(path, f.History, func(path, target string) error { return w.file(path, target, []string{agent}) })
	}
	return nil
}

// beside calls list for the file or folder with a name beside path, if there is one. The name may be empty.
func (w *walk) beside(path, name string, list func(path, target string) error) {
	path = filepath.Join(path, "..", name)
	target, err := filepath.EvalSymlinks(path)
	if name == "" || err != nil {
		return
	}
	if err := list(path, target); err != nil {
		w.skip(path, reason(err))
	}
}

// folder lists the files in a folder and below it. target is path with links resolved; depth is 0 for one of the caller's paths.
func (w *walk) folder(path, target string, depth int) error {
	if w.seen[target] {
		return nil
	}
	w.seen[target] = true
	for _, agent := range w.agents {
		if unsupported := declared[agent].Unsupported; unsupported != nil && unsupported(path) != "" {
			w.skip(path, unsupported(path))
			return nil
		}
	}
	entries, err := disk.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		w.entry(e, filepath.Join(path, e.Name()), filepath.Join(target, e.Name()), depth)
	}
	return nil
}

// entry lists the files at an entry of a folder. target is path with links resolved, except for a link that is the entry itself. depth
// is that of the folder.
func (w *walk) entry(e fs.DirEntry, path, target string, depth int) {
	kind := e.Type()
	agents := w.agentsFor(e.Name())
	if kind&fs.ModeSymlink != 0 {
		info, err := os.Stat(path)
		switch {
		case err != nil && len(agents) == 0:
			return // a broken link that is not named like a transcript
		case err != nil:
			w.skip(path, reason(err))
			return
		case depth > 0 && (info.IsDir() || len(agents) > 0):
			w.skip(path, "a link: name it to have it read")
			return
		}
		if target, err = filepath.EvalSymlinks(path); err != nil {
			w.skip(path, reason(err))
			return
		}
		kind = info.Mode().Type()
	}
	var err error
	switch {
	case kind.IsDir():
		err = w.folder(path, target, depth+1)
	case kind.IsRegular() && len(agents) > 0:
		err = w.file(path, target, agents)
	}
	if err != nil && w.ctx.Err() == nil {
		w.skip(path, reason(err))
	}
}

// agentsFor lists the agents whose transcripts may have this name.
func (w *walk) agentsFor(name string) (agents []string) {
	for _, agent := range w.agents {
		if declared[agent].matches(name) {
			agents = append(agents, agent)
		}
	}
	return agents
}

// matches reports whether a transcript of the agent may have this name.
func (f *Format) matches(name string) bool {
	return slices.ContainsFunc(f.Names, func(pattern string) bool {
		ok, err := filepath.Match(pattern, name)
		return ok && err == nil
	})
}

// file reads the beginning of a file, and lists the sessions in it. target is path with links resolved. It tries the
// formats of the given agents.
func (w *walk) file(path, target string, agents []string) error {
	if w.seen[target] {
		return nil
	}
	w.seen[target] = true
	f, info, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	defer context.AfterFunc(w.ctx, func() { f.Close() })() // ends the reading of a row, which may have any length
	format, head, err := recognise(path, f, info.Size(), agents)
	switch {
	case w.ctx.Err() != nil:
		return w.ctx.Err()
	case errors.Is(err, ErrOwn):
		return nil
	case err != nil:
		w.skip(path, "no transcript: "+err.Error())
		return nil
	case format.Sessions == nil || head.Session != "":
		w.files = append(w.files, File{
			Head: head, Path: path, Format: format, Size: info.Size(),
			Open: func() (io.ReadCloser, error) { return format.open(path, info.Size()) },
		})
		return nil
	}
	all, err := format.Sessions(path)
	var unfit Unfit
	if errors.As(err, &unfit) {
		w.skip(path, unfit.Error())
		return nil
	}
	for _, session := range all {
		w.files = append(w.files, File{Head: session.Head, Path: path, Format: format, Size: session.Size, Open: session.Open})
	}
	return err
}

// skip lists a file or folder that cannot be read, with the reason.
func (w *walk) skip(path, reason string) { w.files = append(w.files, File{Path: path, Skip: reason}) }

// reason returns the text of an error about a path, without the path.
func reason(err error) string {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err
	}
	return err.Error()
}

// recognise returns the first of the agents' formats that recognises a file, and the file's head. If none does, the error is the first
// error of a format other than ErrNoSession, or ErrNoSession.
func recognise(path string, f io.ReaderAt, size int64, agents []string) (*Format, Head, error) {
	firstErr := ErrNoSession
	for _, agent := range agents {
		format := declared[agent]
		head, err := format.skim(path, io.NewSectionReader(f, 0, size))
		if err == nil {
			return format, head, nil
		}
		if errors.Is(firstErr, ErrNoSession) {
			firstErr = err
		}
	}
	return nil, Head{}, firstErr
}

// skim returns the head of a file with the content in, which may be compressed. The error is that of Skim, or about the compression.
func (f *Format) skim(path string, in io.Reader) (Head, error) {
	rows, err := content(path, in)
	if err != nil {
		return Head{}, err
	}
	defer rows.Close()
	head, err := f.Skim(path, rows)
	if u, ok := rows.(*unpacked); ok && u.err != nil && err != nil {
		return Head{}, fmt.Errorf("its compression is damaged: %w", u.err)
	}
	return head, err
}

// open opens the rows in the first size bytes of a file.
func (f *Format) open(path string, size int64) (io.ReadCloser, error) {
	file, _, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	rows, err := content(path, io.NewSectionReader(file, 0, size))
	if err != nil {
		file.Close()
		return nil, err
	}
	if f.OwnRows != nil {
		rows = f.OwnRows(path, rows)
	}
	return rowsInFile{rows, file}, nil
}

// zstdMagic is the beginning of a file compressed with zstd.
const zstdMagic = "\x28\xb5\x2f\xfd"

// content returns the content of a file. It decompresses the content if the file has the name or the beginning of a compressed one.
func content(path string, in io.Reader) (io.ReadCloser, error) {
	begin := bufio.NewReader(in)
	magic, _ := begin.Peek(len(zstdMagic)) // the next read returns the error
	if strings.HasSuffix(path, Compressed) || string(magic) == zstdMagic {
		return unpack(begin)
	}
	return io.NopCloser(begin), nil
}

// rowsInFile reads rows. Its Close also closes the file that the rows are read from.
type rowsInFile struct {
	io.ReadCloser
	file io.Closer
}

func (b rowsInFile) Close() error { return errors.Join(b.ReadCloser.Close(), b.file.Close()) }

// RowsOf yields the rows of a file, decompressed, as Rows.All does. An error of opening the file is yielded too. It never waits for a
// pipe or a device: only regular files are opened.
func RowsOf(path string, limits payload.Limits) iter.Seq2[[]byte, error] {
	return func(yield func(row []byte, err error) bool) {
		file, info, err := disk.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		in, err := content(path, io.NewSectionReader(file, 0, info.Size()))
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.Close()
		NewRows(in, limits).All(yield)
	}
}
