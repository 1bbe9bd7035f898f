package locate

import (
	"path"
	"strings"

	"git-agent/agent/source"
)

// luaVersion is the folder of a version of Lua in which LuaRocks installs modules.
var luaVersion = source.Lazy(`^5\.\d/`)

// ofOtherPlugin reports whether a path of a report is in another module of Lua than a tracked file. Plugins of Neovim have their modules
// in a folder lua: filetype.nvim/lua/filetype/init.lua is not lua/fzf-lua/init.lua, nor scripts/init.lua of a tree with such a folder.
func (f *Files) ofOtherPlugin(reported, tracked string) bool {
	if path.Ext(tracked) != ".lua" {
		return false
	}
	its, found := moduleOfLua(reported)
	own, named := moduleOfLua(tracked)
	return found && (named && !strings.EqualFold(its, own) || !named && f.lua)
}

// moduleOfLua returns the first name of the module of a file in a folder lua.
func moduleOfLua(p string) (name string, found bool) {
	const folder = "/lua/"
	i := strings.LastIndex("/"+p, folder)
	if i < 0 {
		return "", false
	}
	name, _, _ = strings.Cut(luaVersion().ReplaceAllString(p[i+len(folder)-1:], ""), "/")
	return strings.TrimSuffix(name, ".lua"), true
}
