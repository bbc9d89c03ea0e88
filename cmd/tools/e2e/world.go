package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// world is one person with one client: a home, a project and the model's server.
type world struct {
	*client
	dir, home, project string
	bin                string // directory of journal and journal-hook
	program            string // path of the client
	url                string // of the model's server
	model              *model
	log                *os.File // output of the programs
}

// turnWait bounds the time of one prompt.
const turnWait = 3 * time.Minute

// newWorld makes the world of a person with a client, with files in dir, and starts the model's server.
func newWorld(c *client, bin, dir string) (*world, error) {
	w := &world{client: c, dir: dir, home: filepath.Join(dir, "home"), bin: bin, model: &model{}}
	w.project = filepath.Join(w.home, "lighthouse")
	w.model.project = w.project
	if err := os.MkdirAll(filepath.Join(w.project, ".git"), 0o700); err != nil {
		return nil, err
	}
	cache, err := cacheOf(c)
	if err != nil {
		return nil, err
	}
	w.program = filepath.Join(cache, "node_modules", filepath.FromSlash(c.Program))
	if w.log, err = os.OpenFile(filepath.Join(dir, "output.txt"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w.url = "http://" + l.Addr().String()
	server := &http.Server{Handler: c.Serve(w.model)}
	go func() { _ = server.Serve(l) }() // until this process ends
	return w, c.Setup(w)
}

// write writes a file of the home.
func (w *world) write(path, text string) error {
	path = filepath.Join(w.home, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// env returns the environment of the world's programs.
func (w *world) env() []string {
	return append([]string{
		"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color", "USER=dev", "SHELL=/bin/sh",
	}, w.Env(w)...)
}

// run runs a program in the project and returns its stdout.
func (w *world) run(ctx context.Context, line ...string) (string, error) {
	return w.piped(ctx, "", line...)
}

// piped is run with a text on stdin.
func (w *world) piped(ctx context.Context, stdin string, line ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.Dir = w.project
	c.Env = w.env()
	if stdin != "" {
		c.Stdin = strings.NewReader(stdin)
	}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, w.log
	fmt.Fprintf(w.log, "\n$ %s\n", strings.Join(line, " "))
	err := c.Run()
	_, _ = w.log.Write(out.Bytes()) // for people who look
	if err != nil {
		return out.String(), fmt.Errorf("%s: %w (%s)", filepath.Base(line[0]), err, filepath.Join(w.dir, "output.txt"))
	}
	return out.String(), nil
}

// journal runs a verb and returns its stdout.
func (w *world) journal(ctx context.Context, args ...string) (string, error) {
	return w.run(ctx, append([]string{filepath.Join(w.bin, "journal")}, args...)...)
}

// entry is an event as `journal log --json` prints it.
type entry struct {
	Seq     uint64          `json:"seq"`
	Type    string          `json:"type"`
	Session string          `json:"session"`
	Lane    string          `json:"lane"`
	EchoOf  uint64          `json:"echo_of"`
	Data    json.RawMessage `json:"data"`
}

// recorded returns the events of the journal that are no echoes.
func (w *world) recorded(ctx context.Context) ([]entry, error) {
	out, err := w.journal(ctx, "log", "--json")
	if err != nil {
		return nil, err
	}
	var all []entry
	dec := json.NewDecoder(strings.NewReader(out))
	for dec.More() {
		var e entry
		if err := dec.Decode(&e); err != nil {
			return nil, err
		}
		if e.EchoOf == 0 {
			all = append(all, e)
		}
	}
	return all, nil
}
