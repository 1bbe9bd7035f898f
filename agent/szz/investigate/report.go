package investigate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent"
	"git-agent/agent/szz"
	"git-agent/gitext"
	"git-agent/prompts"
)

// reportName is the name of the tool that the model calls with its answer.
const reportName = "report"

// A reportTool takes the model's answer. It resolves the names of commits and checks the
// claims, and either accepts the answer or explains once what is wrong.
type reportTool struct {
	d        *investigation
	spec     agent.Spec
	rejected bool // the model was told about problems in a report; this is done once
	emptied  bool // the model was told that a report is empty; this is done once
	// precedents are the objections to commits that the model has read. The model may
	// insist: a second report of such a commit is accepted.
	precedents map[gitext.OID]string
	// pending is the last answer that was not accepted. It stands if a limit ends the
	// conversation before the next one.
	pending    []szz.Claim
	objections int
}

var _ agent.Decider = (*reportTool)(nil)

// newReportTool makes the tool of one run. precedents are the objections in the first
// prompt.
func newReportTool(d *investigation, precedents map[gitext.OID]string) (*reportTool, error) {
	p, err := prompts.Get("szz/report")
	if err != nil {
		return nil, err
	}
	if p.Text, err = p.Render(map[string]bool{"Check": d == nil || !d.opt.NoClaimCheck, "Tools": d == nil || !d.opt.NoTools}); err != nil {
		return nil, err
	}
	text := p.Tool()
	schema, err := reportSchema(text.Params)
	return &reportTool{
		d: d, precedents: maps.Clone(precedents),
		spec: agent.Spec{Name: reportName, Description: text.Description, Parameters: schema},
	}, err
}

// reportSchema is strict: every property is required and no other is allowed.
func reportSchema(meaning map[string]string) (json.RawMessage, error) {
	const form = `{"type":"object","properties":{"commits":{"type":"array","description":%s,"items":{"type":"object","properties":{` +
		`"commit":{"type":"string","description":%s},"confidence":{"type":"number","description":%s},` +
		`"type":{"type":"string","description":%s,"enum":%s},"reasoning":{"type":"string","description":%s}},` +
		`"required":["commit","confidence","type","reasoning"],"additionalProperties":false}}},"required":["commits"],"additionalProperties":false}`
	var parts []any
	for _, name := range []string{"commits", "commit", "confidence", "type", "reasoning"} {
		if meaning[name] == "" {
			return nil, fmt.Errorf("parameter %q of %s has no description", name, reportName)
		}
		quoted, err := json.Marshal(meaning[name])
		if err != nil {
			return nil, err
		}
		parts = append(parts, quoted)
	}
	kinds, err := json.Marshal(szz.ClaimTypes)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, form, slices.Insert(parts, 4, any(kinds))...), nil
}

// Spec describes the tool.
func (t *reportTool) Spec() agent.Spec { return t.spec }

// Decides marks the tool as one whose result ends the conversation.
func (t *reportTool) Decides() {}

// Call accepts or refuses an answer. The value of a final result is []szz.Claim.
func (t *reportTool) Call(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	if len(args) > maxReportBytes {
		return agent.Result{}, &agent.CallError{
			Tool: reportName,
			Text: fmt.Sprintf(
				"the report has %d bytes; at most %d are read: name the most probable commits, with a short reason for each",
				len(args),
				maxReportBytes,
			),
		}
	}
	list, err := decodeReport(args)
	if err != nil {
		return agent.Result{}, &agent.CallError{Tool: reportName, Text: err.Error()}
	}
	return t.judge(ctx, list)
}

// Bounds of a report. Ordinary reports name one to five commits.
const (
	maxReported    = 32       // commits
	maxReportBytes = 64 << 10 // of a call
	maxCommitName  = 256      // bytes of the name of a commit
	maxTypeName    = 64       // bytes of the type of a claim
)

// A reported commit is one entry of a report as the model wrote it.
type reported struct {
	Commit     string `json:"commit"`
	Confidence any    `json:"confidence"`
	Type       string `json:"type"`
	Reasoning  string `json:"reasoning"`
}

// A reportedList is the list of a report.
type reportedList []reported

// UnmarshalJSON also reads a string that contains the JSON of the list: models that fill
// in a template of calls write nested values in this form.
func (l *reportedList) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "[") {
		data = []byte(text)
	}
	return json.Unmarshal(data, (*[]reported)(l))
}

// decodeReport reads a report. Besides the form of the schema it reads unambiguous forms
// that models write instead: one commit without the list, a list without the object, and
// a list as a string.
func decodeReport(args []byte) ([]reported, error) {
	var whole struct {
		Commits reportedList `json:"commits"`
		reported
	}
	var err error
	if args = bytes.TrimSpace(args); len(args) > 0 && args[0] == '[' {
		err = json.Unmarshal(args, &whole.Commits)
	} else {
		err = json.Unmarshal(args, &whole)
	}
	if err != nil {
		return nil, fmt.Errorf(
			`the arguments are not of the form {"commits":[{"commit":"<hash>","confidence":0.8,"type":"introduction","reasoning":"..."}]}: %w`,
			err,
		)
	}
	if whole.reported.Commit != "" && len(whole.Commits) == 0 {
		whole.Commits = []reported{whole.reported}
	}
	return whole.Commits, nil
}

// confidence reads 0.8, "0.8", 80 and "80%". Any other value counts as 0.5.
func (r reported) confidence() float64 {
	var x float64
	switch v := r.Confidence.(type) {
	case float64:
		x = v
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "%")), 64)
		if err != nil {
			return 0.5
		}
		x = n
	default:
		return 0.5
	}
	if x > 1 && x <= 100 {
		x /= 100
	}
	if math.IsNaN(x) {
		return 0.5
	}
	return min(max(x, 0), 1)
}

