package redact

// Code hosts.
var (
	_ = declare(Rule{
		Name: "github-token", Kind: "github-token", Finds: "a GitHub token: personal, OAuth, of an app's user or installation, refresh",
		Keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, apart: alnum, find: token(alnum, 36), check: genuine,
	})
	_ = declare(Rule{
		Name: "github-fine-grained-token", Kind: "github-token", Finds: "a fine-grained GitHub token",
		Keywords: []string{"github_pat_"}, apart: alnum, find: token(alnum.and(setOf("_")), 36), check: genuine,
	})
	_ = declare(Rule{
		Name: "gitlab-token", Kind: "gitlab-token", Finds: "a GitLab token: personal, deploy, runner, job, trigger, feed, agent, OAuth",
		Keywords: []string{
			"glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-",
			"glwt-", "GR1348941",
		}, apart: alnum, find: token(dotted, 20), check: random,
	})
	_ = declare(Rule{
		Name: "bitbucket-app-password", Kind: "bitbucket-token", Finds: "an app password of Bitbucket",
		Keywords: []string{"ATBB"}, apart: alnum, find: token(alnum, 28), check: genuine,
	})
	_ = declare(Rule{
		Name: "atlassian-token", Kind: "atlassian-token", Finds: "an Atlassian API or access token",
		Keywords: []string{"ATATT3", "ATCTT3"}, apart: alnum, find: token(base64.and(word), 40), check: genuine,
	})
)
