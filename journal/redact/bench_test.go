package redact_test

import (
	"strings"
	"testing"

	"journal/journal/redact"
)

// plainText is the most frequent text of agents: code, logs and prose, with words such as token in them.
const plainText = `func (s *Store) Append(ctx context.Context, subject string, data []byte) (uint64, error) {
	if len(data) > s.limit {
		return 0, fmt.Errorf("append %s: %d bytes exceed the limit of %d", subject, len(data), s.limit)
	}
	ack, err := s.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: data})
	if err != nil {
		return 0, fmt.Errorf("append %s: %w", subject, err)
	}
	return ack.Sequence, nil
}
2024-05-17T10:22:31Z INFO request done method=GET path=/api/v1/items status=200 bytes=5120 took=12ms trace=4bf92f3577b34da6a3ce929d0e0e4736
The parser reads one token after the other and never looks back; see the second section of the design for the reasons.
{"type":"message","usage":{"input_tokens":1234,"output_tokens":567},"uuid":"550e8400-e29b-41d4-a716-446655440000"}
`

func sized(n int) string { return strings.Repeat(plainText, n/len(plainText)+1)[:n] }

func bench(b *testing.B, s string, marks int) {
	b.Helper()
	if got := redact.Count(redact.Text(s)); got != marks {
		b.Fatalf("%d marks, want %d", got, marks)
	}
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		redact.Text(s)
	}
}

func BenchmarkText2KBClean(b *testing.B)  { bench(b, sized(2<<10), 0) }
func BenchmarkText64KBClean(b *testing.B) { bench(b, sized(64<<10), 0) }

func BenchmarkText2KBSecrets(b *testing.B) {
	bench(b, sized(900)+"\nDB_PASSWORD=hunter22\ncurl -H 'Authorization: Bearer "+mix(40)+"' https://bob:tr0mb0ne@x.test\n"+
		sized(800)+"\n"+"ghp_"+mix(36)+" sk-ant-"+mix(40)+"\n", 5)
}

func BenchmarkText64KBKorean(b *testing.B) {
	bench(b, strings.Repeat("로그는 한 프로세스만 소유하고, 비밀번호와 토큰은 기록되기 전에 지워집니다.\n", 600), 0)
}
