// Command mutate is a mutation test: it changes one place of the source at a time, drawn by a seed, and runs the tests. First run
// those of the place's own package. If they pass, those of packages in the same folder that use it follow, and then the scripts
// that drive the whole program. A mutation that no test notices is a survivor. It needs a new test, or a paragraph in
// equivalent.txt with the reason why the program does the same.
//
// No file of the tree is changed: the go command gets the changed file by -overlay. Mutate runs in the module's root. It exits
// with 1 if it could not measure, also because the tests fail without a mutation. Survivors are a result.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
)

// measured are the packages that are mutated by default.
const measured = "./events/... ./projections ./replay/... ./journal/spool ./embedded/store/archive ./journal/spool/losses ./journal/redact ./embedded/store/blocks " +
	"./embedded/copies ./embedded/owner/... ./embedded/rebuild"

// scripts are the tests of the whole program whose names match, as arguments of go test.
func scripts(names string) []string {
	return []string{"-run", "^TestScripts$/" + names, "./cmd/journal"}
}

func main() {
	var d draw
	patterns := flag.String("packages", measured, "packages, as the go command names them")
	flag.Uint64Var(&d.seed, "seed", 1, "what is drawn")
	flag.IntVar(&d.n, "n", 14, "mutations of each package; 0 is all there are")
	flag.StringVar(&d.where, "at", "", "only those in files whose path holds this")
	flag.StringVar(&d.again, "again", "", "only the survivors in this file, which a run with -json wrote")
	flag.StringVar(&d.scripts, "scripts", ".", "the scripts, by a regular expression, that run where the packages' tests say nothing; none when empty")
	jobs := flag.Int("jobs", 1, "mutations beside each other")
	asJSON := flag.Bool("json", false, "print one JSON document")
	list := flag.Bool("list", false, "print what would be drawn and run nothing")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	boundMemory()
	if err := run(ctx, d, strings.Fields(*patterns), *jobs, *asJSON, *list); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// draw selects the mutations and their tests; the flags in main describe its fields.
type draw struct {
	seed    uint64
	n       int
	where   string
	again   string
	scripts string
}

// run tries the mutations of packages, and prints the results.
func run(ctx context.Context, d draw, patterns []string, jobs int, asJSON, list bool) error {
	packages, err := packagesOf(ctx, patterns)
	if err != nil {
		return err
	}
	known, err := equivalents()
	if err != nil {
		return err
	}
	var results []result
	var failed error
	for _, p := range packages {
		drawn, err := d.drawnFrom(p)
		if err != nil {
			return err
		}
		if list {
			for _, m := range drawn {
				fmt.Println(m)
			}
			continue
		}
		if len(drawn) == 0 {
			continue
		}
		r, tried := d.try(ctx, p, drawn, known, jobs)
		if results = append(results, r); tried != nil {
			failed = tried
			break // the results so far are printed
		}
	}
	switch {
	case list:
	case asJSON:
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		failed = errors.Join(failed, enc.Encode(results))
	default:
		table(os.Stdout, results)
	}
	return failed
}

// drawnFrom returns the mutations of a package in the order in which they are tried: one for each place, or with -again the
// survivors. The draw of a package does not depend on the other packages.
func (d draw) drawnFrom(p pkg) ([]mutation, error) {
	sites, err := p.sites()
	if err != nil {
		return nil, err
	}
	survivors, err := d.survivors()
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(d.seed, uint64(crc32.ChecksumIEEE([]byte(p.ImportPath)))))
	var drawn []mutation
	for _, variants := range sites {
		chosen := rng.IntN(len(variants))
		for i, m := range variants {
			wanted := survivors[m.key()]
			if survivors == nil {
				wanted = i == chosen
			}
			if wanted && strings.Contains(m.File, d.where) {
				drawn = append(drawn, m)
			}
		}
	}
	rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return drawn, nil
}

// survivors returns the keys of the survivors in the file of -again; nil without that flag.
func (d draw) survivors() (map[string]bool, error) {
	if d.again == "" {
		return nil, nil
	}
	b, err := os.ReadFile(d.again)
	if err != nil {
		return nil, err
	}
	var before []result
	if err := json.Unmarshal(b, &before); err != nil {
		return nil, fmt.Errorf("%s: %w", d.again, err)
	}
	keys := map[string]bool{}
	for _, r := range before {
		for _, m := range r.Survivors {
			keys[m.key()] = true
		}
	}
	return keys, nil
}

// try tries the drawn mutations of a package until n of them were viable; all if n is 0.
func (d draw) try(ctx context.Context, p pkg, drawn []mutation, known map[string]string, jobs int) (result, error) {
	t, err := newTrial(ctx, p)
	r := result{Package: p.ImportPath, Seed: d.seed}
	if err != nil {
		return r, err
	}
	defer t.close()
	next := make(chan mutation)
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	for range jobs {
		group.Go(func() {
			for m := range next {
				if reason, ok := known[m.key()]; ok {
					mu.Lock()
					r.Named = append(r.Named, named{m, reason})
					mu.Unlock()
					continue
				}
				outcome, err := t.outcome(ctx, m, d.scripts)
				mu.Lock()
				if failed = errors.Join(failed, err); err == nil {
					r.note(m, outcome)
					progress(m, outcome)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range drawn {
		mu.Lock()
		done := failed != nil || ctx.Err() != nil || d.n > 0 && r.viable() >= d.n
		mu.Unlock()
		if done {
			break
		}
		next <- m
	}
	close(next)
	group.Wait()
	return r, errors.Join(failed, ctx.Err())
}
