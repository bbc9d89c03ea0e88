#!/bin/sh
# fresh.sh DIST NEXT STREAM [TREE.tar]: installs what make dist made into a fresh Debian tree, by each of its ways, and plays
# the hooks of a recorded session by the lines that journal install wrote. Each way has to lead to recorded hooks and a
# recovery text by two commands; its text names journal uninstall; removed without that it leaves the log, all hooks are
# silent, and installing by another way mends them. The .deb of NEXT is installed over one whose owner runs: hooks go on,
# and nothing is lost. Needs root, Linux and mmdebstrap; the tree is kept in TREE.tar, if that is given.
set -eu

fail() { echo "FAIL: $*" >&2; exit 1; }

# as runs a line as the person of a way.
as() { (cd "$home" && setpriv --reuid 1000 --regid 1000 --clear-groups env -i HOME="$home" PATH="$PATH" sh -c "$1"); }

# line gives what the agent's settings call at a hook.
line() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).hooks.UserPromptSubmit[0].hooks[0].command' "$home/.claude/settings.json"; }

# played plays the session as the agent does. Each hook exits with 0.
played() {
	call=$(line)
	while IFS= read -r payload; do
		printf '%s' "$payload" | as "$call" || echo "exit code $?" >&2
	done < /fresh/stream > "$home/answers" 2> "$home/errors"
	[ ! -s "$home/errors" ] || fail "$way: hooks say $(cat "$home/errors")"
}

# recorded holds what came of the session against what has to, and what a way before left against what it had.
recorded() {
	before=$(events)
	[ "$before" -ge "$(cat "$home/kept" 2>/dev/null || echo 0)" ] || fail "$way: $before events are left of $(cat "$home/kept")"
	played
	grep -q 'what the compacted context may have lost' "$home/answers" || fail "$way: no recovery text"
	after=$(events)
	[ "$after" -gt "$before" ] || fail "$way: nothing was recorded"
	echo "$way: $(line | sed 's/.*exec //; s/;.*//') recorded $((after - before)) events and gave a recovery text"
}

events() { as "${program:-journal} log --json --echoes 2>/dev/null" | wc -l; }

# installed does the two commands: the first as root or not, the second as the person.
installed() {
	way=$1 home=/home/$2
	mkdir -p "$home/.claude"
	sh -ec "$3" > "$home/first" 2>&1 || fail "$way: $(cat "$home/first")"
	chown -R 1000:1000 "$home" # the person unpacks an archive, and root installs a package
	as "${program:-journal} install --agent claude --client-version 2.1.329" > "$home/second" 2>&1 || fail "$way: $(cat "$home/second")"
}

# removed takes the programs away by $1, without journal uninstall, of which the text that $2 prints has to tell: all hooks
# are silent, the log stays. The owner may still run.
removed() {
	sh -ec "$2" | grep -q 'journal uninstall' || fail "$way: its text does not name journal uninstall"
	events > "$home/kept"
	sh -ec "$1" > "$home/gone" 2>&1 || fail "$way: $(cat "$home/gone")"
	played
	[ ! -s "$home/answers" ] || fail "$way: hooks say $(cat "$home/answers") after the removal"
	[ -s "$home/.local/state/journal/head" ] || fail "$way: the log is gone"
	echo "$way: removed; all hooks are silent, the log is there"
}

# prompts has the agent call hooks for prompts $1 to $2 of a session.
prompts() {
	for n in $(seq "$1" "$2"); do
		printf '{"session_id":"over","hook_event_name":"UserPromptSubmit","prompt":"prompt %d","cwd":"/"}' "$n" | as "$call" ||
			fail "$way: hook $n exits with $?"
	done
}

# owner gives the process that owns the log, in journal's words.
owner() { as 'journal status --json' | node -p 'const o = JSON.parse(require("fs").readFileSync(0)).owner; o ? o.pid : ""'; }

# replaced installs a newer package while hooks run and the owner of the older one lives.
replaced() {
	call=$(line) settings=$(cat "$home/.claude/settings.json")
	prompts 1 20
	first=$(owner)
	[ -n "$first" ] || fail "$way: no owner runs before it"
	prompts 21 60 &
	sh -ec "$1" > "$home/over" 2>&1 || fail "$way: $(cat "$home/over")"
	wait $! || fail "$way: a hook failed meanwhile"
	echo '{"session_id":"after","hook_event_name":"SessionStart","source":"startup","cwd":"/"}' | as "$call" > "$home/answers" ||
		fail "$way: the next session's start failed"
	prompts 61 80
	as 'journal log --json --session over --type prompt.submitted' | grep -o '"prompt [0-9]*"' | sort -u > "$home/prompts"
	[ "$(wc -l < "$home/prompts")" = 80 ] || fail "$way: of 80 prompts the log has $(wc -l < "$home/prompts")"
	second=$(owner)
	[ -n "$second" ] && [ "$second" != "$first" ] || fail "$way: the older owner is still there"
	as 'journal version' | grep -q "$2" || fail "$way: $(as 'journal version')"
	[ "$settings" = "$(cat "$home/.claude/settings.json")" ] || fail "$way: other hooks"
	echo "$way: 80 of 80 prompts, the owner made way, the hooks are the same"
}

