package care

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/journal/disk"
	"journal/journal/redact"
)

// maxRedacted bounds what is read at once.
const maxRedacted = 64 << 20

var _ = cli.Verb(func(a *cli.App) *cobra.Command {
	check := false
	c := &cobra.Command{
		Use:     "redact FILE|-",
		GroupID: cli.Looking,
		Short:   "remove secrets from a text, or say where they are",
		Long: `Prints a file, or what comes in with -, with a mark in the place of every secret that recording would
remove. Of JSON, one value or one a line, the names of members decide with their values.

--check prints no text: the kind of each secret, where it is, and how many bytes it has. The place
is LINE:COLUMN in a text, a pointer such as /tool_input/password in JSON, LINE:/pointer in lines of JSON.
Neither needs a log; nothing is stored.

  journal redact --check .env
  kubectl get secret app -o json | journal redact -

Exit codes: 0; with --check, 3 when there are secrets; 1 failure; 2 usage.`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, files []string) error {
			if a.AsJSON && !check {
				return cli.Usage(c, errors.New("--json goes with --check"))
			}
			text, err := textOf(a, files[0])
			if err != nil {
				return err
			}
			if !check {
				_, err := a.Out.Write(redact.Document(text))
				return err
			}
			return checkSecrets(a, redact.FindIn(text))
		},
	}
	c.Flags().BoolVar(&check, "check", false, "only say what would be removed, and where")
	a.JSONFlag(c)
	return c
})

// textOf reads a file, or what comes in where its name is -.
func textOf(a *cli.App, file string) ([]byte, error) {
	in := a.In
	if file != "-" {
		f, err := disk.OpenGiven(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, maxRedacted+1))
	if err == nil && len(b) > maxRedacted {
		err = fmt.Errorf("%s: more than %d MiB", file, maxRedacted>>20)
	}
	return b, err
}

// secretsDoc is what journal redact --check prints.
type secretsDoc struct {
	Rules   int              `json:"rules"` // version of the rules
	Secrets []redact.Finding `json:"secrets"`
}

func checkSecrets(a *cli.App, found []redact.Finding) error {
	doc := secretsDoc{Rules: int(redact.RuleSet), Secrets: found}
	if found == nil {
		doc.Secrets = []redact.Finding{}
	}
	if err := a.Print(doc, func() {
		a.Table(func(row func(...any)) {
			for _, f := range found {
				row(f.Place, f.Kind, cli.Counted(f.Length, "byte"))
			}
		})
	}); err != nil {
		return err
	}
	if len(found) > 0 {
		return cli.ExitWith(cli.ExitDamage)
	}
	return nil
}
