package evalcmd

import (
	"slices"

	"git-agent/agent/eval"
	"git-agent/cmd/git-agent/app"
)

// choose completes a list of algorithms: if it is empty, by the offline one or, with the engine
// agent or an ablation, by the agent; and by the parts of an ablation.
func choose(list []string, offline, engine string, ablation bool, parts []string, isAgent func(string) bool) []string {
	if len(list) == 0 {
		list = []string{offline}
		if engine == "agent" || ablation {
			list = []string{eval.WholeAgent}
		}
	}
	if engine == "agent" && !slices.ContainsFunc(list, isAgent) {
		list = append([]string{eval.WholeAgent}, list...)
	}
	if !ablation {
		return list
	}
	for _, name := range parts {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// checkModel returns an error for options about a model that make no sense together. asks says that
// an algorithm asks a model, and used that there are options for one.
func (f *evalFlags) checkModel(verb, engine, calibrate, calibration string, asks, used bool) error {
	switch {
	case asks && engine == "offline":
		return app.Usagef("--engine=offline asks no model, but the algorithm agent needs one")
	case calibrate != "" && f.Journal != "":
		return app.Usagef(
			"--calibrate needs all answers: join the journals with git agent eval merge --run=<name>, then use eval %s --run=<name> --calibrate", verb,
		)
	case calibrate != "" && (calibration != "" || f.Compare):
		return app.Usagef("--calibrate goes with neither --calibration nor --compare")
	case calibrate != "" && len(f.Cases) > 0 && !asks:
		return app.Usagef("no algorithm asks a model, and --calibrate is for a model's probabilities; add --engine=agent")
	case len(f.Cases) > 0 && !asks && used:
		return app.Usagef("no algorithm asks a model, but there are options for one; add --engine=agent")
	}
	return nil
}
