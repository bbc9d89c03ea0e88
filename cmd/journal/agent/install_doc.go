package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/events/text"
	"journal/journal"
	"journal/journal/agents/backfill"
	"journal/journal/agents/install"
	"journal/journal/agents/transcript"
)

// installDoc is the JSON document of journal install and uninstall.
type installDoc struct {
	Agent    string            `json:"agent,omitempty"`
	Version  string            `json:"version,omitempty"` // of the agent; empty if it is not known
	Program  string            `json:"program,omitempty"` // path of the program that hooks call
	Command  string            `json:"command,omitempty"` // the command by which texts, rules and the skill name journal
	Events   []string          `json:"events,omitempty"`  // the agent's events with hooks
	Files    []installedFile   `json:"files"`
	Rules    []string          `json:"rules,omitempty"`    // permission rules that let the agent run journal without asking
	Asks     []string          `json:"asks,omitempty"`     // permission rules that are not set: the agent asks
	Past     *pastDoc          `json:"past,omitempty"`     // transcripts that can be imported
	Imported *backfill.Summary `json:"imported,omitempty"` // nil if nothing was imported
	Notes    []string          `json:"notes,omitempty"`
	DryRun   bool              `json:"dry_run"`
}

// installedFile reports the change to one file.
type installedFile struct {
	Path   string `json:"path"`
	Change string `json:"change"` // made, changed, removed, none
	Diff   string `json:"diff,omitempty"`
}

// carryOut makes the changes of plans, one after the other, and adds them to the document. A dry run only adds them.
func (d *installDoc) carryOut(plans []install.Plan, dryRun bool) error {
	for _, p := range plans {
		d.Notes = append(d.Notes, p.Notes...)
		f := installedFile{p.Path, "changed", p.Diff()}
		switch {
		case bytes.Equal(p.Before, p.After):
			f.Change = "none"
		case p.Before == nil:
			f.Change = "made"
		case p.After == nil:
			f.Change = "removed"
		}
		d.Files = append(d.Files, f)
		if dryRun {
			continue
		}
		if err := p.Apply(); err != nil {
			return err
		}
	}
	return nil
}

// pastDoc describes the transcripts of past sessions that can be imported.
type pastDoc struct {
	Transcripts int      `json:"transcripts"`
	Bytes       int64    `json:"bytes"`
	Seconds     float64  `json:"seconds"` // an estimate of how long the import takes
	Folders     []string `json:"folders"`
}

// String returns the document as a phrase, such as "2 past sessions, 1.5 MiB of transcripts (about a second)".
func (p *pastDoc) String() string {
	duration := "a second"
	if n := math.Ceil(p.Seconds); n > 1 {
		duration = time.Duration(n * float64(time.Second)).String()
	}
	return fmt.Sprintf("%s, %s of transcripts (about %s)", text.Counted(p.Transcripts, "past session"), cli.Size(uint64(p.Bytes)), duration)
}

// importRate is a cautious estimate of the speed of an import, in bytes per second. Measured were 15 to 20 MiB/s on two busy
// cores.
const importRate = 10 << 20

// pastSessions looks in the folders of some agents for transcripts of sessions that the log does not have. It returns nil if there
// are none.
func pastSessions(ctx context.Context, a *cli.App, agents []string) *pastDoc {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	known := map[string]bool{}
	_ = a.Read(ctx, func(log *journal.Log) error { // if the log cannot be read, all sessions count as new
		all, err := log.Sessions(ctx)
		for _, session := range all {
			known[session.ID] = true
		}
		return err
	})
	p := &pastDoc{}
	var folders []string
	for _, agent := range agents {
		if format, err := transcript.Named(agent); err == nil { // else it has no transcripts
			folders = append(folders, format.Folders(home, a.Getenv)...)
		}
	}
	for _, folder := range folders {
		files, _, err := backfill.Transcripts(ctx, []string{folder}, transcript.Agents())
		files = slices.DeleteFunc(files, func(f transcript.File) bool { return known[f.Session] })
		if err != nil || len(files) == 0 {
			continue // an import of an unreadable folder would fail
		}
		p.Folders, p.Transcripts = append(p.Folders, folder), p.Transcripts+len(files)
		for _, f := range files {
			p.Bytes += f.Size
		}
	}
	if p.Transcripts == 0 {
		return nil
	}
	p.Seconds = float64(p.Bytes) / importRate
	return p
}

