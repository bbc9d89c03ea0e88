// Command dist makes a release: archives for each system, packages for Debian, Fedora and
// npm, a formula for Homebrew, a manifest for Scoop, a list of what is linked in, and the
// checksums of all of it. The same source gives the same bytes.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// systems are the systems that a release is built for.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// release is a release of one commit.
type release struct {
	version string            // as journal version prints it
	site    string            // URL of the project; downloads are below it
	npm     string            // name of the npm package
	at      time.Time         // time of all its files
	out     string            // directory for its files
	docs    string            // directory of the files for every archive: man pages, completions, README, LICENSE
	sums    map[string]string // SHA-256 of its files, by name
	modules map[string]string // versions of the modules that the programs link, by path
}

func main() {
	r := &release{sums: map[string]string{}, modules: map[string]string{}}
	flag.StringVar(&r.version, "version", "", "version of the release, as journal version prints it")
	flag.StringVar(&r.out, "out", "dist", "directory for the files of the release")
	flag.StringVar(&r.site, "site", "", "URL of the project; downloads are expected at SITE/releases/download/VERSION")
	flag.StringVar(&r.npm, "npm", "", "name of the npm package")
	only := flag.String("only", "", "one system, as OS/ARCH")
	flag.Parse()
	if err := r.run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run makes the release for the system only, or for all systems if only is empty.
func (r *release) run(only string) (err error) {
	if r.version == "" || r.site == "" || r.npm == "" {
		return fmt.Errorf("-version, -site and -npm are needed")
	}
	if only != "" && !slices.Contains(systems, only) {
		return fmt.Errorf("-only %q is none of %s", only, strings.Join(systems, ", "))
	}
	if r.at, err = epoch(); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "journal-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := r.document(filepath.Join(work, "docs")); err != nil {
		return err
	}
	for _, system := range systems {
		if only != "" && system != only {
			continue
		}
		built := filepath.Join(work, strings.ReplaceAll(system, "/", "-"))
		if err := r.build(system, built); err != nil {
			return err
		}
		if err := r.pack(system, built); err != nil {
			return err
		}
	}
	if err := r.finish(only == ""); err != nil || !r.homeless() {
		return err
	}
	fmt.Printf("not to be published: %s is no address; make dist SITE=https://... NPM=...\n", r.site)
	return nil
}

// homeless reports whether the project's URL leads nowhere: nobody can register a name below .example.
func (r *release) homeless() bool { return strings.HasSuffix(r.site, ".example") }

// pack makes the archive and the packages for one system from the programs in built.
func (r *release) pack(system, built string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	name := r.archive(system)
	t := r.tree()
	for _, dir := range []string{built, r.docs} {
		if err := t.putAll(name, dir); err != nil {
			return err
		}
	}
	file, write := name+".tar.gz", t.tarGz
	if goos == "windows" {
		file, write = name+".zip", t.zip
	}
	made, err := write()
	if err != nil {
		return err
	}
	if err := r.save(file, made); err != nil {
		return err
	}
	if goos == "linux" {
		if err := r.linuxPackages(goarch, built); err != nil {
			return err
		}
	}
	return r.npmPlatform(goos, goarch, built)
}

// archive returns the name of a system's archive, without its extension.
func (r *release) archive(system string) string {
	return fmt.Sprintf("journal-%s-%s", r.version, strings.ReplaceAll(system, "/", "-"))
}

// finish makes the files that refer to the others: the npm package, the list of modules, checksums. The recipes refer to the
// archives of all systems, so they are made only for a whole release.
func (r *release) finish(whole bool) error {
	if err := errors.Join(r.npmMain(), r.bill()); err != nil {
		return err
	}
	if whole {
		if err := r.recipes(); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(r.checksums()), 0o644)
}

// save writes a file of the release, and adds its checksum to r.sums.
func (r *release) save(name string, body []byte) error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	r.sums[name] = fmt.Sprintf("%x", sha256.Sum256(body))
	path := filepath.Join(r.out, name)
	fmt.Printf("%s  %.1f MiB\n", path, float64(len(body))/(1<<20))
	return os.WriteFile(path, body, 0o644)
}

// epoch returns the time of all files of a release: SOURCE_DATE_EPOCH, else the time of the commit.
func epoch() (time.Time, error) {
	s := os.Getenv("SOURCE_DATE_EPOCH")
	if s == "" {
		b, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is not set, and this is no checkout: %w", err)
		}
		s = strings.TrimSpace(string(b))
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(n, 0).UTC(), nil
}
