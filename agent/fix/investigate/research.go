package investigate

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/fixtool"
	"git-agent/agent/session"
	"git-agent/prompts"
)

// A memory holds the tools' answers in an analysis, by number. It follows Code Researcher's
// structured context memory of actions and results.
type memory struct {
	mu      sync.Mutex
	entries []entry
}

type entry struct {
	action string // the call, in the form for a reader
	result string
	closed bool
}

// add keeps an answer and returns its number.
func (m *memory) add(action, result string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries = append(m.entries, entry{action: action, result: result})
	return len(m.entries)
}

// close drops an answer. It reports whether there was an answer with the number.
func (m *memory) close(number int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if number < 1 || number > len(m.entries) {
		return false
	}
	m.entries[number-1].closed = true
	return true
}

// maxFindings bounds the answers in the first message of a repair, in characters.
const maxFindings = 16000

// text returns the answers with some numbers, or the newest ones if keep is empty.
func (m *memory) text(keep []int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(keep) == 0 {
		for n := len(m.entries); n >= 1; n-- {
			keep = append(keep, n)
		}
	}
	var b strings.Builder
	seen := map[int]bool{}
	for _, n := range keep {
		if n < 1 || n > len(m.entries) || m.entries[n-1].closed || seen[n] {
			continue
		}
		seen[n] = true
		e := m.entries[n-1]
		text := "## " + e.action + "\n" + strings.TrimRight(e.result, "\n") + "\n\n"
		if b.Len()+len(text) > maxFindings {
			text = agent.Abridge(text, max(maxFindings-b.Len(), 0)) + "\n\n"
		}
		b.WriteString(text)
		if b.Len() >= maxFindings {
			break
		}
	}
	return b.String()
}

// A rememberedTool keeps the answers of a tool, and shows their numbers to the model.
// Its calls run in order, so that a resumed run gives the same numbers.
type rememberedTool struct {
	agent.Tool
	m *memory
}

var _ agent.Stateful = rememberedTool{}

// Call answers a call and keeps the answer.
func (t rememberedTool) Call(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	res, err := t.Tool.Call(ctx, args)
	if err != nil {
		return res, err
	}
	n := t.m.add(t.action(args), res.Text)
	res.Text = fmt.Sprintf("[%d]\n%s", n, res.Text)
	return res, nil
}

// Resume keeps the recorded answer.
func (t rememberedTool) Resume(_ context.Context, args json.RawMessage, recorded agent.CallResult) error {
	if head, text, ok := strings.Cut(recorded.Text, "]\n"); ok && strings.HasPrefix(head, "[") {
		t.m.add(t.action(args), text)
	}
	return nil
}

// action writes a call for a reader: name and arguments.
func (t rememberedTool) action(args json.RawMessage) string {
	return agent.Shorten(agent.CleanLine(t.Spec().Name+" "+string(args)), 300)
}

// findings is the result of an analysis.
type findings struct {
	Hypothesis string `json:"hypothesis"`
	Plan       string `json:"plan"`
	Keep       []int  `json:"keep"`
}

// text returns the findings in the form for the repair.
func (f findings) text(m *memory) string {
	var b strings.Builder
	if f.Hypothesis != "" {
		b.WriteString("Hypothesis: " + f.Hypothesis + "\n")
	}
	if f.Plan != "" {
		b.WriteString("Plan: " + f.Plan + "\n")
	}
	return b.String() + "\n" + m.text(f.Keep)
}

// doneTool ends an analysis.
type doneTool struct {
	spec agent.Spec
	args agent.Args[doneArgs]
}

type doneArgs struct {
	Hypothesis string `json:"hypothesis" arg:"required"`
	Plan       string `json:"plan"`
	Keep       string `json:"keep"`
}

var _ agent.Decider = (*doneTool)(nil)

func (t *doneTool) Spec() agent.Spec { return t.spec }

// Decides marks the tool as one whose result ends the conversation.
func (t *doneTool) Decides() {}

// Call ends the analysis.
func (t *doneTool) Call(_ context.Context, args json.RawMessage) (agent.Result, error) {
	var p doneArgs
	if err := t.args.Decode(t.spec.Name, args, &p); err != nil {
		return agent.Result{}, err
	}
	f := findings{Hypothesis: agent.Clean(p.Hypothesis), Plan: agent.Clean(p.Plan), Keep: numbersIn(p.Keep)}
	return agent.Result{Text: "The analysis has ended.", Value: f, Final: true}, nil
}

