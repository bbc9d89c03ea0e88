package redact

var aws = [...]Rule{
	shape{"aws-access-key", "aws-access-key", alnum, digit | upper, 16, genuine}.rule("an AWS access key id", "AKIA", "ASIA"),
	{
		Name: "aws-secret-key", Kind: "aws-secret-key", Finds: "an AWS secret access key where it is assigned",
		Keywords: []string{"secret_access_key", "secretaccesskey", "secret-access-key", "secret access key", "aws_secret_key"}, Fold: true,
		find: awsSecret, check: genuine, generic: true,
	},
	{
		Name: "aws-bedrock-key", Kind: "aws-bedrock-key", Finds: "an API key of Amazon Bedrock",
		Keywords: []string{"ABSK"}, apart: alnum, body: base64, least: 100,
	},
}

var _ = declare(aws[:])

// awsSecret finds the 40 bytes of base64 that are assigned to the name of a secret access key.
func awsSecret(s string, _, end int) (int, int) {
	const size = 40
	i, ok := assignment{}.separator(s, end, name{})
	if !ok {
		return -1, -1
	}
	_, width := opening(s[i:])
	i += width
	n := base64.run(s[i:])
	if n < size {
		return -1, -1
	}
	return i, i + n
}
