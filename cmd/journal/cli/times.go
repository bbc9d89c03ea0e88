package cli

import "github.com/spf13/cobra"

// A topic of the help: it runs nothing.
var _ = Verb("", func(*App) *cobra.Command {
	return &cobra.Command{
		Use:   "times",
		Short: "how flags take a time, a day or a point in a session",
		Long: `Every flag for a time takes the same forms:

  2h, 90m, 3d, 1w        that long ago
  today, yesterday       the whole day
  monday, mon            the newest day of that name, today included
  14:00                  the newest moment of that time, today or yesterday
  2026-11-20             the whole day
  "2026-11-20 14:00"     a time of this machine
  2026-11-20T14:00:00Z   a time of any zone (RFC 3339)

--since begins with the beginning of a day, --until and --at end with its end.

--at of replay and recover, and each end of replay --diff, take a point in a session too:

  #120                   up to and with the event of that number
  before-compaction      before the newest compaction
  before-compaction:2    before the second one of the session

Times are shown as this machine has them; --json has UTC.`,
	}
})
