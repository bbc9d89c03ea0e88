// Command othersystems runs the tests as on another system: those of another processor under qemu-user, those of Windows under
// Wine. It counts the tests that passed, failed and were skipped, with the reasons. In a namespace of its own the kernel starts
// foreign programs by qemu, so that tests start processes as usual, and nothing of the machine is changed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// processor is another processor that can be emulated.
type processor struct {
	qemu string // name of the emulator
	// magic and mask are the first bytes of its programs, and the bits that count, in the format of binfmt_misc.
	magic, mask string
}

// processors holds the processors by Go's names of their systems.
var processors = map[string]processor{
	"linux/arm64": {
		"qemu-aarch64",
		`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`,
		`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`,
	},
}

// inside is the environment variable that marks the process in the namespace.
const inside = "JOURNAL_OTHER_SYSTEM"

func main() {
	system := flag.String("system", "linux/arm64", "as OS/ARCH")
	flag.Parse()
	start := wine
	if *system != "windows/amd64" {
		start = func(args []string) error { return emulate(*system, args) }
	}
	if err := start(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// emulate runs tests of another processor.
func emulate(system string, args []string) error {
	p, ok := processors[system]
	if !ok {
		return fmt.Errorf("no emulator is known for %s", system)
	}
	qemu, err := exec.LookPath(p.qemu)
	if err != nil {
		return fmt.Errorf("%s is not installed (Debian: qemu-user): %w", p.qemu, err)
	}
	if os.Getenv(inside) == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		c := exec.Command("unshare", append([]string{"--user", "--map-root-user", "--mount", self, "-system", system, "--"}, args...)...)
		c.Env, c.Stdout, c.Stderr = append(os.Environ(), inside+"=1"), os.Stdout, os.Stderr
		return c.Run()
	}
	if err := register(p, qemu); err != nil {
		return err
	}
	return test(system, args, nil)
}

// register makes the kernel start programs of a processor by its emulator, in this namespace. The flag P keeps the name by which
// a program is called, and F opens the emulator now.
func register(p processor, qemu string) error {
	const dir = "/proc/sys/fs/binfmt_misc"
	if out, err := exec.Command("mount", "-t", "binfmt_misc", "binfmt_misc", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("binfmt_misc cannot be mounted in a namespace, which needs Linux 6.7: %w: %s", err, out)
	}
	// name, recognised by magic bytes at no offset, magic, mask, interpreter, flags
	line := strings.Join([]string{"", p.qemu, "M", "", p.magic, p.mask, qemu, "PF"}, ":")
	return os.WriteFile(dir+"/register", []byte(line), 0o200)
}

// shown is the number of lines that are shown of a failed test.
const shown = 30

// result holds the outcomes of the tests of a run.
type result struct {
	passed int
	failed []string
	why    map[string][]string // skipped tests by the reason
	words  map[string]string   // last message of each test
	output map[string][]string // last lines of the output of each test
}

// test runs go test for a system. omitted are tests that do not run, with the reasons, which are counted as skipped. The error
// means that a test failed.
func test(system string, args []string, omitted map[string]string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	c := exec.Command("go", append([]string{"test", "-count=1", "-json"}, args...)...)
	c.Env, c.Stderr = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"), os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	r := result{why: map[string][]string{}, words: map[string]string{}, output: map[string][]string{}}
	for name, why := range omitted {
		r.why[why] = append(r.why[why], name)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		r.add(lines.Bytes())
	}
	failed := errors.Join(lines.Err(), c.Wait())
	r.print(system)
	return failed
}

// position matches the position in a file with which a test's message begins.
var position = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// add adds an event of go test -json.
func (r *result) add(line []byte) {
	var e struct{ Action, Package, Test, Output string }
	if json.Unmarshal(line, &e) != nil {
		return
	}
	name := strings.TrimSuffix(e.Package+" "+e.Test, " ")
	switch {
	case e.Action == "output":
		if message := position.ReplaceAllString(e.Output, ""); message != e.Output {
			r.words[name] = strings.TrimSpace(message)
		}
		r.output[name] = append(r.output[name], e.Output)
		r.output[name] = r.output[name][max(0, len(r.output[name])-shown):]
	case e.Action == "fail":
		r.failed = append(r.failed, name+"\n"+strings.Join(r.output[name], ""))
	case e.Test == "":
	case e.Action == "pass":
		r.passed++
	case e.Action == "skip":
		why := cmp.Or(r.words[name], "without a reason")
		r.why[why] = append(r.why[why], name)
	}
}

// print prints the outcomes.
func (r *result) print(system string) {
	skipped := 0
	for _, why := range slices.Sorted(maps.Keys(r.why)) {
		skipped += len(r.why[why])
		fmt.Printf("skipped %3d: %s (%s)\n", len(r.why[why]), why, r.why[why][0])
	}
	for _, f := range r.failed {
		fmt.Println("failed:", f)
	}
	fmt.Printf("%s: %d passed, %d failed, %d skipped\n", system, r.passed, len(r.failed), skipped)
}
