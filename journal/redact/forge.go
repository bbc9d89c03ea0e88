package redact

// Code hosts.
var forges = [...]Rule{
	{
		Name: "github-token", Kind: "github-token", Finds: "a GitHub token: personal, OAuth, of an app's user or installation, refresh",
		Keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, apart: alnum, body: alnum, least: 36, check: genuine,
	},
	{
		Name: "github-fine-grained-token", Kind: "github-token", Finds: "a fine-grained GitHub token",
		Keywords: []string{"github_pat_"}, apart: alnum, body: alnum | underscore, least: 36, check: genuine,
	},
	{
		Name: "gitlab-token", Kind: "gitlab-token", Finds: "a GitLab token: personal, deploy, runner, job, trigger, feed, agent, OAuth",
		Keywords: []string{
			"glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-",
			"glwt-", "GR1348941",
		}, apart: alnum, body: dotted, least: 20, check: random,
	},
	{
		Name: "bitbucket-app-password", Kind: "bitbucket-token", Finds: "an app password of Bitbucket",
		Keywords: []string{"ATBB"}, apart: alnum, body: alnum, least: 28, check: genuine,
	},
	{
		Name: "atlassian-token", Kind: "atlassian-token", Finds: "an Atlassian API or access token",
		Keywords: []string{"ATATT3", "ATCTT3"}, apart: alnum, body: base64 | word, least: 40, check: genuine,
	},
}

var _ = declare(forges[:])
