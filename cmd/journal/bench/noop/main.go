// Command noop is a process that links what the journal's own program links and
// does nothing: loading it and initialising its packages is the floor of every
// hook. Its imports are those of the program; a test compares them.
package main

import (
	_ "bytes"
	_ "context"
	_ "encoding/json"
	_ "errors"
	_ "fmt"
	_ "io"
	_ "io/fs"
	_ "iter"
	_ "log/slog"
	_ "os"
	_ "os/exec"
	_ "os/signal"
	_ "path/filepath"
	_ "runtime/debug"
	_ "slices"
	_ "strings"
	_ "sync/atomic"
	_ "syscall"
	_ "text/tabwriter"
	_ "time"

	_ "github.com/nats-io/nats.go"
	_ "github.com/nats-io/nats.go/jetstream"
	_ "github.com/spf13/cobra"
	_ "golang.org/x/term"

	_ "journal/cmd/journal/config"
	_ "journal/cmd/journal/install"
	_ "journal/cmd/journal/logfile"
	_ "journal/cmd/journal/owner"
	_ "journal/embedded"
	_ "journal/embedded/sock"
	_ "journal/events"
	_ "journal/events/text"
	_ "journal/journal"
	_ "journal/journal/hooks"
	_ "journal/journal/observe"
	_ "journal/journal/redact"
	_ "journal/journal/spool"
	_ "journal/journal/wire"
	_ "journal/projections"
	_ "journal/replay"
)

func main() {}
