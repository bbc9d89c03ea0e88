package care

import (
	"errors"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events/text"
	"journal/journal/redact"
)

// maxRedacted bounds the size of a text or a file that is redacted, in bytes.
const maxRedacted = 64 << 20

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	check := false
	c := cli.NewCommand("redact FILE|-", "remove secrets from a text, or show where they are",
		`Prints a file, or stdin with -, with a mark in place of every secret that recording would
remove. In JSON, one value or one per line, the names of members are evidence, too.

--check prints the kind, place and size in bytes of each secret instead of the text. The place is
LINE:COLUMN in text, a pointer such as /tool_input/password in JSON, LINE:/pointer in JSON Lines.
Neither needs a log; nothing is stored.

  journal redact --check .env
  kubectl get secret app -o json | journal redact -

Exit codes: 0; with --check, 3 when there are secrets; 1 failure; 2 usage.`,
		func(c *cobra.Command, files []string) error {
			if a.AsJSON && !check {
				return cli.Usage(errors.New("--json goes with --check"))
			}
			input, err := a.ReadInput(c.Context(), files[0], maxRedacted)
			if err != nil {
				return err
			}
			if check {
				found, err := cli.Await(c.Context(), func() []redact.Finding { return redact.FindIn(input) })
				if err != nil {
					return err
				}
				return checkSecrets(a, found)
			}
			clean, err := cli.Await(c.Context(), func() []byte { return redact.Document(input) })
			if err != nil {
				return err
			}
			_, err = a.Document().Write(clean)
			return err
		})
	c.Flags().BoolVar(&check, "check", false, "only show what would be removed, and where")
	return a.JSONFlag(c)
})

// secretsDoc is the JSON document of journal redact --check.
type secretsDoc struct {
	Rules   int              `json:"rules"` // version of the rules
	Secrets []redact.Finding `json:"secrets"`
}

// checkSecrets prints where secrets are. The exit code is ExitDamage if there are any.
func checkSecrets(a *cli.App, found []redact.Finding) error {
	doc := secretsDoc{Rules: int(redact.RuleSet), Secrets: append([]redact.Finding{}, found...)}
	return a.PrintExit(doc, func() {
		a.Table(func(row func(...any)) {
			for _, f := range found {
				row(f.Place, f.Kind, text.Counted(f.Length, "byte"))
			}
		})
	}, len(found) > 0, cli.ExitDamage)
}
