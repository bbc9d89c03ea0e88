package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// command returns the path of journal, by which hooks and the model call it, because it is not in PATH.
func (w *world) command() string { return filepath.Join(w.bin, "journal") }

// installed installs the hooks, uninstalls them, checks that every file is as it was, and installs them again. A client with a
// function Install has only that.
func (w *world) installed(ctx context.Context) error {
	if w.Install != nil {
		return w.Install(ctx, w)
	}
	before, err := w.configuration()
	if err != nil {
		return err
	}
	install := []string{"install", "--allow", "--agent", w.Agent, "--client-version", w.Version}
	if _, err := w.journal(ctx, install...); err != nil {
		return err
	}
	if _, err := w.journal(ctx, "uninstall", "--agent", w.Agent); err != nil {
		return err
	}
	after, err := w.configuration()
	if err != nil {
		return err
	}
	if !maps.Equal(before, after) {
		return fmt.Errorf("install and uninstall leave %v, and it was %v", after, before)
	}
	_, err = w.journal(ctx, install...)
	return err
}

// uninstalled uninstalls the hooks after the day, and checks that no settings of the client call them any more.
func (w *world) uninstalled(ctx context.Context) error {
	if w.Uninstall != nil {
		if err := w.Uninstall(ctx, w); err != nil {
			return err
		}
	}
	if _, err := w.journal(ctx, "uninstall", "--agent", w.Agent); err != nil {
		return err
	}
	for _, dir := range w.Configured {
		for _, path := range []string{"settings.json", "hooks.json", "config.toml", "opencode.json", "plugin/journal.js", "extensions/journal.js"} {
			b, err := os.ReadFile(filepath.Join(w.home, filepath.FromSlash(dir), filepath.FromSlash(path)))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if strings.Contains(string(b), filepath.Join(w.bin, "journal-hook")) || strings.Contains(string(b), pluginName) {
				return fmt.Errorf("%s/%s still calls the hooks", dir, path)
			}
		}
	}
	return nil
}

// configuration returns the files of the client's configuration, by path.
func (w *world) configuration() (map[string]string, error) {
	files := map[string]string{}
	for _, dir := range w.Configured {
		root := filepath.Join(w.home, filepath.FromSlash(dir))
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() {
				files[path] = "a directory"
				return err
			}
			b, err := os.ReadFile(path)
			files[path] = string(b)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
