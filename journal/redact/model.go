package redact

// Vendors and hosts of language models.
var models = [...]Rule{
	shape{"openai-key", "openai-key", alnum, word, 20, random}.rule("an API key of OpenAI, or of a vendor that writes its keys alike", "sk-"),
	shape{"openai-project-key", "openai-key", alnum, word, 20, genuine}.rule("a project, service account or admin key of OpenAI", "sk-proj-", "sk-svcacct-", "sk-admin-"),
	shape{"openrouter-key", "openrouter-key", alnum, word, 20, genuine}.rule("an API key of OpenRouter", "sk-or-v1-"),
	shape{"anthropic-key", "anthropic-key", alnum, word, 20, genuine}.rule("an API, admin or OAuth key of Anthropic", "sk-ant-"),
	shape{"huggingface-token", "huggingface-token", alnum, alnum, 30, genuine}.rule("a user or organisation token of Hugging Face", "hf_", "api_org_"),
	shape{"groq-key", "groq-key", alnum, alnum, 40, genuine}.rule("an API key of Groq", "gsk_"),
	shape{"xai-key", "xai-key", word, alnum, 60, genuine}.rule("an API key of xAI", "xai-"),
	shape{"perplexity-key", "perplexity-key", alnum, alnum, 40, genuine}.rule("an API key of Perplexity", "pplx-"),
	shape{"replicate-token", "replicate-token", word, alnum, 37, genuine}.rule("an API token of Replicate", "r8_"),
	shape{"langsmith-key", "langsmith-key", alnum, hex | underscore, 32, genuine}.rule("an API key of LangSmith", "lsv2_pt_", "lsv2_sk_"),
}

var _ = declare(models[:])
