package look

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/config"
	"journal/embedded/service"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/agents"
	"journal/journal/redact"
	"journal/projections"
	"journal/replay/audit"
)

const (
	judgeTimeout   = 120 * time.Second // for the answer to one question
	maxJudgeAnswer = 1 << 20           // bytes
	unitsPerToken  = 4                 // UTF-16 units; a rough estimate
)

// judgeAudit asks the configured judge about every item on which the log has no verdict of this judge. It makes the owner
// record the verdicts. With --dry-run it only prints the questions.
func judgeAudit(ctx context.Context, a *cli.App, f auditFlags) error {
	if err := a.RefuseAgents("ask a judge: it sends what was recorded to another program"); err != nil {
		return err
	}
	c, err := config.Load(a.Getenv)
	if err != nil {
		return err
	}
	command := c.Audit.Judge
	if len(command) == 0 || command[0] == "" {
		return cli.WithHint(errors.New("no judge is configured"), `set "audit": {"judge": ["PROGRAM", "ARGUMENT"...]} in the configuration (journal config)`)
	}
	var target projections.Target
	var questions []audit.Question
	err = a.Read(ctx, func(log *journal.Log) (err error) {
		var report audit.Report
		if target, report, err = auditOf(ctx, a, log, f); err != nil {
			return err
		}
		questions, err = questionsOf(ctx, log, target, report, command)
		return err
	})
	if err != nil {
		return err
	}
	if f.dryRun {
		for _, q := range questions {
			fmt.Fprintln(a.Document(), q.Text)
		}
		return nil
	}
	if len(questions) == 0 {
		a.Note("the judge has answered everything already, or there is nothing to ask")
		return nil
	}
	units := 0
	for _, q := range questions {
		units += text.Units(q.Text)
	}
	about := fmt.Sprintf("Send %s, about %d tokens, to %s?", text.Counted(len(questions), "question"), units/unitsPerToken, strings.Join(command, " "))
	if err := a.Confirm(ctx, f.yes, about, "journal audit --judge --yes"+f.args()); err != nil {
		return err
	}
	nc, err := service.Connect(ctx, a.Dir, a.Starter())
	if err != nil {
		return err
	}
	defer nc.Close()
	for _, q := range questions {
		answer, err := ask(ctx, command, q.Text)
		if err != nil {
			return fmt.Errorf("the judge %s: %w", command[0], err)
		}
		verdicts, refused, err := q.Read(answer)
		if err != nil {
			return cli.WithHint(fmt.Errorf("compaction %d: %w", q.Compaction.Ordinal, err), "journal audit --judge --dry-run"+f.args())
		}
		target.Lane = q.Compaction.Lane
		j := events.AuditJudged{
			Compaction: q.Compaction.Seq, Summary: q.Compaction.SummarySeq, Digest: q.Digest, Judge: strings.Join(command, " "),
			Prompt: audit.PromptVersion, Verdicts: verdicts, Refused: refused,
		}
		if err := service.Judge(ctx, nc, target, j); err != nil {
			return fmt.Errorf("record the verdicts: %w", err)
		}
		fmt.Fprintf(a.Err, "compaction %d: %s of %d\n", q.Compaction.Ordinal, text.Counted(len(verdicts), "verdict"), len(q.Items))
		if refused > 0 {
			a.Note(text.Counted(refused, "line") + " of the answer ignored: malformed, doubled, or with an unknown number")
		}
	}
	return nil
}

// questionsOf returns the questions about the items on which the log has no verdict of a judge. The command identifies the judge.
// Verdicts on an earlier version of the prompt do not count.
func questionsOf(ctx context.Context, log *journal.Log, t projections.Target, r audit.Report, command []string) (all []audit.Question, err error) {
	type judgedItem struct {
		summary uint64 // event number
		item    string
	}
	judged := map[judgedItem]bool{}
	sel := events.Selector{Project: t.Project, Session: t.Session, Type: events.TypeOf[events.AuditJudged]()}
	for e, err := range log.Events(ctx, events.Span{}, sel) {
		if err != nil {
			return nil, cli.Damaged(err)
		}
		if j, ok := events.As[events.AuditJudged](e); ok && j.Judge == strings.Join(command, " ") && j.Prompt == audit.PromptVersion {
			for _, v := range j.Verdicts {
				judged[judgedItem{j.Summary, v.Item}] = true
			}
		}
	}
	for _, c := range r.Compactions {
		c.Items = slices.DeleteFunc(slices.Clone(c.Items), func(it audit.Item) bool { return judged[judgedItem{c.SummarySeq, it.ID}] })
		if c.SummarySeq == 0 || len(c.Items) == 0 {
			continue
		}
		span := events.Span{After: c.SummarySeq - 1, Until: c.SummarySeq}
		for e, err := range log.Events(ctx, span, events.Selector{Project: t.Project, Session: t.Session}) {
			if err != nil {
				return nil, cli.Damaged(err)
			}
			summary, err := audit.SummaryIn(e)
			if err != nil || summary == "" {
				continue
			}
			all = append(all, audit.Questions(c, summary, redact.Text)...)
		}
	}
	return all, nil
}

// ask runs the judge on a question and returns its answer. The judge runs in an empty directory and a process group of its own.
// Its hooks find an empty journal, so that its session is not recorded in this one.
func ask(ctx context.Context, command []string, question string) (string, error) {
	dir, err := os.MkdirTemp("", agents.JudgePrefix)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, judgeTimeout)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	setProcessGroup(c)
	c.WaitDelay = time.Second
	var out, stderr limitedBuffer
	c.Dir, c.Stdin, c.Stdout, c.Stderr = filepath.Join(dir, "work"), strings.NewReader(question), &out, &stderr
	c.Env = append(os.Environ(), "JOURNAL_DIR="+filepath.Join(dir, "journal"), "JOURNAL_OWNER=never-spawn")
	if err := errors.Join(os.Mkdir(c.Dir, 0o700), os.Mkdir(filepath.Join(dir, "journal"), 0o700)); err != nil {
		return "", err
	}
	err = c.Run()
	if errors.Is(ctx.Err(), context.Canceled) {
		return "", ctx.Err()
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("no answer within %s", judgeTimeout)
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) { // ErrWaitDelay: the judge ended, but left a process
		return "", fmt.Errorf("%w: %s", err, text.CutUnits(cli.OneLine(stderr.kept.String()), 200))
	}
	return out.kept.String(), nil
}

// limitedBuffer keeps the first maxJudgeAnswer bytes of what is written, and drops the rest.
type limitedBuffer struct{ kept bytes.Buffer } // not embedded: its ReadFrom has no limit

// Write implements io.Writer. It returns no error.
func (l *limitedBuffer) Write(b []byte) (int, error) {
	l.kept.Write(b[:min(len(b), maxJudgeAnswer-l.kept.Len())])
	return len(b), nil
}
