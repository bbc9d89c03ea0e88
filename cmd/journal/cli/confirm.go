package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/term"
)

// Confirm asks a person, who has to say yes.
func (t *Terminal) Confirm(ctx context.Context, yes bool, question, again string) error {
	if yes {
		return nil
	}
	if !term.IsTerminal(int(t.In.Fd())) {
		return WithHint(errors.New("nobody is there to confirm"), again)
	}
	said, err := t.Yes(ctx, question)
	if said || err != nil {
		return err
	}
	return errors.New("not confirmed; nothing is done")
}

// Yes asks on the terminal, and takes anything but a yes for a no.
func (t *Terminal) Yes(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(t.Err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(t.Stdin(ctx)).ReadString('\n') // an end is no answer
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", ctx.Err()
}
