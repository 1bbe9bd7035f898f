package locate

import "testing"

// The stack of ibhagwan/fzf-lua#232 has a frame of another plugin.
func TestModulesOfLua(t *testing.T) {
	t.Parallel()
	files := NewFiles([]string{"lua/fzf-lua/previewer/init.lua", "lua/fzf-lua/previewer/builtin.lua", "scripts/init.lua", "plugin/fzf-lua.lua"})
	for reported, want := range map[string]string{
		"....config/nvim/plugged/filetype.nvim/lua/filetype/init.lua":    "",
		"...g/nvim/plugged/fzf-lua/lua/fzf-lua/previewer/builtin.lua":    "lua/fzf-lua/previewer/builtin.lua",
		"...g/nvim/plugged/fzf-lua/lua/fzf-lua/builtin.lua":              "lua/fzf-lua/previewer/builtin.lua", // since moved
		"/srv/x/share/lua/5.1/fzf-lua/previewer/builtin.lua":             "lua/fzf-lua/previewer/builtin.lua",
		"...hare/nvim/site/pack/x/start/fzf-lua/plugin/fzf-lua.lua":      "plugin/fzf-lua.lua",
		"/srv/x/.local/share/nvim/lazy/other.nvim/lua/other/builtin.lua": "",
		"...g/nvim/plugged/fzf-lua/scripts/init.lua":                     "scripts/init.lua",
		"/usr/share/nvim/runtime/lua/vim/lsp/builtin.lua":                "",
	} {
		got := ""
		if paths, _ := files.Find(reported); len(paths) > 0 {
			got = paths[0]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", reported, got, want)
		}
	}
	if paths, _ := NewFiles([]string{"src/filetype/init.lua"}).Find("/opt/x/lua/filetype/init.lua"); len(paths) != 1 {
		t.Errorf("a tree without a folder lua: %q", paths)
	}
}
