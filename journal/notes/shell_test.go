package notes

import (
	"slices"
	"strings"
	"testing"
)

// Which watched files a shell command writes, however it names them (S3.2).
func TestWrittenByAShell(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"make test":                         nil,
		"cat docs/plans/.cpm-progress-x.md": nil,
		"cat > docs/plans/.cpm-progress-x.md <<'EOF'\nrm learnings-a.md; x > progress.md\nEOF": {".cpm-progress-x.md"},
		"grep x <<< foo\necho hi >> .claude/context/progress.md":                               {"progress.md"},
		"cat <<EOF >> .cpm-progress.md\n# State\nEOF\nrm progress.md":                          {".cpm-progress.md", "progress.md"},
		"echo a>.cpm-progress.md":                                                         {".cpm-progress.md"},
		"echo a 2>&1 >| '.cpm-progress-a b.md'":                                           {".cpm-progress-a b.md"},
		"printf x | tee -a \"docs/plans/.cpm-progress-$ID.md\"":                           {".cpm-progress-*.md"},
		"cd docs && sed -i 's/a/b/' plans/.cpm-progress-${S}.md":                          {".cpm-progress-*.md"},
		"sed 's/a/b/' .cpm-progress.md":                                                   nil,
		"mv /tmp/new docs/plans/.cpm-progress-1.md":                                       {".cpm-progress-1.md"},
		"git mv a.md .claude/context/learnings-coding.md && ls":                           {"learnings-coding.md"},
		"rm -f docs/plans/.cpm-progress-1.md; echo done":                                  {".cpm-progress-1.md"},
		"grep -c x .cpm-progress.md > count.txt":                                          nil,
		"python3 -c 'open(\".cpm-progress.md\").read()'":                                  nil,
		"(echo a; echo b) > .claude/context/progress.md 2>/dev/null":                      {"progress.md"},
		"echo a > $(pwd)/progress.md":                                                     {"progress.md"},
		"echo a > $(git -C $(pwd) rev-parse --show-toplevel)/.claude/context/progress.md": {"progress.md"},
		"cat x >\"docs/plans/.cpm-progress-$(basename $(pwd)/x).md\"":                     {".cpm-progress-*.md"},
		"echo a > `pwd`/task_plan.md":                                                     {"task_plan.md"},
		"echo a &>>progress.md":                                                           {"progress.md"},
		"jq . x > .claude/tmp/$S-compile-src.json":                                        {"*-compile-src.json"},
		"cp x .claude/tmp/compile-src-auth.json":                                          {"compile-src-auth.json"},
		`Set-Content -Path C:\p\docs\plans\.cpm-progress-1.md -Value x`:                   {".cpm-progress-1.md"},
		"Get-Content progress.md":                                                         nil,
		"rm ~/.claude/learnings/global-learnings.md":                                      {"global-learnings.md"},
	} {
		if got := writtenPatterns(command); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", command, got, want)
		}
	}
}

// Every watched name is found in a shell command by its stem.
func TestStems(t *testing.T) {
	t.Parallel()
	for _, p := range places("/p", "/h", []string{"/more"}, nil) {
		for _, n := range p.names {
			name := strings.ReplaceAll(n.pattern, "*", "x")
			if !strings.Contains(name, n.stem) || p.kind(name) != n.kind {
				t.Errorf("%s of %s: stem %q, kind %q", n.pattern, p.dir, n.stem, p.kind(name))
			}
			if got := writtenPatterns("echo x > " + name); !slices.Equal(got, []string{name}) {
				t.Errorf("a command that writes %s: %q", name, got)
			}
		}
	}
}
