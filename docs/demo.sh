#!/bin/sh
# demo.sh JOURNAL STREAM [whole]: play the hooks of a recorded session through JOURNAL, as
# the agent does it, one process per hook, and show what came of it. STREAM has one hook
# payload per line. The agent's transcript is written as the agent writes it: what each hook
# added to the context. Everything happens in a directory that is removed again. With
# "whole" the whole text and the events are printed too.
set -eu
journal=$1 stream=$2 whole=${3:-}
case $journal in /*) ;; *) journal=$PWD/$journal ;; esac
JOURNAL_DIR=$(mktemp -d)
export JOURNAL_DIR JOURNAL_LANG=en JOURNAL_COMMAND=/home/dev/.local/bin/journal COLUMNS=100
unset JOURNAL_SESSION CLAUDE_CODE_SESSION_ID CLAUDE_PROJECT_DIR JOURNAL_OWNER JOURNAL_CONFIG || true
trap '"$journal" stop >/dev/null 2>&1; rm -rf "$JOURNAL_DIR"' EXIT
session=$(sed -n '1s/.*"session_id":"\([^"]*\)".*/\1/p' "$stream")
rows=$JOURNAL_DIR/rows answer=$JOURNAL_DIR/answer compactions=0

say() { printf '\n== %s\n' "$1"; }
look() { "$journal" "$@" --session "$session" 2>"$JOURNAL_DIR/notes" || { cat "$JOURNAL_DIR/notes" >&2; exit 1; }; }
seq_of() { look log --type "$1" | tail -n 1 | sed 's/^#\([0-9]*\).*/\1/'; }

# The transcript lies in the directory too, and is written at the end: agents write late.
while IFS= read -r payload; do
	printf '%s' "$payload" | sed "s#/home/dev/.claude#$JOURNAL_DIR#" | "$journal" hook claude > "$answer"
	context=$(sed -n 's/.*"additionalContext":\(".*"\)}}$/\1/p' "$answer")
	[ -n "$context" ] || continue
	compactions=$((compactions + 1))
	printf '{"type":"system","subtype":"compact_boundary","uuid":"compaction-%s"}\n' "$compactions" >> "$rows"
	printf '%s\n' "{\"type\":\"attachment\",\"attachment\":{\"type\":\"hook_additional_context\",\"hookEvent\":\"SessionStart\",\"content\":[$context]}}" >> "$rows"
done < "$stream"
transcript=$(sed -n "1s#.*\"transcript_path\":\"/home/dev/.claude\([^\"]*\)\".*#$JOURNAL_DIR\1#p" "$stream")
mkdir -p "$(dirname "$transcript")"
mv "$rows" "$transcript"

restarted=$(seq_of context.restarted)
look audit > "$JOURNAL_DIR/audit"
printf '%s compactions of a recorded Claude Code session: %s.\n' "$compactions" "$(sed -n 3p "$JOURNAL_DIR/audit")"
say "Before the second compaction the agent knew"
look replay --seq "$((restarted - 1))" --projection todos --projection decisions --projection files | sed 1,3d
say "The agent's summary, all that it would go on with"
"$journal" show "$(seq_of compaction.completed)" | sed -n '/^ *[0-9]\. /p'
say "What journal gave it with its next request, from the top"
look recover --seq "$restarted" | sed 1d > "$JOURNAL_DIR/text"
head -n 18 "$JOURNAL_DIR/text"
echo …
say "What was restored: journal audit"
sed -n '5,/^$/p' "$JOURNAL_DIR/audit"
if [ -n "$whole" ]; then
	say "The whole text"
	cat "$JOURNAL_DIR/text"
	say "The events"
	look log
	exit
fi
say "Every day, with your own sessions"
cat <<'END'
journal ui --open     all of it in a browser: the sessions, any moment again, what compactions took
journal day           what was asked, done and left open today
journal sessions      what was asked, where and when
journal search "a question"  what was said, decided and run
journal audit         what a compaction took, and what was restored
journal recover       the text that the agent would be given now
To begin: make install, then ~/.local/bin/journal install
END
