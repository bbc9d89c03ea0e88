package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// cacheOf returns the directory in which one version of a client is installed.
func cacheOf(c *client) (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "journal-e2e", c.Agent+"-"+c.Version), err
}

// fetch installs a client unless the cache has it.
func fetch(ctx context.Context, c *client) error {
	dir, err := cacheOf(c)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", filepath.FromSlash(c.Program))); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "installing %s@%s from npm …\n", c.Package, c.Version)
	n := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", c.Package+"@"+c.Version)
	n.Dir = dir
	if out, err := n.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: npm could not install %s: %s", errors.Join(errCannot, err), c.Package, out)
	}
	return nil
}

// npmArch returns npm's name of this machine's architecture.
func npmArch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}
