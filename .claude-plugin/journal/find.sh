# find_program NAME sets program to the path of a program of journal, and fails where there is none: beside
# JOURNAL_BIN, on PATH, and where make, go, npm and brew install to; apt and dnf use a place that PATH has. The shell
# that runs a hook reads this file itself, so that looking starts no process. What a path finds only from the working
# directory is a project's, and not taken.
find_program() {
	set -f
	IFS=:
	for dir in ${JOURNAL_BIN:+"${JOURNAL_BIN%/*}"} $PATH "$HOME/.local/bin" "$HOME/go/bin" ${NVM_BIN:+"$NVM_BIN"} ${PNPM_HOME:+"$PNPM_HOME"} \
		"$HOME/.npm-global/bin" "$HOME/.volta/bin" /usr/local/bin /usr/bin /opt/homebrew/bin /home/linuxbrew/.linuxbrew/bin; do
		program=$dir/$1
		case $program in
		//* | [!/]*) continue ;;
		esac
		# What lies in a plugin would look for itself.
		[ -x "$program" ] && [ -f "$program" ] && [ ! -e "$dir/../.claude-plugin/plugin.json" ] && return
	done
	return 1
}
