package investigate

import (
	"context"
	"encoding/json"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// These patterns match an answer in text. Models and servers without tool calls give it
// in this form, and so does the last answer before a limit:
//
//	BIC: 0123456789ab 0.8 it dropped the check of n
var (
	bicLine = source.Lazy(
		`(?im)^[\s>*_#-]*BICs?[\s*_]*:[\s*_` + "`" + `]*(?:commit\s+)?([0-9a-f]{7,64}|c\d{1,2})\b[` + "`" + `*_]*[\s,;:(\[-]*(\d*\.\d+|\d{1,3}\s*%|[01]\b)?[)\]]?[\s,;:—-]*(.*)$`,
	)
	saidPhrase = source.Lazy(`(?i)bug[- ]introducing commit (?:is|:|was)[\s*_` + "`" + `]*(?:commit\s+)?([0-9a-f]{7,64})\b`)
)

// textReport reads an answer from a reply in text: a JSON report, lines that begin with
// "BIC:", or a sentence that names the bug-introducing commit. It returns nil if there is
// none.
func textReport(reply string) []reported {
	if list := jsonReport(reply); len(list) > 0 {
		return list
	}
	var list []reported
	for _, m := range bicLine().FindAllStringSubmatch(reply, -1) {
		r := reported{Commit: m[1], Reasoning: strings.Trim(m[3], " *_`")}
		if m[2] != "" {
			r.Confidence = m[2]
		}
		list = append(list, r)
	}
	if m := saidPhrase().FindStringSubmatch(reply); list == nil && m != nil {
		list = []reported{{Commit: m[1], Reasoning: reply}}
	}
	return list
}

// jsonReport returns the first JSON value in the text that is a report and names a
// commit.
func jsonReport(reply string) []reported {
	for i, tried := 0, 0; i < len(reply) && tried < 50; i++ {
		if reply[i] != '{' && reply[i] != '[' {
			continue
		}
		tried++
		var raw json.RawMessage
		if json.NewDecoder(strings.NewReader(reply[i:])).Decode(&raw) != nil {
			continue
		}
		list, err := decodeReport(raw)
		if err == nil && len(list) > 0 && list[0].Commit != "" {
			return list
		}
	}
	return nil
}

// text accepts or refuses a reply that calls no tool.
func (t *reportTool) text(ctx context.Context, reply string) (agent.Result, error) {
	if list := textReport(reply); list != nil {
		return t.judge(ctx, list)
	}
	return answer("szz/nudge", !t.d.opt.NoTools)
}
