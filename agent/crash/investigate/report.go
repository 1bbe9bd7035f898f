package investigate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/prompts"
)

// reportName is the name of the tool for the model's claim.
const reportName = "report"

// Limits on a report.
const (
	maxFiles       = 10
	maxCommits     = 5
	maxReportBytes = 64 << 10
	maxReason      = 800  // characters of a reason
	maxExplanation = 2400 // characters of the explanation
)

// A reportTool receives the model's claim. It resolves paths and commits, and either accepts the
// claim or explains once why not.
type reportTool struct {
	d        *investigation
	spec     agent.Spec
	rejected bool        // the model was told about problems in a report; this happens once
	emptied  bool        // the model was told that a report is empty; this happens once
	pending  crash.Claim // the last claim that was not accepted
}

var _ agent.Decider = (*reportTool)(nil)

func newReportTool(d *investigation) (*reportTool, error) {
	p, err := prompts.Get("crash/report")
	if err != nil {
		return nil, err
	}
	text := p.Tool()
	schema, err := reportSchema(text.Params)
	return &reportTool{d: d, spec: agent.Spec{Name: reportName, Description: text.Description, Parameters: schema, Deed: agent.DeedAnswer}}, err
}

// reportSchema is strict: every property is required and no other allowed.
func reportSchema(meaning map[string]string) (json.RawMessage, error) {
	const form = `{"type":"object","properties":{"explanation":{"type":"string","description":%s},` +
		`"files":{"type":"array","description":%s,"items":{"type":"object","properties":{"path":{"type":"string","description":%s},` +
		`"reason":{"type":"string","description":%s}},"required":["path","reason"],"additionalProperties":false}},` +
		`"commits":{"type":"array","description":%s,"items":{"type":"object","properties":{"commit":{"type":"string","description":%s},` +
		`"why":{"type":"string","description":%s}},"required":["commit","why"],"additionalProperties":false}}},` +
		`"required":["explanation","files","commits"],"additionalProperties":false}`
	var parts []any
	for _, name := range []string{"explanation", "files", "path", "reason", "commits", "commit", "why"} {
		if meaning[name] == "" {
			return nil, fmt.Errorf("parameter %q of %s has no description", name, reportName)
		}
		quoted, err := json.Marshal(meaning[name])
		if err != nil {
			return nil, err
		}
		parts = append(parts, quoted)
	}
	return fmt.Appendf(nil, form, parts...), nil
}

// Spec describes the tool.
func (t *reportTool) Spec() agent.Spec { return t.spec }

// Decides marks the tool's result as the end of the conversation.
func (t *reportTool) Decides() {}

// reported is a report as written by the model.
type reported struct {
	Explanation string      `json:"explanation"`
	Files       fileList    `json:"files"`
	Commits     commitsList `json:"commits"`
}

type reportedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

type reportedCommit struct {
	Commit string `json:"commit"`
	Why    string `json:"why"`
}

// A fileList also accepts plain paths instead of objects, and a string with the JSON of the list.
type fileList []reportedFile

// UnmarshalJSON reads the list.
func (l *fileList) UnmarshalJSON(data []byte) error {
	return eachItem(data, func(item json.RawMessage) error {
		var f reportedFile
		if json.Unmarshal(item, &f.Path) != nil {
			if err := json.Unmarshal(item, &f); err != nil {
				return err
			}
		}
		*l = append(*l, f)
		return nil
	})
}

// A commitsList accepts the same forms as a fileList.
type commitsList []reportedCommit

// UnmarshalJSON reads the list.
func (l *commitsList) UnmarshalJSON(data []byte) error {
	return eachItem(data, func(item json.RawMessage) error {
		var c reportedCommit
		if json.Unmarshal(item, &c.Commit) != nil {
			if err := json.Unmarshal(item, &c); err != nil {
				return err
			}
		}
		*l = append(*l, c)
		return nil
	})
}

// eachItem calls take for the items of a JSON list, of a list written as a string, or for a
// single value instead of a list.
func eachItem(data []byte, take func(json.RawMessage) error) error {
	var text string
	if json.Unmarshal(data, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "[") {
		data = []byte(text)
	}
	data = bytes.TrimSpace(data)
	items := []json.RawMessage{data}
	if len(data) == 0 || string(data) == "null" || string(data) == `""` {
		return nil
	}
	if data[0] == '[' {
		if err := json.Unmarshal(data, &items); err != nil {
			return err
		}
	}
	for _, item := range items {
		if err := take(item); err != nil {
			return err
		}
	}
	return nil
}

// Call accepts or refuses a claim. The value of a final result is a crash.Claim.
func (t *reportTool) Call(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	if len(args) > maxReportBytes {
		return agent.Result{}, &agent.CallError{
			Tool: reportName,
			Text: fmt.Sprintf("the report has %d bytes; at most %d are read: shorten the explanation", len(args), maxReportBytes),
		}
	}
	var r reported
	if err := json.Unmarshal(args, &r); err != nil {
		return agent.Result{}, &agent.CallError{
			Tool: reportName,
			Text: fmt.Sprintf(
				`the arguments are not of the form {"explanation":"...","files":[{"path":"...","reason":"..."}],"commits":[]}: %v`,
				err,
			),
		}
	}
	return t.judge(ctx, r)
}

// judge accepts a report or returns its problems.
func (t *reportTool) judge(ctx context.Context, r reported) (agent.Result, error) {
	v, problems, err := t.resolve(ctx, r)
	if err != nil {
		return agent.Result{}, err
	}
	if len(problems) > 0 && !t.rejected {
		t.rejected = true
		if len(v.Files) > 0 {
			t.pending = v
		}
		return answer("crash/rejected", problems)
	}
	if len(v.Files) > 0 {
		return agent.Result{Text: "accepted\n", Value: v, Final: true}, nil
	}
	if len(r.Files) == 0 && !t.emptied {
		t.emptied = true
		return answer("crash/empty", nil)
	}
	return agent.Result{Text: "accepted: no file\n", Value: v, Final: true, Nothing: true}, nil
}

