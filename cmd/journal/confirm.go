package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/term"
)

// confirm asks a person, who has to say yes.
func (t *Terminal) confirm(yes bool, question, again string) error {
	if yes {
		return nil
	}
	if !term.IsTerminal(int(t.in.Fd())) {
		return withHint(errors.New("nobody is there to confirm"), again)
	}
	said, err := t.yes(question)
	if said || err != nil {
		return err
	}
	return errors.New("not confirmed; nothing is done")
}

// yes asks on the terminal, and takes anything but a yes for a no.
func (t *Terminal) yes(question string) (bool, error) {
	fmt.Fprintf(t.err, "%s [y/N] ", question)
	line, err := bufio.NewReader(t.in).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (answer == "y" || answer == "yes"), err
}
