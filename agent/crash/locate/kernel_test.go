package locate

import (
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// A function of the kernel is not one of a repository of modules, and a function of another system is
// none of the report's. The stacks are those of openzfs/zfs, fa254605385c and 4d5aef3ba919.
func TestKernelOfModules(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	files := gittest.Files{
		"module/os/freebsd/spl/spl_kmem.c":        "void\nkmem_cache_destroy(kmem_cache_t *cache)\n{\n}\n",
		"module/zfs/refcount.c":                   "void\nzfs_refcount_fini(void)\n{\n}\n",
		"lib/libzfs/os/freebsd/libzfs_zmount.c":   "int\ndo_mount(zfs_handle_t *zhp)\n{\n}\n",
		"module/os/linux/spl/spl-kmem-cache.c":    "void\nspl_kmem_cache_destroy(spl_kmem_cache_t *skc)\n{\n}\n",
		"module/os/linux/zfs/spl_only.c":          "int\nvfs_get_tree(void)\n{\n}\n",
		"module/os/freebsd/spl/only_in_freebsd.c": "int\nfreebsd_only(void)\n{\n}\n",
	}
	want := map[string]string{
		"kmem_cache_destroy": "", "spl_kmem_cache_destroy": "module/os/linux/spl/spl-kmem-cache.c", "zfs_refcount_fini": "module/zfs/refcount.c",
		"do_mount": "", "vfs_get_tree": "", "freebsd_only": "",
	}
	report := func() *crash.Report {
		return &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "kernel", Frames: []crash.Frame{
			{Function: "dump_stack"}, {Function: "kmem_cache_destroy"}, {Function: "spl_kmem_cache_destroy", Module: "spl"},
			{Function: "zfs_refcount_fini", Module: "zfs"}, {Function: "freebsd_only", Module: "zfs"}, {Function: "vfs_get_tree"}, {Function: "do_mount"},
			{Function: "do_syscall_64"},
		}}}}
	}
	for _, tree := range []string{"modules", "kernel"} {
		if tree == "kernel" { // which has such functions itself
			files["Kbuild"] = "obj-y += module/\n"
			want["vfs_get_tree"] = "module/os/linux/zfs/spl_only.c"
		}
		tip := h.Commit(tree, files)
		r := report()
		if _, err := Locate(t.Context(), h.Open(), tip, r); err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Stacks[0].Frames {
			if f.Path != want[f.Function] {
				t.Errorf("%s: %s: %q, want %q", tree, f.Function, f.Path, want[f.Function])
			}
		}
	}
}
