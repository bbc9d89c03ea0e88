package redact

// Code hosts.
var forges = [...]Rule{
	shape{"github-token", "github-token", alnum, alnum, 36, genuine}.rule("a GitHub token: personal, OAuth, of an app's user or installation, refresh", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	shape{"github-fine-grained-token", "github-token", alnum, alnum | underscore, 36, genuine}.rule("a fine-grained GitHub token", "github_pat_"),
	shape{"gitlab-token", "gitlab-token", alnum, dotted, 20, random}.rule("a GitLab token: personal, deploy, runner, job, trigger, feed, agent, OAuth", "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "glwt-", "GR1348941"),
	shape{"bitbucket-app-password", "bitbucket-token", alnum, alnum, 28, genuine}.rule("an app password of Bitbucket", "ATBB"),
	shape{"atlassian-token", "atlassian-token", alnum, base64 | word, 40, genuine}.rule("an Atlassian API or access token", "ATATT3", "ATCTT3"),
}

var _ = declare(forges[:])