// numbersIn returns the numbers in a text, in order.
func numbersIn(text string) []int {
	var list []int
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(word); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// closeTool drops an answer from the memory.
type closeTool struct {
	spec agent.Spec
	args agent.Args[closeArgs]
	m    *memory
}

type closeArgs struct {
	Number int `json:"number" arg:"required,min=1"`
}

var _ agent.Stateful = (*closeTool)(nil)

func (t *closeTool) Spec() agent.Spec { return t.spec }

// Call drops the answer.
func (t *closeTool) Call(_ context.Context, args json.RawMessage) (agent.Result, error) {
	var p closeArgs
	if err := t.args.Decode(t.spec.Name, args, &p); err != nil {
		return agent.Result{}, err
	}
	if !t.m.close(p.Number) {
		return agent.Result{}, &agent.CallError{Tool: t.spec.Name, Text: fmt.Sprintf("no answer has the number %d", p.Number)}
	}
	return agent.Result{Text: fmt.Sprintf("[%d] is dropped.", p.Number)}, nil
}

// Resume drops the answer again.
func (t *closeTool) Resume(_ context.Context, args json.RawMessage, _ agent.CallResult) error {
	var p closeArgs
	if t.args.Decode(t.spec.Name, args, &p) == nil {
		t.m.close(p.Number)
	}
	return nil
}

// analyse makes the analysis of the k-th trajectory, and returns its findings as text for the
// repair.
func (w *work) analyse(
	ctx context.Context,
	k int,
	kinds []fix.Heuristic,
	box *fixtool.Box,
	listen func(agent.Event),
) (run fix.Run, found string, endsAll bool, err error) {
	loop, err := w.emptyLoop(w.journalOf(k, fix.PhaseAnalysis), "analysis_end")
	if err != nil {
		return run, "", false, err
	}
	m := &memory{}
	if loop.Tools, err = analysisTools(box, m); err != nil {
		return run, "", false, err
	}
	text, err := prompts.Get("fix/analysis")
	if err != nil {
		return run, "", false, err
	}
	loop.OnEvent = listen
	if loop.System, err = text.Render(map[string]any{"History": len(kinds) > 0}); err != nil {
		return run, "", false, err
	}
	if loop.Prompt, err = w.casePrompt(ctx, caseParts{kinds: kinds, analysis: true}); err != nil {
		return run, "", false, err
	}
	out, endsAll, err := session.Converse(ctx, loop)
	if err != nil {
		return run, "", endsAll, err
	}
	run = fix.Run{RunReport: out.Report(0), Phase: fix.PhaseAnalysis, History: kinds}
	f := findings{Hypothesis: textOf(out)}
	if data, ok := out.Final.Value.(json.RawMessage); ok && json.Unmarshal(data, &f) == nil {
		run.Claim = fix.Claim{Explanation: f.Plan, RootCause: f.Hypothesis}
	}
	return run, f.text(m), endsAll, nil
}

// analysisTools returns the tools of an analysis: the read-only tools of the box,
// close_definition and done.
func analysisTools(box *fixtool.Box, m *memory) ([]agent.Tool, error) {
	var tools []agent.Tool
	for _, t := range box.Reading() {
		tools = append(tools, rememberedTool{t, m})
	}
	closing := &closeTool{m: m}
	if err := describe("close_definition", agent.DeedRead, &closing.spec, &closing.args); err != nil {
		return nil, err
	}
	done := &doneTool{}
	if err := describe("done", agent.DeedAnswer, &done.spec, &done.args); err != nil {
		return nil, err
	}
	return append(tools, closing, done), nil
}

// describe fills in the spec and the arguments of a tool from its text in prompts/fix.
func describe[P any](name string, deed agent.Deed, spec *agent.Spec, args *agent.Args[P]) error {
	p, err := prompts.Get("fix/" + name)
	if err != nil {
		return err
	}
	text := p.Tool()
	if *args, err = agent.NewArgs[P](text.Params); err != nil {
		return err
	}
	*spec = agent.Spec{Name: name, Description: text.Description, Parameters: args.Schema, Deed: deed}
	return nil
}
