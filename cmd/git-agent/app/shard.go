package app

import (
	"git-agent/agent/shard"
)

// ShardFlags are the options that make a verb work on a part of its cases and keep the results in
// a plain file.
type ShardFlags struct {
	Shard   string `placeholder:"<i>/<n>" help:"work only on the <i>th of <n> equal parts, counted from 1; needs --journal"`
	Journal string `placeholder:"<file>" kind:"path" help:"keep the results in <file>, continue from those that are there, and let eval merge join the files of all parts"`

	Part shard.Shard `kong:"-"`
}

// CheckShard parses the shard; the default is the whole.
func (f *ShardFlags) CheckShard() (err error) {
	f.Part = shard.Whole
	if f.Shard == "" {
		return nil
	}
	if f.Part, err = shard.Parse(f.Shard); err != nil {
		return Usagef("--shard: %v", err)
	}
	if f.Journal == "" {
		return Usagef("--shard needs --journal=<file>, a file of its own for each shard")
	}
	return nil
}
