#!/bin/sh
# demo.sh JOURNAL STREAM: play the hooks of a recorded session through JOURNAL, as
# the agent does it, one process per hook, and show what came of it. STREAM has one
# hook payload per line. Everything happens in a directory that is removed again.
set -eu
journal=$1 stream=$2
case $journal in /*) ;; *) journal=$PWD/$journal ;; esac
JOURNAL_DIR=$(mktemp -d)
export JOURNAL_DIR JOURNAL_LANG=en JOURNAL_COMMAND=/home/dev/.local/bin/journal COLUMNS=100
unset JOURNAL_SESSION CLAUDE_CODE_SESSION_ID CLAUDE_PROJECT_DIR JOURNAL_OWNER JOURNAL_CONFIG || true
trap '"$journal" stop >/dev/null 2>&1; rm -rf "$JOURNAL_DIR"' EXIT

say() { printf '\n== %s\n\n' "$1"; }

say "Playing $(wc -l < "$stream" | tr -d ' ') hooks of a recorded Claude Code session"
answer=$JOURNAL_DIR/answer
while IFS= read -r payload; do
	printf '%s' "$payload" | "$journal" hook claude > "$answer"
	if [ -s "$answer" ]; then
		printf 'hook %s answered %s bytes\n' \
			"$(printf '%s' "$payload" | sed 's/.*"hook_event_name":"\([^"]*\)".*/\1/')" "$(wc -c < "$answer" | tr -d ' ')"
		cp "$answer" "$JOURNAL_DIR/last"
	fi
done < "$stream"
session=$(sed -n '1s/.*"session_id":"\([^"]*\)".*/\1/p' "$stream")
seq_of() { "$journal" log --session "$session" --type "$1" | tail -n 1 | sed 's/^#\([0-9]*\).*/\1/'; }

say "The events: journal log"
"$journal" log --session "$session"

say "What the hook gave the agent after the second compaction"
cat "$JOURNAL_DIR/last"

say "The same text for people: journal recover --seq $(seq_of context.restarted)"
"$journal" recover --session "$session" --seq "$(seq_of context.restarted)"

before=$(($(seq_of context.restarted) - 1)) after=$(seq_of compaction.completed)
say "Before it: journal replay --seq $before"
"$journal" replay --session "$session" --seq "$before" --projection last-compact --projection todos --projection files
say "After it: journal replay --seq $after"
"$journal" replay --session "$session" --seq "$after" --projection last-compact --projection todos --projection files

say "What each compaction lost: journal audit"
"$journal" audit --session "$session"

say "The owner of the log: journal status"
"$journal" status
