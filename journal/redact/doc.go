// Package redact removes secrets from text before the text is appended to the log. What was never written cannot leak.
//
// A gate looks for the keywords of all rules in one pass over the text. At a keyword, and only there, the rule examines the
// bytes around it and decides which part is the secret; a mark replaces that part. Text without keywords costs one pass, unless
// it needs a view, and is returned as it is. Few rules have regular expressions. They are compiled when one of their
// keywords has occurred, because the process that redacts often lives for one hook.
//
// TextAt redacts a string of a structured value by its Place: the names above the string, and the values beside it. JSON
// redacts a whole document, and Document a text that may be one.
//
// A value is a secret if its name promises one, unless the value has a form that is known to be harmless. If no sign, such as
// a colon, joins name and value, the value must also look like a secret. Columns, manifests, commands and calls name values
// too.
//
// The words used here:
//
//   - keyword: a literal that is in or beside every secret of a rule.
//   - rule: keywords, and what makes the text beside them a secret: a record of rules.txt, or the shape of a token in formats.txt.
//   - kind: the word of a rule that the mark shows, such as "github-token".
//   - mark: "[redacted:KIND]", which replaces a secret. Marks are never changed again.
//   - filler: a value that is not a secret although it stands where one is expected: ${VAR}, <token>, xxxxx, changeme.
//   - place: where in a structured value a string stands: a member's name and those above, the option before it in an array.
//   - sense: what a name promises about its value: no secret, a secret whatever it looks like, a secret if it looks random, …
//   - password-like: as a password looks that a person made: letters mixed with digits or signs, or a phrase of words.
//   - random: as a token looks that a machine made: at least 16 bytes without words.
//   - view: a copy of the text in which hidden secrets show: without invisible characters, without the prefixes of lines, …
//   - window: the number of bytes that a rule may examine to decide. It keeps the time linear on hostile text.
//
// Only bytes inside a secret change. Valid UTF-8 stays valid, and invalid bytes elsewhere stay as they are.
package redact
