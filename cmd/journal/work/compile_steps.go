package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal/notes/sections"
	"journal/projections/compilation"
)

// compileStart makes the command `journal compile start`.
func compileStart(a *cli.App) *cobra.Command {
	var e events.CompileStarted
	c := compileVerb(a, "start TARGET", "a target is being compiled, and in which phase",
		`Records that a target is being compiled. Phases: `+strings.Join(events.CompilePhases, ", ")+`;
green has at most three tries.`,
		func(_ context.Context, r compileRun, args []string) (_ events.CompileStarted, err error) {
			e.Phase = strings.ReplaceAll(e.Phase, "-", "_")
			e.Target, err = r.find(args[0])
			return e, err
		})
	c.Flags().StringVar(&e.Phase, "phase", "", "the phase (default: the present one, else the first)")
	cli.CountFlag(c, &e.Try, "try", "", 0, 1, events.CompileTries, "which try of green, 1 to 3")
	return cli.AllowAgents(c, "phase", "try", "json")
}

// compileResult makes the command `journal compile result`.
func compileResult(a *cli.App) *cobra.Command {
	var from, status string
	c := compileVerb(a, "result [TARGET]", "the result of compiling a target",
		`Records a result: the JSON that compilers write to .claude/tmp/{session}-compile-{target}.json. Its
target_dir or claude_md_path names the target; paths of files are relative to the target. Without --from
the result is only --status.`,
		func(ctx context.Context, r compileRun, args []string) (e events.CompileFinished, err error) {
			target := ""
			if from != "" {
				b, err := readReport(ctx, a, from)
				if err != nil {
					return e, err
				}
				members, gap := sections.Members(string(b)) // gap is the reason why some members are left out
				switch {
				case members == nil:
					return e, fmt.Errorf("%s is no JSON object", from)
				case gap != "":
					return e, fmt.Errorf("%s: %s", from, gap)
				}
				e = events.CompileResult(members)
				if target = events.LabelIn(members, "target_dir"); target == "" {
					if spec := events.LabelIn(members, "claude_md_path"); spec != "" {
						target = path.Dir(spec)
					}
				}
			}
			e.Status = cmp.Or(status, e.Status)
			if len(args) > 0 {
				target = args[0]
			}
			if target == "" {
				return e, cli.Usage(errors.New("TARGET is required if the result does not name it"))
			}
			e.Target, err = r.find(target)
			return e, err
		})
	c.Flags().StringVar(&from, "from", "", "the file with the result, - reads stdin")
	c.Flags().StringVar(&status, "status", "", "success, partial or failed")
	return cli.AllowAgents(c, "from", "status", "json")
}

// compileValidated makes the command `journal compile validated`.
func compileValidated(a *cli.App) *cobra.Command {
	var from, verdict string
	var issues []string
	c := compileVerb(a, "validated TARGET", "how well a target's code and CLAUDE.md agree",
		`Records a validation: a verdict (good, improve, must_improve; 양호, 개선 권장, 개선 필요) and issues, each KIND:FILE:SYMBOL with
the kinds missing_export, mismatch_signature and uncovered_file; FILE or SYMBOL may be empty. With
--from, JSON {"verdict","issues":[{"kind","file","symbol","detail"}]}.

Issues about code that this run made are to be fixed, others are questions to the person: see journal
compile next. After three rounds of fixes and answers, the remaining issues become warnings.`,
		func(ctx context.Context, r compileRun, args []string) (e events.CompileValidated, err error) {
			if err := compileJSON(ctx, a, from, &e); err != nil {
				return e, err
			}
			for _, s := range issues {
				parts := append(strings.SplitN(s, ":", 3), "", "") // FILE and SYMBOL may be missing
				e.Issues = append(e.Issues, events.CompileIssue{Kind: strings.ReplaceAll(parts[0], "-", "_"), File: parts[1], Symbol: parts[2]})
			}
			e.Verdict = strings.ReplaceAll(cmp.Or(verdict, e.Verdict), "-", "_")
			if english, ok := verdicts[e.Verdict]; ok {
				e.Verdict = english
			}
			if e.Verdict == "" {
				e.Verdict = "good"
				if len(e.Issues) > 0 {
					e.Verdict = "improve"
				}
			}
			e.Target, err = r.find(args[0])
			return e, err
		})
	c.Flags().StringVar(&from, "from", "", "a file with the validation, - reads stdin")
	c.Flags().StringVar(&verdict, "verdict", "", "good, improve or must_improve, also in Korean (default: by whether there are issues)")
	c.Flags().StringArrayVar(&issues, "issue", nil, "KIND:FILE:SYMBOL; may be given again")
	return cli.AllowAgents(c, "from", "verdict", "issue", "json")
}

// verdicts translates the verdicts of Korean reports.
var verdicts = map[string]string{"양호": "good", "개선 권장": "improve", "개선 필요": "must_improve"}