// answer renders a prompt text as an answer of the tool, after which the conversation continues.
func answer(name string, data any) (agent.Result, error) {
	p, err := prompts.Get(name)
	if err != nil {
		return agent.Result{}, err
	}
	text, err := p.Render(data)
	return agent.Result{Text: text}, err
}

// resolve turns a report into a claim. A problem is a sentence for the model about an invalid
// path or commit.
func (t *reportTool) resolve(ctx context.Context, r reported) (v crash.Claim, problems []string, err error) {
	v.Explanation = t.paragraph(r.Explanation, maxExplanation)
	for _, f := range r.Files[:min(len(r.Files), maxFiles)] {
		path, err := t.d.tools.Path(ctx, reportName, f.Path)
		if problem := problemOf(err); problem != "" {
			problems = append(problems, problem)
			continue
		}
		if err != nil {
			return v, nil, err
		}
		if !slices.ContainsFunc(v.Files, func(o crash.FileClaim) bool { return o.Path == path }) {
			v.Files = append(v.Files, crash.FileClaim{Path: path, Reason: t.paragraph(f.Reason, maxReason)})
		}
	}
	for _, c := range r.Commits[:min(len(r.Commits), maxCommits)] {
		if strings.TrimSpace(c.Commit) == "" {
			continue
		}
		oid, err := t.commit(ctx, c.Commit)
		if problem := problemOf(err); problem != "" {
			problems = append(problems, problem)
			continue
		}
		if err != nil {
			return v, nil, err
		}
		if !slices.ContainsFunc(v.Commits, func(o crash.CommitClaim) bool { return o.Commit == oid }) {
			v.Commits = append(v.Commits, crash.CommitClaim{Commit: oid, Reason: t.paragraph(c.Why, maxReason)})
		}
	}
	return v, problems, nil
}

// problemOf returns the text for the model about an error, or "" for an error that ends the
// investigation.
func problemOf(err error) string {
	var refused *agent.CallError
	switch {
	case errors.As(err, &refused):
		return refused.Text
	case gitext.Unreadable(err):
		return agent.CleanLine(err.Error())
	}
	return ""
}

// commit resolves the name of a commit. A *agent.CallError is meant for the model.
func (t *reportTool) commit(ctx context.Context, text string) (gitext.OID, error) {
	const most = 256
	if len(text) > most {
		return "", &agent.CallError{Tool: reportName, Text: fmt.Sprintf("the name of a commit has %d bytes; give its hash", len(text))}
	}
	oid, err := t.d.tools.Scope.Resolve(ctx, t.d.repo, reportName, text)
	if err == nil && t.d.repo.ShallowBoundary()[oid] {
		return "", &agent.CallError{
			Tool: reportName,
			Text: fmt.Sprintf("%s is where this clone ends; what it seems to have written may be older", oid.Short()),
		}
	}
	return oid, err
}

// answerLine matches a file of a claim in text. Models and servers without tool calls use this
// form, and so does the last answer before a limit:
//
//	EXPLANATION: a short packet makes the length negative, and the copy runs away
//	FILE: lib/reader.c it trusts the length that the header states
var (
	explanationLine = source.Lazy(`(?im)^[\s>*_#-]*EXPLANATION[\s*_]*:\s*(.*)$`)
	answerLine      = source.Lazy(`(?im)^[\s>*_#-]*FILES?[ \t*_]*:[ \t*_` + "`" + `]*([^\s` + "`" + `*]+)[` + "`" + `*_]*[ \t,;:—-]*(.*)$`)
)

// text accepts or refuses a reply without a tool call.
func (t *reportTool) text(ctx context.Context, reply string) (agent.Result, error) {
	if r, ok := jsonReport(reply); ok {
		return t.judge(ctx, r)
	}
	var r reported
	for _, m := range answerLine().FindAllStringSubmatch(reply, maxFiles) {
		r.Files = append(r.Files, reportedFile{Path: strings.TrimRight(m[1], ",;:"), Reason: strings.Trim(m[2], " *_`")})
	}
	if len(r.Files) > 0 {
		if m := explanationLine().FindStringSubmatch(reply); m != nil {
			r.Explanation = m[1]
		}
		return t.judge(ctx, r)
	}
	return answer("crash/nudge", !t.d.sees.NoCalls)
}

// jsonReport returns the first JSON object in the text that is a report with a file.
func jsonReport(reply string) (reported, bool) {
	for i, tried := 0, 0; i < len(reply) && tried < 50; i++ {
		if reply[i] != '{' {
			continue
		}
		tried++
		var r reported
		if json.NewDecoder(strings.NewReader(reply[i:])).Decode(&r) == nil && len(r.Files) > 0 && r.Files[0].Path != "" {
			return r, true
		}
	}
	return reported{}, false
}

// paragraph is like the function paragraph, for a text that may have short names of commits.
func (t *reportTool) paragraph(s string, max int) string {
	return paragraph(t.d.tools.Scope.WithHashes(s), max)
}

// paragraph cleans a model's text, joins its lines and cuts it to max characters.
func paragraph(s string, max int) string {
	if most := 8 * max; len(s) > most { // a character has 4 bytes at most, and white space is folded
		s = strings.ToValidUTF8(s[:most], "")
	}
	return agent.Abridge(strings.Join(strings.Fields(agent.Clean(s)), " "), max)
}