// printFiles prints the notes of an installation or a removal, and the change to each file.
func printFiles(a *cli.App, d installDoc, f installFlags) {
	for _, n := range d.Notes {
		a.Note(n)
	}
	for _, file := range d.Files {
		state := cmp.Or(map[string]string{"made": "new", "none": "unchanged"}[file.Change], file.Change)
		fmt.Fprintf(a.Out, "%-9s  %s\n", state, file.Path)
		if f.diff {
			fmt.Fprint(a.Out, file.Diff)
		}
	}
}

// printUninstalled prints what was removed, and what is left.
func printUninstalled(a *cli.App, d installDoc, f installFlags) {
	printFiles(a, d, f)
	if len(d.Files)+len(d.Notes) == 0 {
		a.Note("nothing of journal is in the settings of any agent")
	}
	if a.CheckJournal() == nil && !d.DryRun {
		fmt.Fprintf(a.Out, "What was recorded is kept. To remove it for good:\n  %s && rm -r %s\n", a.Advice("journal stop"), install.Quote(a.Dir))
	}
}

// printInstalled prints what was installed into one agent.
func printInstalled(a *cli.App, d installDoc, f installFlags) {
	printFiles(a, d, f)
	if d.DryRun {
		fmt.Fprintf(a.Out, "%s would call %s at %s; nothing was changed. To see each line: journal install --dry-run --diff%s\n",
			d.Agent, d.Program, text.Counted(len(d.Events), "event"), f.Args())
		return
	}
	agent, hooks := d.Agent, ""
	if len(d.Events) > 0 { // without hooks the version does not matter
		agent = strings.TrimSpace(agent + " " + d.Version)
		hooks = " at " + text.Counted(len(d.Events), "event")
	}
	fmt.Fprintf(a.Out, "\n%s calls %s%s.\n", agent, d.Program, hooks)
	switch {
	case len(d.Rules) > 0 && len(d.Asks) == 0:
		fmt.Fprintf(a.Out, "It may record and look things up in its own project without asking, as %s.\n", install.Quote(d.Command))
	case len(d.Asks) > 0:
		fmt.Fprintf(a.Out, "It will ask before running %s. To allow it for its own project:\n  %s\n",
			install.Quote(d.Command), a.Advice("journal install --allow"+f.Args()))
	}
	if d.Imported != nil {
		fmt.Fprintf(a.Out, "Past sessions imported: %d, %s.\n", d.Imported.Sessions, text.Counted(d.Imported.Events, "event"))
	} else if d.Past != nil {
		fmt.Fprintf(a.Out, "To import %s, which agents delete after some weeks:\n  %s\n", d.Past, a.Advice("journal import "+asWords(d.Past.Folders)))
	}
}

// printStart prints the next steps for a person.
func printStart(a *cli.App, docs []installDoc, f installFlags) {
	if f.dryRun {
		return
	}
	agents := make([]string, len(docs))
	for i, d := range docs {
		agents[i] = d.Agent
	}
	a.Note("agents delete transcripts after some weeks; the log keeps their events. \"transcripts\": \"keep\" in the configuration (journal config) keeps redacted copies, too")
	fmt.Fprintf(a.Out, "\nNext: start a new session of %s, and check that its hooks arrive:\n  %s\nTo list the sessions, and to remove all of this again:\n  %s\n  %s\n",
		cli.OrList(agents), a.Advice("journal doctor"+f.Args()), a.Advice("journal sessions"), a.Advice("journal uninstall"+f.Args()))
}

// asWords returns paths as words of a shell.
func asWords(paths []string) string {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = install.Quote(p)
	}
	return strings.Join(all, " ")
}

// temporaryPlace describes the folder of a program if that folder is cleaned now and then, such as /tmp; "" for any other
// folder.
func temporaryPlace(bin string) string {
	if !filepath.IsAbs(bin) {
		return ""
	}
	if strings.Contains(filepath.ToSlash(filepath.Dir(bin)), "/go-build") {
		return "the go command's build folder"
	}
	for _, temporary := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if rel, err := filepath.Rel(temporary, bin); err == nil && filepath.IsLocal(rel) {
			return "a folder for temporary files"
		}
	}
	// The build folder of a checkout: bin/ beside go.mod, or the checkout itself.
	for _, dir := range []string{filepath.Dir(bin), filepath.Dir(filepath.Dir(bin))} {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return "the build folder of a checkout"
		}
	}
	return ""
}