// compileDiff makes the command `journal compile diff`.
func compileDiff(a *cli.App) *cobra.Command {
	var from string
	var e events.CompileCompared
	var changes []string
	c := compileVerb(a, "diff TARGET", "how the interface of an updated target has changed",
		`Records the result of a comparison of interfaces and dependencies; it does not compare them itself.
The modules that a breaking change affects are compiled again: journal compile next lists them. A target
that this run created is refused, because it had no interface before. With --from, JSON
{"breaking","changes":[{"symbol","change","before","after"}],"affected":[…]}.`,
		func(ctx context.Context, r compileRun, args []string) (_ events.CompileCompared, err error) {
			if err := compileJSON(ctx, a, from, &e); err != nil {
				return e, err
			}
			for _, s := range changes {
				change, symbol, _ := strings.Cut(s, ":")
				e.Changes = append(e.Changes, events.CompileChange{Change: change, Symbol: symbol})
			}
			if e.Target, err = r.find(args[0]); err != nil {
				return e, err
			}
			for i, module := range e.Affected {
				if e.Affected[i], err = r.find(module); err != nil {
					return e, err
				}
			}
			if target, _ := r.now.Target(e.Target); target.Mode == "create" {
				return e, fmt.Errorf("%s was created in this run: it had no interface before", e.Target)
			}
			return e, nil
		})
	c.Flags().StringVar(&from, "from", "", "a file with the comparison, - reads stdin")
	c.Flags().BoolVar(&e.Breaking, "breaking", false, "users of the interface have to change")
	c.Flags().StringArrayVar(&changes, "change", nil, "added:SYMBOL, removed:SYMBOL or changed:SYMBOL; may be given again")
	c.Flags().StringArrayVar(&e.Affected, "affects", nil, "a directory with a CLAUDE.md that uses what changed; may be given again")
	return cli.AllowAgents(c, "from", "breaking", "change", "affects", "json")
}

// compileAnswer makes the command `journal compile answer`.
func compileAnswer(a *cli.App) *cobra.Command {
	var e events.CompileAnswered
	c := compileVerb(a, "answer TARGET [fix_spec|fix_code|ignore]", "the person's answer to an open question of a target",
		`Records an answer of the person: the language of a target (--language), or what to do about
issues: fix_spec (adapt CLAUDE.md to the code), fix_code (adapt the code to CLAUDE.md) or ignore.
Without --issue it covers all open issues.`,
		func(_ context.Context, r compileRun, args []string) (_ events.CompileAnswered, err error) {
			if e.Target, err = r.find(args[0]); err != nil {
				return e, err
			}
			if len(args) == 2 {
				e.Answer = strings.ReplaceAll(args[1], "-", "_")
			}
			target, known := r.now.Target(e.Target)
			switch {
			case !known:
				err = fmt.Errorf("the run does not have %s", e.Target)
			case e.Answer != "" && len(target.Issues) == 0:
				err = fmt.Errorf("nothing is asked about %s", e.Target)
			case e.Issue != "" && !slices.ContainsFunc(target.Issues, func(i compilation.Issue) bool { return i.ID == e.Issue }):
				err = fmt.Errorf("%s has no issue %s", e.Target, e.Issue)
			}
			return e, cli.WithHint(err, "journal compile next")
		})
	c.Flags().StringVar(&e.Issue, "issue", "", "the issue, as journal compile next names it")
	c.Flags().StringVar(&e.Language, "language", "", "the language in which the target is written")
	return cli.AllowAgents(c, "issue", "language", "json")
}

// compileDiscard makes the command `journal compile discard`.
func compileDiscard(a *cli.App) *cobra.Command {
	return compileVerb(a, "discard", "end the run, whatever is open in it",
		"Ends the run: texts for the agent do not have it any more. The next plan begins another run.",
		func(_ context.Context, r compileRun, _ []string) (e events.CompileEnded, err error) {
			if r.now.Run == 0 || r.now.Ended {
				err = cli.WithHint(errors.New("no run is open"), "journal compile plan")
			}
			return e, err
		})
}

// compileJSON decodes the JSON of a step into an event. from is the name of the JSON's file; if it is empty, compileJSON does
// nothing. Unknown members are an error.
func compileJSON(ctx context.Context, a *cli.App, from string, into any) error {
	if from == "" {
		return nil
	}
	b, err := readReport(ctx, a, from)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return cli.Usage(fmt.Errorf("%s: %w", from, err))
	}
	return nil
}

// readReport reads a file with a step. A confined agent may only name a file of its own project.
func readReport(ctx context.Context, a *cli.App, name string) ([]byte, error) {
	resolved, err := filepath.EvalSymlinks(name)
	if !a.Confined || err != nil { // ReadInput reports a file that is not there; - is no file
		return a.ReadInput(ctx, name, maxCompileInput)
	}
	root, err := filepath.EvalSymlinks(a.Root(""))
	if err != nil {
		return nil, err
	}
	if resolved, err = filepath.Abs(resolved); err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(root, resolved); err != nil || !filepath.IsLocal(rel) {
		return nil, cli.NotForAgents("read " + name + ": it is not in the project")
	}
	return a.ReadInput(ctx, name, maxCompileInput)
}