inside() {
	mount -t proc proc /proc
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
	export PATH HOME
	program=
	installed .deb deb 'dpkg -i /fresh/first.deb'
	recorded
	removed 'dpkg -r journal' 'dpkg -s journal'

	installed '.deb over .deb' over 'dpkg -i /fresh/first.deb'
	replaced 'dpkg -i /fresh/next.deb' v999.0.0
	recorded
	removed 'dpkg -r journal' 'dpkg -s journal'

	installed .rpm rpm 'rpm -i --nodeps --dbpath /fresh/rpms /fresh/*.rpm'
	recorded
	removed 'rpm -e --nodeps --dbpath /fresh/rpms journal' 'rpm -qi --dbpath /fresh/rpms journal'

	packages='/fresh/*-linux-x64-*.tgz /fresh/main.tgz' name=$(node -p 'require("/fresh/package.json").name')
	npm install -g --offline /fresh/main.tgz > /fresh/alone 2>&1 || fail "npm, the main package alone: $(cat /fresh/alone)"
	! said=$(journal version 2>&1) || fail 'npm, the main package alone: journal does not fail'
	case $said in *"install the package $name-linux-x64 "*) ;; *) fail "npm, the main package alone: $said" ;; esac
	said=$(echo '{}' | journal-hook claude 2>&1) && [ -z "$said" ] || fail "npm, the main package alone: a hook says $said"
	npm uninstall -g "$name" > /fresh/alone 2>&1 || fail "npm, the main package alone: $(cat /fresh/alone)"
	echo 'npm, the main package alone: says what is missing; hooks are silent'

	installed npm npm "npm install -g --offline $packages"
	recorded
	removed "npm uninstall -g $name $name-linux-x64" "cat $(npm root -g)/$name/README.md"

	installed 'npm --ignore-scripts' scripts "npm install -g --offline --ignore-scripts $packages"
	recorded
	removed "npm uninstall -g $name $name-linux-x64" "cat $(npm root -g)/$name/README.md"

	# Another way, for the person whose hooks lead to the .deb that is gone.
	installed 'archive after .deb' deb 'tar -C /usr/local/bin --strip-components=1 -xzf /fresh/*.tar.gz'
	recorded
	as 'journal uninstall' > "$home/uninstalled" 2>&1 || fail "$way: $(cat "$home/uninstalled")"
	! grep -q journal-hook "$home/.claude/settings.json" 2>/dev/null || fail "$way: uninstall leaves hooks"
	rm /usr/local/bin/journal*

	program=/home/archive/.local/journal/journal
	installed archive archive 'mkdir -p /home/archive/.local/journal && tar -C /home/archive/.local/journal --strip-components=1 -xzf /fresh/*.tar.gz'
	recorded
	removed 'rm -r /home/archive/.local/journal' 'cat /home/archive/.local/journal/README.md'
	echo 'all ways: ok'
}

if [ "$1" = inside ]; then
	inside
	exit
fi
dist=$1 next=$2 stream=$3 kept=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=${kept:-$work/tree.tar}
[ -s "$tree" ] || mmdebstrap --variant=minbase --include=nodejs,npm,rpm "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$tree"
mkdir "$work/root"
tar -C "$work/root" --exclude './dev/*' -xf "$tree"
for device in null zero random urandom; do
	: > "$work/root/dev/$device"
done
mkdir "$work/root/fresh"
cp "$dist"/*_amd64.deb "$work/root/fresh/first.deb"
cp "$next"/*_amd64.deb "$work/root/fresh/next.deb"
cp "$dist"/*.x86_64.rpm "$dist"/*-linux-x64-*.tgz "$dist"/*-linux-amd64.tar.gz "$work/root/fresh"
for package in "$dist"/*.tgz; do
	case $package in *-x64-* | *-arm64-*) continue ;; esac
	cp "$package" "$work/root/fresh/main.tgz"
	tar -C "$work/root/fresh" --strip-components=1 -xzf "$package" package/package.json
done
cp "$stream" "$work/root/fresh/stream"
cp "$0" "$work/root/fresh/fresh.sh"
# Whatever starts in there ends with it, and reaches no network.
unshare --mount --pid --fork --kill-child --net sh -ec '
	for device in null zero random urandom; do mount --bind "/dev/$device" "$1/dev/$device"; done
	ip link set lo up 2>/dev/null || true
	exec chroot "$1" sh /fresh/fresh.sh inside
' sh "$work/root"
