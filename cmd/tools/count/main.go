// Command count compares the numbers that journal prints about transcripts of Claude Code with an independent count of the
// transcripts' rows.
//
//	count -bin bin/journal DIRECTORY
//
// It imports the transcripts of the directory into a new journal. Then it compares the numbers of sessions, prompts, requests,
// tokens, price, compactions and written files, by session and by day, with those of the verbs cost, day, sessions and audit. It
// uses no package of journal. It exits with 1 if a number differs, and prints which.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// prices is a configuration with the prices of a million tokens, the same for every model.
//
//go:embed prices.json
var prices string

// usage holds the tokens of a request, as a transcript's row has them.
type usage struct {
	Input  float64 `json:"input_tokens"`
	Output float64 `json:"output_tokens"`
	Read   float64 `json:"cache_read_input_tokens"`
	Write  float64 `json:"cache_creation_input_tokens"`
	Parts  struct {
		Hour float64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// tokens holds the tokens of requests, as journal prints them.
type tokens struct {
	Requests, Input, Output float64
	Read                    float64 `json:"cache_read"`
	Write                   float64 `json:"cache_write"`
}

// row has the members of a transcript's row that are counted.
type row struct {
	Type, UUID, Timestamp, Subtype, Operation string
	IsMeta, IsSidechain, IsCompactSummary     bool
	Message                                   struct {
		ID, Model string
		Content   json.RawMessage
		Usage     *usage
	}
}

// part is an element of a message.
type part struct {
	Type, Text, Name, ID string
	Use                  string `json:"tool_use_id"`
	Error                bool   `json:"is_error"`
	Input                struct {
		File string `json:"file_path"`
	}
}

// count holds numbers by "session ID", "day DATE" or "cost of day DATE", then by the name of the number.
type count map[string]map[string]float64

// add adds n to the number what of a key.
func (c count) add(key, what string, n float64) {
	if c[key] == nil {
		c[key] = map[string]float64{}
	}
	c[key][what] += n
}

// both adds a number to a session and to the day of a time.
func (c count) both(session string, at time.Time, what string, n float64) {
	c.add("session "+session, what, n)
	c.add("day "+at.Local().Format(time.DateOnly), what, n)
}

// tokens adds tokens and a price to the numbers of a key.
func (c count) tokens(key string, t tokens, price float64) {
	for what, n := range map[string]float64{"requests": t.Requests, "input": t.Input, "cache read": t.Read, "cache write": t.Write, "output": t.Output, "price": price} {
		c.add(key, what, n)
	}
}

func main() {
	bin := flag.String("bin", "bin/journal", "the program")
	flag.Parse()
	rows, printed := count{}, count{}
	err := rows.transcripts(flag.Arg(0))
	if err == nil {
		err = printed.journal(*bin, flag.Arg(0), rows)
	}
	if err = errors.Join(err, rows.compare(printed)); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

// tolerance is the difference of two prices that rounding may cause. Other numbers are whole.
const tolerance = 0.005

// compare prints the sums of both counts, c of the rows and printed of journal, and each session and day whose numbers differ.
func (c count) compare(printed count) error {
	differ := 0
	keys := maps.Clone(c)
	maps.Copy(keys, printed)
	fmt.Printf("%-24s %16s %16s\n", "by session and by day", "rows", "journal")
	for _, kind := range []string{"session ", "day ", "cost of day "} {
		for what := range strings.SplitSeq("sessions,prompts,requests,input,cache read,cache write,output,price,compactions,audited,files written", ",") {
			a, b, where := 0.0, 0.0, ""
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				if !strings.HasPrefix(key, kind) {
					continue
				}
				a, b = a+c[key][what], b+printed[key][what]
				if d := printed[key][what] - c[key][what]; d > tolerance || d < -tolerance {
					where, differ = where+fmt.Sprintf("  %s %+g", key, d), differ+1
				}
			}
			if a != 0 || b != 0 {
				fmt.Printf("%-24s %16.10g %16.10g%s\n", kind+what, a, b, where)
			}
		}
	}
	if differ > 0 {
		return fmt.Errorf("%d numbers differ", differ)
	}
	return nil
}

// transcripts counts the rows of a directory's files; each file is a session.
func (c count) transcripts(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no transcript is in %q", dir)
	}
	for _, file := range files {
		rows, failed := os.ReadFile(file)
		err = errors.Join(err, failed)
		c.transcript(strings.TrimSuffix(filepath.Base(file), ".jsonl"), rows)
	}
	return err
}

// transcript counts the rows of a session's transcript.
func (c count) transcript(session string, rows []byte) {
	c.add("session "+session, "sessions", 1)
	used, at, seen := map[string]*usage{}, map[string]time.Time{}, map[string]bool{}
	writes := map[string]string{} // files, by the calls that write them
	for line := range bytes.Lines(rows) {
		var r row
		if json.Unmarshal(line, &r) != nil || r.UUID != "" && seen[r.UUID] {
			continue
		}
		seen[r.UUID] = true
		t, _ := time.Parse(time.RFC3339, r.Timestamp)
		var parts []part
		if json.Unmarshal(r.Message.Content, &parts) != nil {
			parts = []part{{Type: "text"}}
			_ = json.Unmarshal(r.Message.Content, &parts[0].Text) // a row without a message has none
		}
		switch {
		case r.Type == "assistant" && r.Message.Model != "<synthetic>" && r.Message.Usage != nil:
			used[r.Message.ID], at[r.Message.ID] = r.Message.Usage, t // the last row of an answer counts
		case r.Subtype == "compact_boundary":
			c.both(session, t, "compactions", 1)
			c.add("session "+session, "audited", 1)
		case r.Operation == "remove", // a queued prompt was sent to the agent within a turn
			r.Type == "user" && !r.IsMeta && !r.IsSidechain && !r.IsCompactSummary && isPrompt(parts):
			c.both(session, t, "prompts", 1)
		}
		for _, p := range parts {
			if slices.Contains([]string{"Edit", "Write", "MultiEdit"}, p.Name) {
				writes[p.ID] = p.Input.File
			}
			file := t.Local().Format(time.DateOnly) + writes[p.Use]
			if p.Type == "tool_result" && !p.Error && writes[p.Use] != "" && !seen[file] {
				seen[file] = true
				c.both(session, t, "files written", 1)
			}
		}
	}
	for id, u := range used {
		// These are the prices of prices.json.
		price := (5*u.Input + 0.5*u.Read + 6.25*(u.Write-u.Parts.Hour) + 10*u.Parts.Hour + 25*u.Output) / 1e6
		day, all := "day "+at[id].Local().Format(time.DateOnly), tokens{1, u.Input, u.Output, u.Read, u.Write}
		c.tokens("session "+session, all, price)
		c.tokens("cost of "+day, all, price)
		c.tokens(day, all, 0)
	}
}

// machine matches texts that no person wrote.
var machine = regexp.MustCompile(`^(\[Request interrupted|Operation stopped by hook|<(command-name|local-command-|bash-|task-notification))`)

// isPrompt reports whether a person wrote the text of a row. Texts that begin with <command-message> are a person's, too.
func isPrompt(parts []part) bool {
	prompt := ""
	for _, p := range parts {
		prompt += p.Text // empty for the result of a tool, which may be in the same row
	}
	return strings.TrimSpace(prompt) != "" && !machine.MatchString(strings.TrimSpace(prompt))
}

// session has the members of the JSON that sessions and day print of a session, and cost of a session or a day.
type session struct {
	tokens
	Key, Session                string
	Price, Prompts, Compactions float64
	Asked                       []struct{}
	Written                     []string
	Used                        struct {
		Requests float64
		Tokens   tokens
	}
}

// journal imports the directory into a new journal, and counts what the verbs print about the sessions and days of rows.
func (c count) journal(bin, dir string, rows count) error {
	home, err := os.MkdirTemp("", "journal-count")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	config := filepath.Join(home, "config.json")
	run := func(into any, args ...string) {
		command := exec.Command(bin, args...)
		command.Env, command.Stderr = append(os.Environ(), "HOME="+home, "JOURNAL_DIR="+filepath.Join(home, "j"), "JOURNAL_CONFIG="+config), os.Stderr
		out, failed := command.Output()
		if failed == nil && into != nil {
			failed = json.Unmarshal(out, into)
		}
		err = errors.Join(err, failed)
	}
	err = os.WriteFile(config, []byte(prices), 0o600)
	run(nil, "import", dir)
	defer run(nil, "stop")
	var sessions []session
	run(&sessions, "sessions", "--json", "--all")
	for _, s := range sessions {
		c.add("session "+s.Session, "sessions", 1)
		c.add("session "+s.Session, "prompts", s.Prompts)
		c.add("session "+s.Session, "compactions", s.Compactions)
		var audit struct{ Compactions []struct{} }
		run(&audit, "audit", "--session", s.Session, "--json")
		c.add("session "+s.Session, "audited", float64(len(audit.Compactions)))
	}
	for by, kind := range map[string]string{"session": "session ", "day": "cost of day "} {
		var cost struct{ Rows []session }
		run(&cost, "cost", "--json", "--by", by, "--since", "2020-01-01")
		for _, r := range cost.Rows {
			c.tokens(kind+r.Key, r.tokens, r.Price)
		}
	}
	for key := range rows {
		if date, isDay := strings.CutPrefix(key, "day "); isDay {
			var day struct{ Sessions []session }
			run(&day, "day", date, "--json")
			for _, s := range day.Sessions {
				c.add(key, "prompts", float64(len(s.Asked)))
				c.add(key, "compactions", s.Compactions)
				c.add(key, "files written", float64(len(s.Written)))
				c.add("session "+s.Session, "files written", float64(len(s.Written)))
				used := s.Used.Tokens
				used.Requests = s.Used.Requests
				c.tokens(key, used, 0)
			}
		}
	}
	return err
}