// compileNextDoc is the JSON document of a run's state and next steps.
type compileNextDoc struct {
	Run     int                  `json:"run"` // number of the run in the project, from 1; 0 for none
	Next    compilation.Step     `json:"next"`
	Steps   []compilation.Step   `json:"steps"` // the steps that are left, Next first; never empty
	Targets []compilation.Target `json:"targets"`
}

// compileNext makes the command `journal compile next`.
func compileNext(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	var tasks bool
	c := cli.NewCommand("next", "the state of each target, and what to do next",
		`Shows the state of each target, the steps that are left, and the command of the next one. All of it is
in the log, so it works after a compaction or a crash, too.

With --tasks it prints what can be compiled now as tasks for a runner, one JSON object per line:
  journal compile next --tasks | journal work run - --command 'AGENT {prompt}'

Exit codes: 0, also when nothing is left; 1 failure.`,
		func(c *cobra.Command, _ []string) error {
			now, err := compileState(a, c, t)
			if err != nil {
				return err
			}
			if tasks {
				return cli.PrintJSONLines(a, now.Tasks(a.Command()))
			}
			doc := compileNextDoc{Run: now.Run, Steps: now.Next(), Targets: now.Targets}
			for i := range doc.Steps {
				doc.Steps[i].Command = a.CommandForPeople() + " " + doc.Steps[i].Command
			}
			doc.Next = doc.Steps[0]
			if doc.Targets == nil {
				doc.Targets = []compilation.Target{}
			}
			return a.Print(doc, func() { printNext(a, doc) })
		})
	t.Add(c)
	c.Flags().BoolVar(&tasks, "tasks", false, "what can be compiled now, as tasks for a runner")
	return cli.AllowAgents(a.JSONFlag(c), "tasks", "json")
}

// printNext prints the targets of a run and the steps that are left for people.
func printNext(a *cli.App, doc compileNextDoc) {
	cli.PrintEach(a, doc.Targets, func(t compilation.Target) string { return cli.OneLine(t.String()) })
	for i, s := range doc.Steps {
		mark := "     "
		if i == 0 {
			mark = "next:"
		}
		fmt.Fprintf(a.Out, "%s %s\n      %s\n", mark, cli.OneLine(s.What), cli.OneLine(s.Command))
	}
}

// compileReportDoc is the JSON document of a run's results, and of the modules that its breaking changes affect.
type compileReportDoc struct {
	compilation.Report
	Affected []compilation.Step `json:"affected"` // the steps of modules to be compiled again
}

// compileReport makes the command `journal compile report`.
func compileReport(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	c := cli.NewCommand("report", "what the run has made, in numbers",
		`Counts what the run has made: CLAUDE.md files, created and updated targets, generated and skipped files, each once, and
the tests of each target's newest result.`,
		func(c *cobra.Command, _ []string) error {
			now, err := compileState(a, c, t)
			if err != nil {
				return err
			}
			if now.Run == 0 {
				return cli.WithHint(fmt.Errorf("nothing was compiled in this project"), "journal compile plan")
			}
			doc := compileReportDoc{now.Report(), []compilation.Step{}}
			for _, s := range now.Next() {
				if s.Status == "affected" {
					doc.Affected = append(doc.Affected, s)
				}
			}
			return a.Print(doc, func() { printReport(a, now, doc) })
		})
	t.Add(c)
	return cli.AllowAgents(a.JSONFlag(c), "json")
}

// printReport prints the results of a run for people.
func printReport(a *cli.App, now compilation.State, doc compileReportDoc) {
	r := doc.Report
	fmt.Fprintf(a.Out, "CLAUDE.md: %d, compiled: %d (%d created, %d updated)\ngenerated files: %d\nskipped files: %d\noverwritten files: %d\n",
		r.Targets, r.Compiled, r.Created, r.Updated, r.Generated, r.Skipped, r.Overwritten)
	fmt.Fprintf(a.Out, "tests: %d passed, %d failed\n", r.Tests.Passed, r.Tests.Failed)
	if r.Outcome != "" {
		fmt.Fprintln(a.Out, "outcome: "+r.Outcome)
	}
	for _, t := range now.Targets {
		if t.Status != compilation.Warning {
			continue
		}
		for _, i := range t.Issues {
			fmt.Fprintf(a.Out, "warning: %s: %s\n", cli.OneLine(t.Path), cli.OneLine(strings.TrimSpace(i.String()+" "+i.Answer)))
		}
	}
	for _, s := range doc.Affected {
		fmt.Fprintln(a.Out, "advice: "+cli.OneLine(s.What))
	}
	if now.Open() {
		fmt.Fprintln(a.Out, "not done yet: journal compile next")
	}
}
