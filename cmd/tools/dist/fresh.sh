#!/bin/sh
# fresh.sh DIST STREAM [TREE.tar]: installs what make dist made into a fresh Debian tree, by each of its ways, and plays
# the hooks of a recorded session by the lines that journal install wrote. Each way has to lead to recorded hooks and a
# recovery text by two commands; removed again it leaves the log, hooks that nobody can run are silent, and installing
# by another way mends them. Needs root, Linux and mmdebstrap; the tree is kept in TREE.tar, if that is given.
set -eu

fail() { echo "FAIL: $*" >&2; exit 1; }

# as runs a line as the person of a way.
as() { (cd "$home" && setpriv --reuid 1000 --regid 1000 --clear-groups env -i HOME="$home" PATH="$PATH" sh -c "$1"); }

# line gives what the agent's settings call at a hook.
line() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).hooks.UserPromptSubmit[0].hooks[0].command' "$home/.claude/settings.json"; }

# recorded plays the session as the agent does and holds what came of it against what has to.
recorded() {
	before=$(events)
	while IFS= read -r payload; do
		printf '%s' "$payload" | as "$(line)"
	done < /fresh/stream > "$home/answers" 2> "$home/errors"
	[ ! -s "$home/errors" ] || fail "$way: hooks say $(cat "$home/errors")"
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

# removed takes the programs away without journal uninstall: hooks are silent, the log stays.
removed() {
	hook=$(line)
	as "${program:-journal} stop" > "$home/stopped" 2>&1 || fail "$way: $(cat "$home/stopped")"
	sh -ec "$1" > "$home/gone" 2>&1 || fail "$way: $(cat "$home/gone")"
	said=$(echo '{}' | as "$hook" 2>&1) || fail "$way: a hook fails after the removal"
	[ -z "$said" ] || fail "$way: a hook says $said after the removal"
	[ -s "$home/.local/state/journal/head" ] || fail "$way: the log is gone"
	echo "$way: removed; hooks are silent, the log is there"
}

inside() {
	mount -t proc proc /proc
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
	export PATH HOME
	program=
	installed .deb deb 'dpkg -i /fresh/*.deb'
	recorded
	removed 'dpkg -r journal'

	packages='/fresh/*-linux-x64-*.tgz /fresh/main.tgz' name=$(node -p 'require("/fresh/package.json").name')
	installed npm npm "npm install -g --offline $packages"
	recorded
	removed "npm uninstall -g $name $name-linux-x64"

	installed 'npm --ignore-scripts' scripts "npm install -g --offline --ignore-scripts $packages"
	recorded
	removed "npm uninstall -g $name $name-linux-x64"

	# Another way, for the person whose hooks lead to the .deb that is gone.
	installed 'archive after .deb' deb 'tar -C /usr/local/bin --strip-components=1 -xzf /fresh/*.tar.gz'
	recorded
	as 'journal uninstall' > "$home/uninstalled" 2>&1 || fail "$way: $(cat "$home/uninstalled")"
	! grep -q journal-hook "$home/.claude/settings.json" 2>/dev/null || fail "$way: uninstall leaves hooks"
	rm /usr/local/bin/journal*

	program=/home/archive/.local/journal/journal
	installed archive archive 'mkdir -p /home/archive/.local/journal && tar -C /home/archive/.local/journal --strip-components=1 -xzf /fresh/*.tar.gz'
	recorded
	removed 'rm -r /home/archive/.local/journal'
	echo 'all ways: ok'
}

if [ "$1" = inside ]; then
	inside
	exit
fi
dist=$1 stream=$2 kept=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=${kept:-$work/tree.tar}
[ -s "$tree" ] || mmdebstrap --variant=minbase --include=nodejs,npm "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$tree"
mkdir "$work/root"
tar -C "$work/root" --exclude './dev/*' -xf "$tree"
for device in null zero random urandom; do
	: > "$work/root/dev/$device"
done
mkdir "$work/root/fresh"
cp "$dist"/*_amd64.deb "$dist"/*-linux-x64-*.tgz "$dist"/*-linux-amd64.tar.gz "$work/root/fresh"
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
