package knowledge_test

import (
	"slices"
	"testing"

	"journal/events"
	"journal/replay/knowledge"
)

// TestExternal: commands since the request that worked and changed something outside this machine are listed, newest first.
func TestExternal(t *testing.T) {
	t.Parallel()
	want := []string{
		"git push", "cd /p && git -C /q push -u origin topic | tail -3", "GIT_TRACE=1 git -c a=b push",
		`gh pr comment 4 --body "done"`, "# the nil check\ngh api repos/o/r/pulls/1/comments/2/replies -f body='Fixed in 1234567'",
		"gh api -X DELETE repos/o/r/issues/1", `gh api graphql -f query='mutation { resolveReviewThread(input: {threadId: "x"}) { clientMutationId } }'`,
		"glab mr note 3 -m done", "npm publish --access public", "docker push example.com/a:1", "kubectl apply -f a.yaml",
		"curl -XPOST https://api.example.com/a", "curl -s --json '{}' https://api.example.com/a", "curl -X DELETE https://api.example.com/a/1",
	}
	log := []events.Event{events.CommandRan{Command: "git push early"}, events.PromptSubmitted{Text: "publish it"}}
	for _, command := range want {
		log = append(log, events.CommandRan{Command: command})
	}
	for _, command := range []string{
		"git push --dry-run", "git fetch", "git log --grep push", "echo git push", "gh pr view 4", "gh pr checks", "gh api repos/o/r/pulls/1/comments --jq .",
		"gh api graphql -f query='query { viewer { login } }'", "npm run publish-docs", "docker build .", "kubectl get pods",
		"curl https://api.example.com/a", "curl -d x http://localhost:8080/a", "curl -XPOST localhost:8080/a", "npm publish --help", "rg 'gh pr create' docs",
	} {
		log = append(log, events.CommandRan{Command: command})
	}
	log = append(log, events.CommandRan{Command: "git push failed", Failed: true})
	var got []string
	for _, it := range slices.Concat(knowledge.Lists(folded(t, log...))...) {
		if it.Kind == knowledge.External {
			got = append(got, log[it.Seq-1].(events.CommandRan).Command)
		}
	}
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
