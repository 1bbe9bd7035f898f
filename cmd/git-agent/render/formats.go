package render

import (
	"reflect"

	"git-agent/cmd/git-agent/schema"
)

// AnswerForm is the form of an answer of szz.
func AnswerForm() schema.Format {
	return schema.Format{Name: "szz", Title: "git agent szz --json: the commits behind one fix", ID: AnswerSchema, Type: reflect.TypeFor[AnswerJSON]()}
}

// CrashForm is the form of an answer of crash.
func CrashForm() schema.Format {
	return schema.Format{Name: "crash", Title: "git agent crash --json: the files and commits behind one report", ID: crashSchema, Type: reflect.TypeFor[CrashAnswerJSON]()}
}

// FixForm is the form of an answer of fix.
func FixForm() schema.Format {
	return schema.Format{Name: "fix", Title: "git agent fix --json: the patches of one bug", ID: fixSchema, Type: reflect.TypeFor[FixAnswerJSON]()}
}

// BisectForm is the form of an answer of bisect.
func BisectForm() schema.Format {
	return schema.Format{Name: "bisect", Title: "git agent bisect --json: the commit since which a command fails", ID: bisectSchema, Type: reflect.TypeFor[BisectJSON]()}
}

// CheckListForm is the form of all findings about trailers.
func CheckListForm() schema.Format {
	return schema.Format{Name: "check-list", Title: "the MCP tool szz_check: all findings about trailers", ID: checkListSchema, Type: reflect.TypeFor[CheckListJSON]()}
}

// RiskForm is the form of what history shows about a change.
func RiskForm() schema.Format {
	return schema.Format{Name: "risk", Title: "git agent szz --risk --json: what history shows about one change", ID: riskSchema, Type: reflect.TypeFor[RiskJSON]()}
}

// StatForm is the form of the sums of culprits.
func StatForm() schema.Format {
	return schema.Format{Name: "stat", Title: "git agent szz --stat --json: the sums of the culprits of many fixes", ID: statSchema, Type: reflect.TypeFor[StatJSON]()}
}

// Formats returns all forms that this package writes.
func Formats() []schema.Format {
	return []schema.Format{
		AnswerForm(),
		{Name: "check", Title: "git agent szz --check --json: one finding about a trailer", ID: checkSchema, Type: reflect.TypeFor[checkJSON]()},
		CheckListForm(),
		RiskForm(),
		StatForm(),
		{Name: "affected", Title: "git agent szz --affected --json: the releases that have one bug", ID: affectedSchema, Type: reflect.TypeFor[AffectedJSON]()},
		FixForm(),
		CrashForm(),
		{Name: "crash-groups", Title: "git agent crash --group --json: the groups of all reports", ID: crashGroupsSchema, Type: reflect.TypeFor[CrashGroupsJSON]()},
		BisectForm(),
		{Name: "trace", Title: "git agent trace show --json: one step of a recorded run", ID: traceSchema, Variants: []schema.Variant{
			{Kind: "run", Type: reflect.TypeFor[traceRun]()},
			{Kind: "opening", Type: reflect.TypeFor[traceOpening]()},
			{Kind: "turn", Type: reflect.TypeFor[traceTurn]()},
			{Kind: "call", Type: reflect.TypeFor[traceCall]()},
			{Kind: "said", Type: reflect.TypeFor[traceSaid]()},
			{Kind: "removed", Type: reflect.TypeFor[traceNote]()},
			{Kind: "note", Type: reflect.TypeFor[traceNote]()},
			{Kind: "end", Type: reflect.TypeFor[traceEnd]()},
		}},
		{Name: "trace-list", Title: "git agent trace list --json: one recorded run", ID: traceListSchema, Type: reflect.TypeFor[TraceRow]()},
	}
}