// kind returns the type of the claim, the first of szz.ClaimTypes for an unknown one.
func (r reported) kind() string {
	kind := strings.ToLower(strings.TrimSpace(agent.Abridge(r.Type, maxTypeName)))
	if slices.Contains(szz.ClaimTypes, kind) {
		return kind
	}
	return szz.ClaimTypes[0]
}

// judge accepts a report or explains what is wrong with it. The check of a claim takes
// time, so a report that is too long is refused once, and shortened the next time.
func (t *reportTool) judge(ctx context.Context, list []reported) (agent.Result, error) {
	named := len(list)
	if named > maxReported {
		slices.SortStableFunc(list, func(x, y reported) int { return cmp.Compare(y.confidence(), x.confidence()) })
		list = list[:maxReported]
	}
	claims, problems, err := t.resolve(ctx, list)
	if err != nil {
		return agent.Result{}, err
	}
	if named > maxReported {
		problems = append(problems, fmt.Sprintf("the report names %d commits; name the %d most probable at most", named, maxReported))
	}
	if len(problems) > 0 && !t.rejected {
		t.rejected = true
		if len(claims) > 0 {
			t.pending = claims
		}
		return answer("szz/rejected", problems)
	}
	if len(claims) == 0 {
		if t.emptied || len(list) > 0 {
			return agent.Result{Text: "accepted: no commit\n", Value: []szz.Claim{}, Final: true, Nothing: true}, nil
		}
		t.emptied = true
		return answer("szz/empty", map[string]bool{"Advice": !t.d.opt.NoDomainKnowledge})
	}
	objections, err := t.check(ctx, claims)
	if err != nil {
		return agent.Result{}, err
	}
	if len(objections) > 0 {
		t.pending = claims
		return answer("szz/objection", map[string]any{"Objections": objections, "Advice": !t.d.opt.NoDomainKnowledge})
	}
	return agent.Result{Text: "accepted\n", Value: claims, Final: true}, nil
}

// answer renders a prompt text as an answer of the tool. The conversation continues.
func answer(name string, data any) (agent.Result, error) {
	p, err := prompts.Get(name)
	if err != nil {
		return agent.Result{}, err
	}
	text, err := p.Render(data)
	return agent.Result{Text: text}, err
}

// resolve turns the reported commits into claims, most confidence first. A problem is a
// sentence for the model about a commit that cannot be the culprit.
func (t *reportTool) resolve(ctx context.Context, list []reported) (claims []szz.Claim, problems []string, err error) {
	for _, r := range list {
		oid, err := t.commit(ctx, r.Commit)
		var no *agent.CallError
		if errors.As(err, &no) {
			problems = append(problems, no.Text)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if t.d.fc.Excludes(oid) {
			problems = append(problems, oid.Short()+" did not introduce the bug: the user knows that")
			continue
		}
		c := szz.Claim{Commit: oid, Type: r.kind(), Confidence: r.confidence(), Reasoning: paragraph(r.Reasoning), Checked: t.precedents[oid]}
		if i := slices.IndexFunc(claims, func(o szz.Claim) bool { return o.Commit == oid }); i >= 0 {
			claims[i].Confidence = max(claims[i].Confidence, c.Confidence)
			continue
		}
		claims = append(claims, c)
	}
	slices.SortStableFunc(claims, func(a, b szz.Claim) int {
		switch {
		case a.Confidence > b.Confidence:
			return -1
		case a.Confidence < b.Confidence:
			return 1
		}
		return 0
	})
	return claims, problems, nil
}

// commit resolves the name of a commit. A *agent.CallError is for the model.
func (t *reportTool) commit(ctx context.Context, text string) (gitext.OID, error) {
	if len(text) > maxCommitName {
		return "", &agent.CallError{Tool: reportName, Text: fmt.Sprintf("the name of a commit has %d bytes; give its hash", len(text))}
	}
	if strings.TrimSpace(text) == "" {
		return "", &agent.CallError{Tool: reportName, Text: "a commit is empty; give its hash"}
	}
	oid, err := t.d.scope.Resolve(ctx, t.d.repo, reportName, text)
	if err == nil && t.d.repo.ShallowBoundary()[oid] {
		return "", &agent.CallError{
			Tool: reportName,
			Text: fmt.Sprintf("%s is where this clone ends; what it seems to have written may be older", oid.Short()),
		}
	}
	return oid, err
}

// maxReasoning bounds the kept part of a model's reasoning, in runes.
const maxReasoning = 1200

// paragraph cleans a model's text, puts it on one line and bounds it.
func paragraph(s string) string {
	const most = 8 * maxReasoning // bytes: a character has 4 at most, and white space is folded
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return agent.Abridge(strings.Join(strings.Fields(agent.Clean(s)), " "), maxReasoning)
}

// check returns objections to claims: the precedents that the model has not read yet.
// After the time of the run is over, it leaves the other claims unchecked.
func (t *reportTool) check(ctx context.Context, claims []szz.Claim) ([]string, error) {
	if t.d.opt.NoClaimCheck {
		return nil, nil
	}
	var objections []string
	for _, c := range claims {
		if t.precedents[c.Commit] != "" {
			continue
		}
		before, err := t.d.findPrecedent(ctx, c.Commit)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return objections, nil
		}
		if err != nil {
			return nil, err
		}
		if before == nil {
			continue
		}
		t.precedents[c.Commit] = before.describe(c.Commit.Short(), t.d.redact)
		t.objections++
		objections = append(objections, t.precedents[c.Commit])
	}
	return objections, nil
}
