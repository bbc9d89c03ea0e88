package main

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"journal/cmd/journal/config"
	"journal/journal/client"
	"journal/journal/sock"
)

// failure is a cause that is told in the words of a library, with those that tell a
// person what happened, and what to do.
type failure struct {
	is   func(error) bool
	says string // instead of the whole error; the error as it is when empty
	try  string
}

// failures are tried in their order, for errors that bring no hint of their own too.
var failures = []failure{
	{oneOf(sock.ErrNoOwner, client.ErrBusy), "", "journal status"},
	{oneOf(config.ErrFile), "", "journal config"},
	{oneOf(context.Canceled), "interrupted", ""},
	{oneOf(nats.ErrTimeout, nats.ErrNoResponders, context.DeadlineExceeded), "the owner of the log does not answer in time", "journal status, and journal stop when it hangs"},
	{oneOf(nats.ErrConnectionClosed, jetstream.ErrConnectionClosed, jetstream.ErrServerShutdown, nats.ErrDisconnected, nats.ErrConnectionReconnecting),
		"the owner of the log left meanwhile", "the same command again"},
	{isNATS, "the server of the log refused what was asked", "journal doctor"},
	{oneOf(syscall.ENOSPC, syscall.EDQUOT), "", "make space, then journal doctor"},
	{oneOf(fs.ErrPermission, syscall.EROFS), "", "make that path readable and writable for you, or name another with --dir"},
	{oneOf(syscall.ENOTDIR, syscall.EISDIR), "", "move what is in the way, or name another directory with --dir"},
	{oneOf(fs.ErrNotExist), "", "check the path"},
}

func oneOf(causes ...error) func(error) bool {
	return func(err error) bool {
		for _, c := range causes {
			if errors.Is(err, c) {
				return true
			}
		}
		return false
	}
}

// isNATS says whether an error is the server's or its client's.
func isNATS(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api)
}

// explained gives what is said of an error, and what a person can try.
func (a *app) explained(c *cobra.Command, err error) (says, try string) {
	says = err.Error()
	for _, t := range failures {
		if t.is(err) {
			if t.says != "" {
				says = t.says
			}
			try = t.try
			break
		}
	}
	if what, hint, ok := strings.Cut(says, "; try: "); ok { // of a package that has no other way to say it
		return what, hint
	}
	var h hintError
	if errors.As(err, &h) {
		try = h.hint
	}
	if errors.Is(err, client.ErrPaused) {
		try = a.resumes()
	}
	if try == "" {
		try = c.CommandPath() + " --help, or journal doctor"
	}
	return says, try
}
