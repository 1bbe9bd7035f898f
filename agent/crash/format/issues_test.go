package format

import "testing"

func init() { samples = append(samples, issueSamples...) }

func TestIssueSamples(t *testing.T) { testSamples(t, issueSamples) }

var issueSamples = []sample{
	{
		name: "a line of PHP's log that is code of Markdown as a whole",
		from: "siteorigin/so-widgets-bundle#1959",
		text: "`[18-Apr-2024 20:28:46 UTC] PHP Fatal error:  Uncaught TypeError: Cannot access offset of type string on string in widgets/blog/blog.php:937`\n",
		want: `! TypeError
php crash of 0
   widgets/blog/blog.php:937
`,
	},
	{
		name: "a line of Ruby that is code of Markdown as a whole, and the rest of its stack",
		from: "venmo/synx#52",
		text: "`/gems/synx-0.0.52/lib/synx/abstract_object.rb:18:in 'work_pathname': undefined method '[]' for nil:NilClass (NoMethodError)`\n\n" +
			"    from /gems/synx-0.0.52/lib/synx/pbx_variant_group.rb:18:in `sync'\n",
		want: `! NoMethodError
ruby crash of 0
  work_pathname /gems/synx-0.0.52/lib/synx/abstract_object.rb:18
  sync /gems/synx-0.0.52/lib/synx/pbx_variant_group.rb:18
`,
	},
	{
		name: "a frame of Mono in App Center",
		from: "SkyLabs-Innovation-Group/SkyDrop#84",
		text: `### Stacktrace ###

SkyDrop.Core.Services.ApiService..ctor (SkyDrop.ILog log) [0x00031] in /Volumes/x/SkyDrop/src/SkyDrop.Core/Services/ApiService.cs:24;SkyDrop.Core.Services.ApiService

### Reason ###

System.ArgumentOutOfRangeException: Specified argument was out of the range of valid values.
`,
		want: `! System.ArgumentOutOfRangeException
dotnet crash of 0
  SkyDrop.Core.Services.ApiService..ctor /Volumes/x/SkyDrop/src/SkyDrop.Core/Services/ApiService.cs:24
`,
	},
	{
		name: "a callback of Neovim that failed without a stack",
		from: "hrsh7th/nvim-compe#112",
		text: "Error executing vim.schedule lua callback: ....config/nvim/plugged/nvim-compe/lua/compe/completion.lua:247: attempt to index a nil value\n",
		want: `! error
lua crash of 0
   ....config/nvim/plugged/nvim-compe/lua/compe/completion.lua:247
`,
	},
	{
		name: "a callback of Neovim that failed with a stack",
		from: "lmburns/lf.nvim#2",
		text: "``Error executing vim.schedule lua callback: ...hare/nvim/site/pack/packer/start/lf.nvim/lua/lf/main.lua:265: attempt to index upvalue 'fs' (a nil value)\n" +
			`stack traceback:
        ...hare/nvim/site/pack/packer/start/lf.nvim/lua/lf/main.lua:265: in function ''
        vim/_editor.lua: in function ''
`,
		want: `! error
lua crash of 0
   ...hare/nvim/site/pack/packer/start/lf.nvim/lua/lf/main.lua:265
`,
	},
	{
		name: "an exception of Ruby behind its message",
		from: "openSUSE/osem#430",
		text: "undefined method `values' for nil:NilClass (NoMethodError)\n  /srv/releases/30/app/models/commercial.rb:8:in`class:Commercial'\n",
		want: `! NoMethodError
ruby crash of 0
  class:Commercial /srv/releases/30/app/models/commercial.rb:8
`,
	},
	{
		name: "an exception of Ruby before a dash",
		from: "openaustralia/morph#859",
		text: "# NoMethodError - undefined method `empty?&#39; for nil:NilClass\n\n## Backtrace\n\n" +
			"    line 83 of [PROJECT_ROOT]/app/controllers/scrapers_controller.rb: scraperwiki\n",
		want: `! NoMethodError
ruby crash of 0
  scraperwiki [PROJECT_ROOT]/app/controllers/scrapers_controller.rb:83
`,
	},
	{
		name: "a failure of Neovim that names another one, wrapped",
		from: "ibhagwan/fzf-lua#232",
		text: `Error executing vim.schedule lua callback: ...g/nvim/plugged/fzf-lua/lua/fzf-lua/previewer/builtin.lua:379: Error executing lua: ...plugged/fzf-lua/builtin.l
ua:380: Vim(lua):E5108: Error executing lua ....config/nvim/plugged/filetype.nvim/lua/filetype/init.lua:183: attempt to index upvalue 'custom_map' (a nil value)
stack traceback:
        ....config/nvim/plugged/filetype.nvim/lua/filetype/init.lua:183: in function 'resolve'
        [C]: in function 'cmd'
`,
		want: `! error
lua crash of 0
  resolve ....config/nvim/plugged/filetype.nvim/lua/filetype/init.lua:183
  cmd ([C])
`,
	},
}
