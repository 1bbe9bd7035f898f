package doctor

import (
	"context"
	"slices"
	"strings"

	"git-agent/agent/sandbox"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
	"git-agent/gitext/quote"
)

// checkConfig lists each agent.* setting and its origin.
func checkConfig(ctx context.Context, v *visit, repo *gitext.Repo) []finding {
	config, err := repo.Config(ctx)
	if err != nil {
		return []finding{fail("config", "", "%s", ui.FatalText(err))}
	}
	if len(config) == 0 {
		return []finding{ok("config", "nothing is set")}
	}
	var keys []string
	for key := range config {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	level, err := v.Sandbox(ctx)
	confined := err == nil && level != sandbox.None
	var list []finding
	for _, key := range keys {
		for _, value := range config[key] {
			list = append(list, checkSetting(v.Settings, confined, key, value))
		}
	}
	return list
}

func checkSetting(others []Setting, confined bool, key string, v gitconfig.Value) finding {
	value := v.Value
	if strings.Contains(key, "key") || strings.Contains(key, "token") || strings.Contains(key, "secret") {
		value = "(hidden)"
	}
	if isIgnored(others, confined, key, v) {
		return warn("config", "git config --global "+quote.Shell(key)+" <value>", "%s (%s) is ignored: a repository may not set it", key, v.Scope)
	}
	if nearest, unknown := Unknown(others, key); unknown {
		fix := "see CONFIGURATION in 'git agent --help'"
		if nearest != "" {
			fix = "did you mean " + nearest + "? " + fix
		}
		return warn("config", fix, "%s = %s (%s) is no setting and does nothing", key, value, v.Scope)
	}
	if err := checkValue(others, key, v); err != nil && value == v.Value {
		return fail("config", "git config --unset "+scopeOption(v.Scope)+quote.Shell(key), "%v", err)
	}
	return ok("config", "%s = %s (%s)", key, value, v.Scope)
}

// checkValue returns an error for an invalid value of the setting.
func checkValue(others []Setting, key string, v gitconfig.Value) error {
	for _, row := range session.Table {
		if strings.EqualFold(row.Key, key) {
			return row.Check(v)
		}
	}
	for _, row := range others {
		if strings.EqualFold(row.Key, key) && row.Check != nil {
			return row.Check(v)
		}
	}
	return nil
}

// scopeOption returns the option of git config for changing a value of the scope.
func scopeOption(scope string) string {
	switch scope {
	case "system", "global", "local", "worktree":
		return "--" + scope + " "
	}
	return ""
}

// isSetting reports whether the program reads the key.
func isSetting(others []Setting, key string) bool {
	return slices.ContainsFunc(others, func(row Setting) bool { return strings.EqualFold(key, row.Key) }) ||
		slices.ContainsFunc(session.Table, func(row session.Setting) bool { return strings.EqualFold(key, row.Key) })
}

// isIgnored reports whether a value is ignored because a repository may not set
// the key. confined means that a sandbox confines commands.
func isIgnored(others []Setting, confined bool, key string, v gitconfig.Value) bool {
	for _, row := range session.Table {
		if strings.EqualFold(row.Key, key) {
			return !row.Trusts(v)
		}
	}
	userOnly := slices.ContainsFunc(others, func(row Setting) bool {
		return (row.UserOnly || row.Confined && !confined) && strings.EqualFold(key, row.Key)
	})
	return userOnly && !v.Trusted()
}
