package format

import "testing"

func init() { samples = append(samples, kernelSamples...) }

func TestKernelSamples(t *testing.T) { testSamples(t, kernelSamples) }

var kernelSamples = []sample{
	{
		name: "KASAN, decoded by the kernel's script",
		from: "multipath-tcp/mptcp_net-next#433",
		text: `[ 1502.520319][T14140] ==================================================================
[1502.527398][T14140] BUG: KASAN: slab-use-after-free in kernfs_test_super (fs/kernfs/mount.c:286) 
[ 1502.534436][T14140] Read of size 8 at addr ffff88800853aa88 by task ip/14140
[ 1502.541084][T14140] 
[ 1502.543122][T14140] CPU: 1 PID: 14140 Comm: ip Tainted: G                 N 6.5.0-g7088bf643393 #1
[ 1502.550591][T14140] Hardware name: QEMU Standard PC (i440FX + PIIX, 1996), BIOS 1.15.0-1 04/01/2014
[ 1502.558322][T14140] Call Trace:
[ 1502.561155][T14140]  <TASK>
[1502.563628][T14140] dump_stack_lvl (lib/dump_stack.c:107) 
[1502.567645][T14140] print_address_description.constprop.0 (mm/kasan/report.c:365) 
[1502.573319][T14140] ? kernfs_test_super (fs/kernfs/mount.c:286) 
[1502.577712][T14140] print_report (mm/kasan/report.c:476) 
[1502.586379][T14140] kasan_report (mm/kasan/report.c:590) 
`,
		want: `build 7088bf643393 6.5.0-g7088bf643393
! slab-use-after-free read 0xffff88800853aa88
kernel crash of 0
  kernfs_test_super fs/kernfs/mount.c:286
kernel crash of 0
  dump_stack_lvl lib/dump_stack.c:107
  print_address_description mm/kasan/report.c:365
  print_report mm/kasan/report.c:476
  kasan_report mm/kasan/report.c:590
`,
	},
	{
		name: "KASAN, decoded by syzkaller",
		from: "google/syzkaller pkg/report/testdata/linux/guilty/28",
		text: `BUG: KASAN: use-after-free in constant_test_bit arch/x86/include/asm/bitops.h:325 [inline]
BUG: KASAN: use-after-free in work_is_static_object+0x39/0x40 kernel/workqueue.c:443
Read of size 8 at addr ffff8801beca5788 by task syz-executor2/12922
CPU: 0 PID: 12922 Comm: syz-executor2 Not tainted 4.15.0-rc5+ #178
Call Trace:
 __dump_stack lib/dump_stack.c:17 [inline]
 dump_stack+0x194/0x257 lib/dump_stack.c:53
 print_address_description+0x73/0x250 mm/kasan/report.c:252
Allocated by task 12922:
 save_stack+0x43/0xd0 mm/kasan/kasan.c:447
 set_track mm/kasan/kasan.c:459 [inline]
 kasan_kmalloc+0xad/0xe0 mm/kasan/kasan.c:551
Freed by task 12929:
 save_stack+0x43/0xd0 mm/kasan/kasan.c:447
 set_track mm/kasan/kasan.c:459 [inline]
 kasan_slab_free+0x71/0xc0 mm/kasan/kasan.c:524
`,
		want: `build 4.15.0-rc5+
! use-after-free read 0xffff8801beca5788
kernel crash of 0
  constant_test_bit arch/x86/include/asm/bitops.h:325 inline
kernel crash of 0
  work_is_static_object kernel/workqueue.c:443
kernel crash of 0
  __dump_stack lib/dump_stack.c:17 inline
  dump_stack lib/dump_stack.c:53
  print_address_description mm/kasan/report.c:252
kernel allocated by of 0
  save_stack mm/kasan/kasan.c:447
  set_track mm/kasan/kasan.c:459 inline
  kasan_kmalloc mm/kasan/kasan.c:551
kernel freed by of 0
  save_stack mm/kasan/kasan.c:447
  set_track mm/kasan/kasan.c:459 inline
  kasan_slab_free mm/kasan/kasan.c:524
`,
	},
	{
		name: "null pointer",
		from: "multipath-tcp/mptcp#461",
		text: `[142248.500615] BUG: kernel NULL pointer dereference, address: 0000000000000078
[142248.500619] #PF: supervisor read access in kernel mode
[142248.500620] #PF: error_code(0x0000) - not-present page
[142248.500623] Oops: 0000 [#1] SMP
[142248.500624] CPU: 2 PID: 3166 Comm: tokio-runtime-w Tainted: P           O      5.4.181+ #1
[142248.500629] RIP: 0010:tcp_v4_send_reset+0x1d7/0xa90
[142248.500632] RSP: 0018:ffff8884ea47fa80 EFLAGS: 00010246
`,
		want: `build 5.4.181+
! kernel NULL pointer dereference 0000000000000078 null
kernel crash of 0
  tcp_v4_send_reset
`,
	},
	{
		name: "null pointer, unsure frames, registers again",
		from: "Open-CAS/standalone-linux-io-tracer#37 and Aquantia/AQtion#32",
		text: `BUG: unable to handle kernel NULL pointer dereference at 000000000000000a
IP: [<ffffffffc0841d99>] octf_trace_push+0x19/0x240 [iotrace]
Oops: 0000 [#1] SMP 
Call Trace:
 ? rtnl_calcit.isra.0+0x130/0x130
 ? netlink_rcv_skb+0x55/0x100
---[ end trace 196d18386545eae1 ]---
RIP: 0010:octf_trace_push+0x19/0x240
`,
		want: `! kernel NULL pointer dereference 000000000000000a null
kernel crash of 0
  octf_trace_push (iotrace)
  rtnl_calcit
  netlink_rcv_skb
`,
	},
	{
		name: "UBSAN in the journal",
		from: "Mange/rtl8192eu-linux-driver#334",
		text: `Jan 18 14:36:32 hostname kernel: ================================================================================
Jan 18 14:36:32 hostname kernel: UBSAN: array-index-out-of-bounds in /var/lib/dkms/rtl8192eu/1.0/build/core/rtw_wlan_util.c:1920:34
Jan 18 14:36:32 hostname kernel: index 2 is out of range for type 'u8 [1]'
Jan 18 14:36:32 hostname kernel: CPU: 14 PID: 2591 Comm: wpa_supplicant Tainted: P           OE      6.5.0-14-generic #14~22.04.1-Ubuntu
Jan 18 14:36:32 hostname kernel: Call Trace:
Jan 18 14:36:32 hostname kernel:  <TASK>
Jan 18 14:36:32 hostname kernel:  dump_stack_lvl+0x48/0x70
Jan 18 14:36:32 hostname kernel:  dump_stack+0x10/0x20
Jan 18 14:36:32 hostname kernel:  __ubsan_handle_out_of_bounds+0xc6/0x110
Jan 18 14:36:32 hostname kernel:  HT_caps_handler+0x240/0x300 [8192eu]
Jan 18 14:36:32 hostname kernel:  ? nl80211_calculate_ap_params+0x1fc/0x320 [cfg80211]
Jan 18 14:36:32 hostname kernel:  nl80211_start_ap+0x821/0xa90 [cfg80211]
`,
		want: `build 6.5.0-14-generic
! array-index-out-of-bounds
kernel crash of 0
   /var/lib/dkms/rtl8192eu/1.0/build/core/rtw_wlan_util.c:1920
kernel crash of 0
  dump_stack_lvl
  dump_stack
  __ubsan_handle_out_of_bounds
  HT_caps_handler (8192eu)
  nl80211_start_ap (cfg80211)
`,
	},
	{
		name: "protection fault with functions put inline",
		from: "multipath-tcp/mptcp_net-next#104 and torvalds/linux#487",
		text: `general protection fault, probably for non-canonical address 0xdffffc0000044762: 0000 [#1] SMP KASAN
KASAN: probably user-memory-access in range [0x0000000000223b10-0x0000000000223b17]
CPU: 1 PID: 2183 Comm: kworker/1:3 Not tainted 5.10.0-rc6 #52
Workqueue: events mptcp_worker
RIP: 0010:compound_head include/linux/page-flags.h:185 [inline]
RIP: 0010:put_page include/linux/mm.h:1180 [inline]
RIP: 0010:__skb_frag_unref include/linux/skbuff.h:3024 [inline]
RIP: 0010:skb_release_data+0x217/0x7c0 net/core/skbuff.c:609
Code: 8e ec 00 00 00 e8 29 3f d9 fe 48 89 d8 48 c1 e8 03 42 80 3c 30 00 0f 85 bd 04 00 00 48 8b 2b 48 8d 7d 08 48 89 f8 48 c1 e8 03 <42> 80 3c 30 00 0f 85 da 04 00 00 48 8b 45 08 31 ff 49 89 c4 48 89
RSP: 0018:ffffc90000140858 EFLAGS: 00010202
Call Trace:
 ip6_make_skb+0x282/0x530 net/ipv6/ip6_output.c:1729
 sock_sendmsg_nosec net/socket.c:633 [inline]
 inet_sendmsg+0x11f/0x5e0 net/ipv4/af_inet.c:762
`,
		want: `build 5.10.0-rc6
! general protection fault 0xdffffc0000044762
kernel crash of 0
  compound_head include/linux/page-flags.h:185 inline
  put_page include/linux/mm.h:1180 inline
  __skb_frag_unref include/linux/skbuff.h:3024 inline
  skb_release_data net/core/skbuff.c:609
  ip6_make_skb net/ipv6/ip6_output.c:1729
  sock_sendmsg_nosec net/socket.c:633 inline
  inet_sendmsg net/ipv4/af_inet.c:762
`,
	},
	{
		name: "arm",
		from: "derf/feh#574 and raspberrypi/linux#3494",
		text: `Jan 15 18:51:07 4GB kernel: [435222.430121] Unable to handle kernel NULL pointer dereference at virtual address 0000000c
Jan 15 18:51:07 4GB kernel: [135992.726715] Internal error: Oops: 17 [#2] ARM
Jan 15 18:51:07 4GB kernel: [135992.726890] PC is at seq_vprintf+0x18/0x64
Jan 15 18:51:07 4GB kernel: [135992.726903] LR is at seq_printf+0x3c/0x5c
Jan 15 18:51:07 4GB kernel: [135992.726912] pc : [<c01f3218>]    lr : [<c01f32a0>]    psr: 60000013
Jan 15 18:51:07 4GB kernel: [435222.430121] 3fe0: 00000000 00000000 00000000 00000000 00000013 00000000 00000000 00000000
Jan 15 18:51:07 4GB kernel: [435222.430149] [<c0269b80>] (__wake_up_common) from [<c0269eb8>] (__wake_up_common_lock+0x84/0x108)
Jan 15 18:51:07 4GB kernel: [435222.430171] [<c0269eb8>] (__wake_up_common_lock) from [<c0269f60>] (__wake_up+0x24/0x2c)
Jan 15 18:51:07 4GB kernel: [435222.430317] [<c084cfa0>] (sock_def_wakeup) from [<bfa0e748>] (l2cap_sock_teardown_cb+0x120/0x124 [bluetooth])
`,
		want: `! kernel NULL pointer dereference 0000000c null
kernel crash of 0
  seq_vprintf
  __wake_up_common
  __wake_up_common_lock
  __wake_up
  l2cap_sock_teardown_cb (bluetooth)
`,
	},
	{
		name: "arm64",
		from: "google/syzkaller pkg/report/testdata/linux/report/524",
		text: `[  211.592905][    T1] Internal error: synchronous external abort: 96000010 [#1] PREEMPT SMP
[  211.594621][    T1] Dumping ftrace buffer:
[  211.596062][    T1]    (ftrace buffer empty)
[  211.596883][    T1] Modules linked in:
[  211.598101][    T1] CPU: 0 PID: 1 Comm: swapper/0 Not tainted 5.9.0-12994-gf9893351acae #11
[  211.598861][    T1] Hardware name: linux,dummy-virt (DT)
[  211.599762][    T1] pstate: 40000005 (nZcv daif -PAN -UAO -TCO BTYPE=--)
[  211.600602][    T1] pc : __raw_readb+0x18/0x2c
[  211.601220][    T1] lr : __raw_readb+0x18/0x2c
[  211.616071][    T1]  __raw_readb+0x18/0x2c
[  211.616694][    T1]  logic_inb+0x50/0x13c
[  211.617265][    T1]  ns558_init+0x17c/0x63c
[  211.617822][    T1]  do_one_initcall+0x294/0x61c
[  211.618467][    T1]  kernel_init_freeable+0x790/0x798
[  211.619101][    T1]  kernel_init+0x18/0x1d4
[  211.619667][    T1]  ret_from_fork+0x10/0x30
`,
		want: `build f9893351acae 5.9.0-12994-gf9893351acae
! Internal error
kernel crash of 0
  __raw_readb
  logic_inb
  ns558_init
  do_one_initcall
  kernel_init_freeable
  kernel_init
  ret_from_fork
`,
	},
	{
		name: "powerpc",
		from: "google/syzkaller pkg/report/testdata/linux/report/431",
		text: `Oops: Kernel access of bad area, sig: 11 [#1]
REGS: c00000007a3ef6e0 TRAP: 0380   Not tainted  (5.4.0-rc2-00104-g9e208aa06c21)
GPR00: c00000000022d784 c00000007a3ef970 c000000001f24600 0000000000004000 
[c00000007a3efa20] [c00000000030a060] partition_and_rebuild_sched_domains kernel/cgroup/cpuset.c:965 [inline]
[c00000007a3efa20] [c00000000030a060] rebuild_sched_domains_locked+0x7b0/0x13a0 kernel/cgroup/cpuset.c:1007
[c00000007a3efb30] [c00000000030b06c] update_flag+0x26c/0x280 kernel/cgroup/cpuset.c:1903
[c00000007a3efb90] [c00000000030e6fc] cpuset_css_offline+0x15c/0x160 kernel/cgroup/cpuset.c:2813
[c00000007a3efbd0] [c0000000002e70c4] offline_css kernel/cgroup/cgroup.c:5129 [inline]
[c00000007a3efbd0] [c0000000002e70c4] css_killed_work_fn+0xd4/0x460 kernel/cgroup/cgroup.c:5433
`,
		want: `! Oops
kernel crash of 0
  partition_and_rebuild_sched_domains kernel/cgroup/cpuset.c:965 inline
  rebuild_sched_domains_locked kernel/cgroup/cpuset.c:1007
  update_flag kernel/cgroup/cpuset.c:1903
  cpuset_css_offline kernel/cgroup/cpuset.c:2813
  offline_css kernel/cgroup/cgroup.c:5129 inline
  css_killed_work_fn kernel/cgroup/cgroup.c:5433
`,
	},
	{
		name: "KCSAN",
		from: "kdave/btrfs-progs#705 and linuxppc/issues#457",
		text: `BUG: KCSAN: data-race in wq_worker_tick / wq_worker_tick

read to 0xffff9c9b5e37cda8 of 8 bytes by interrupt on cpu 21:
 wq_worker_tick+0x5f/0x250
 scheduler_tick+0x1a0/0x1c0

write to 0xffff9c9b5e37cda8 of 8 bytes by task 1490 on cpu 51:
 queued_spin_lock_slowpath+0x31c/0x1b20
 _raw_spin_lock+0x70/0xb0
`,
		want: `! data-race read 0xffff9c9b5e37cda8
kernel crash of 0
  wq_worker_tick
kernel crash [interrupt on cpu 21] of 0
  wq_worker_tick
  scheduler_tick
kernel other access [task 1490 on cpu 51] of 0
  queued_spin_lock_slowpath
  _raw_spin_lock
`,
	},
	{
		name: "KMSAN",
		from: "google/syzkaller pkg/report/testdata/linux/report/626",
		text: `[  567.483452][    T1] BUG: KMSAN: uninit-value in prepare_task_switch+0x284/0xd00
[  567.490925][    T1]  prepare_task_switch+0x284/0xd00
[  567.496040][    T1]  __schedule+0x2da/0x520
[  567.500419][    T1]  __cond_resched+0x43/0xa0
[  567.505008][    T1]  __dentry_kill+0xdc2/0xe90
[  567.509631][    T1]  dentry_kill+0x22c/0x710
[  567.514066][    T1]  dput+0x3e1/0x640
[  567.551059][    T1] 
[  567.553376][    T1] Local variable ----path@step_into created at:
[  567.559600][    T1]  step_into+0xbc/0x1a00
[  567.563850][    T1]  path_openat+0x3603/0x64c0
[  567.568441][    T1] =====================================================
[  567.575370][    T1] Disabling lock debugging due to kernel taint
[  567.581610][    T1] Kernel panic - not syncing: panic_on_kmsan set ...
`,
		want: `! uninit-value
kernel crash of 0
  prepare_task_switch
kernel crash of 0
  prepare_task_switch
  __schedule
  __cond_resched
  __dentry_kill
  dentry_kill
  dput
kernel stored by of 0
  step_into
  path_openat
`,
	},
	{
		name: "kernel BUG",
		from: "anthraxx/linux-hardened#64",
		text: `[54157.197925] ------------[ cut here ]------------
[54157.197930] kernel BUG at mm/slub.c:3035!
[54157.197939] invalid opcode: 0000 [#1] PREEMPT SMP PTI
[54157.197944] CPU: 1 PID: 26863 Comm: updatedb Kdump: loaded Tainted: G        W         5.14.11-hardened1-2-hardened-debug-debug #1
[54157.197950] RIP: 0010:__kmalloc_node+0x427/0x460
[54157.197963] RSP: 0018:ffffc9000288b870 EFLAGS: 00010286
`,
		want: `build 5.14.11-hardened1-2-hardened-debug-debug
! kernel BUG
kernel crash of 0
   mm/slub.c:3035
kernel crash of 0
  __kmalloc_node
`,
	},
	{
		name: "warnings",
		from: "intel/ccc-linux-guest-hardening#98 and sched-ext/scx#3687",
		text: `WARNING: CPU: 0 PID: 79 at mm/slub.c:3567 kfree (mm/slub.c:3567 mm/slub.c:4558) 
Modules linked in:
CPU: 0 PID: 79 Comm: sh Not tainted 6.0.0-rc2-g1d588de205f8 #1
RIP: 0010:kfree (mm/slub.c:3567 mm/slub.c:4558) 
Code: ff 49 8b 04 24 a9 00 00 01 00 0f 84 2e ff ff ff 49 8b 44 24 48 a8 01 0f 84 21 ff ff ff 48 83 e8 01 49 39 c4 0f 84 14 ff ff ff <0f> 0b 80 3d 67 5f 9f 03 00 0f 84 fe da 93 01 48 8b 75 08 48 89 df
------------[ cut here ]------------
WARNING: at __schedule+0x823/0x1640, CPU#8: swapper/8/0
`,
		want: `build 1d588de205f8 6.0.0-rc2-g1d588de205f8
! warning
! warning
kernel crash of 0
  kfree mm/slub.c:3567
kernel crash of 0
  kfree mm/slub.c:4558
kernel crash of 1
  __schedule
`,
	},
	{
		name: "inlined frames",
		from: "google/ktsan#91 and google/ktsan#30",
		text: `kernel BUG at mm/ktsan/thr.c:129!
invalid opcode: 0000 [#3] SMP
CPU: 5 PID: 2758 Comm: sshd Tainted: G      D         4.2.0+ #396
RIP: 0010:[<ffffffff8125adba>]  [<ffffffff8125adba>] kt_thr_start+0xaa/0xb0
Call Trace:
 [<ffffffff812531e6>] ? ktsan_thr_start+0x66/0x90 mm/ktsan/ktsan.c:312 (discriminator 7)
 [<ffffffff810c6393>] ? finish_task_switch+0x1e3/0x240 kernel/sched/core.c:2493
 [<     inlined    >] rb_insert_color+0x2e6/0x380 rb_set_parent_color include/linux/rbtree_augmented.h:117
 [<     inlined    >] enqueue_task_fair+0x784/0x1230 enqueue_entity kernel/sched/fair.c:3118
 [<ffffffff81552056>] rb_insert_color+0x2e6/0x380 lib/rbtree.c:420
`,
		want: `build 4.2.0+
! kernel BUG
kernel crash of 0
   mm/ktsan/thr.c:129
kernel crash of 0
  kt_thr_start
  rb_set_parent_color include/linux/rbtree_augmented.h:117 inline
  enqueue_entity kernel/sched/fair.c:3118 inline
  rb_insert_color lib/rbtree.c:420
`,
	},
	{
		name: "Xen",
		from: "QubesOS/qubes-issues#5606 and xen-project/xen bab8391805",
		text: `(XEN) Xen BUG at sched_credit2.c:3474
(XEN) ----[ Xen-4.13.0  x86_64  debug=n   Not tainted ]----
(XEN) CPU:    0
(XEN) RIP:    e008:[<ffff82d04023a355>] sched_credit2.c#csched2_schedule+0xafa/0x1350
(XEN) RFLAGS: 0000000000010006   CONTEXT: hypervisor (d2v0)
(XEN) Xen call trace:
(XEN)    [<ffff82d0402007f2>] R x86_64/entry.S#restore_all_xen+0x72/0x80
(XEN)    [<ffff82d0402e79f6>] F nestedhap_fix_p2m+0x5f/0xc9
(XEN)    [<ffff82d04037ac3e>] F drivers/passthrough/pci.c#alloc_pseg+0xc4/0x165
(XEN) Panic on CPU 14:
(XEN) FATAL PAGE FAULT
`,
		want: `! kernel BUG
kernel crash of 0
   sched_credit2.c:3474
kernel crash of 0
  csched2_schedule sched_credit2.c:0
  restore_all_xen x86_64/entry.S:0
  nestedhap_fix_p2m
  alloc_pseg drivers/passthrough/pci.c:0
`,
	},
	{
		name: "Xen on arm",
		from: "xen-project/xen f294e3abe4",
		text: `    (XEN) Data Abort Trap. Syndrome=0x1c28005
    (XEN) Walking Hypervisor VA 0x10 on CPU0 via TTBR ...
    (XEN) Xen call trace:
    (XEN)    [<...>] find_next_bit+0x74/0xa8 (PC)
    (XEN)    [<...>] rt.c#move_repl_timer+0xb8/0xec (LR)
    (XEN)
    (XEN) Panic on CPU 0:
    (XEN) CPU0: Unexpected Trap: Data Abort
`,
		want: `! Data Abort Trap
kernel crash of 0
  find_next_bit
  move_repl_timer rt.c:0
`,
	},
	{
		name: "FreeBSD on arm64",
		from: "FreeBSDFoundation/freebsd#2",
		text: `panic: Invalid instruction length in exception
KDB: stack backtrace:
db_trace_self() at db_trace_self_wrapper+0x30
         pc = 0xffffff80003c3370  lr = 0xffffff8000014c08
         sp = 0xffffff80685b26e0  fp = 0xffffff80685b2810

db_trace_self_wrapper() at vpanic+0xc8
         pc = 0xffffff8000014c08  lr = 0xffffff8000153e30
         sp = 0xffffff80685b2820  fp = 0xffffff80685b2890

vpanic() at kassert_panic+0x164
`,
		want: `! kernel panic
bsd crash of 0
  db_trace_self
  db_trace_self_wrapper
  vpanic
`,
	},
	{
		name: "FreeBSD, below a trap",
		from: "google/syzkaller pkg/report/testdata/freebsd/report/5",
		text: `Fatal trap 9: general protection fault while in kernel mode
panic: general protection fault
KDB: stack backtrace:
db_trace_self_wrapper() at db_trace_self_wrapper+0x47/frame 0xfffffe001fa0e2e0
vpanic() at vpanic+0x1e0/frame 0xfffffe001fa0e340
trap_fatal() at trap_fatal+0x4c6/frame 0xfffffe001fa0e420
calltrap() at calltrap+0x8/frame 0xfffffe001fa0e540
--- trap 0x9, rip = 0xffffffff81163cf5, rsp = 0xfffffe001fa0e610, rbp = 0xfffffe001fa0e650 ---
unp_dispose() at unp_dispose+0xa5/frame 0xfffffe001fa0e650
sofree() at sofree+0x42c/frame 0xfffffe001fa0e6b0
`,
		want: `! kernel panic
bsd crash of 0
  unp_dispose
  sofree
`,
	},
	{
		name: "OpenBSD",
		from: "google/syzkaller#2157",
		text: `login: panic: pool_do_put: lockfpl: double pool_put: 0xffffff001692bd18
Stopped at      db_enter+0xa:   popq    %rbp
    TID    PID    UID     PRFLAGS     PFLAGS  CPU  COMMAND
db_enter() at db_enter+0xa
panic() at panic+0x147
pool_do_put(ffffff001692bd18,ffffffff81ec0850) at pool_do_put+0x2e2
lf_advlock(40,ffffff001dc251c8,2,ffff80000e3793e8,ffffffff81df26c0,200000040) at lf_advlock+0x270
`,
		want: `! kernel panic
bsd crash of 0
  db_enter
  panic
  pool_do_put
  lf_advlock
`,
	},
	{
		name: "NetBSD",
		from: "google/syzkaller pkg/report/testdata/netbsd/report/12",
		text: `[  77.1201922] cpu0: Begin traceback...
[  77.1339243] vpanic() at netbsd:vpanic+0x267 sys/kern/subr_prf.c:336
[  77.1639782] snprintf() at netbsd:snprintf
[  77.2040533] kasan_report() at netbsd:kasan_report+0x89 kasan_code_name sys/kern/subr_asan.c:178 [inline]
[  77.2040533] kasan_report() at netbsd:kasan_report+0x89 sys/kern/subr_asan.c:194
[  77.2441254] __asan_load8() at netbsd:__asan_load8+0x285 kasan_shadow_1byte_isvalid sys/kern/subr_asan.c:302 [inline]
[  77.2441254] __asan_load8() at netbsd:__asan_load8+0x285 kasan_shadow_2byte_isvalid sys/kern/subr_asan.c:317 [inline]
[  77.2441254] __asan_load8() at netbsd:__asan_load8+0x285 kasan_shadow_4byte_isvalid sys/kern/subr_asan.c:337 [inline]
[  77.2841962] uvm_fault_internal() at netbsd:uvm_fault_internal+0x1d49 uvm_fault_lower sys/uvm/uvm_fault.c:1730 [inline]
[  77.2841962] uvm_fault_internal() at netbsd:uvm_fault_internal+0x1d49 sys/uvm/uvm_fault.c:915
[  77.3242687] trap() at netbsd:trap+0xb7e sys/arch/amd64/amd64/trap.c:538
[  77.3343886] --- trap (number 6) ---
[  77.3443030] 7149393996bf:
[  77.3443030] cpu0: End traceback...
`,
		want: `bsd crash of -1
  vpanic sys/kern/subr_prf.c:336
  snprintf
  kasan_code_name sys/kern/subr_asan.c:178 inline
  kasan_report sys/kern/subr_asan.c:194
  kasan_shadow_1byte_isvalid sys/kern/subr_asan.c:302 inline
  kasan_shadow_2byte_isvalid sys/kern/subr_asan.c:317 inline
  kasan_shadow_4byte_isvalid sys/kern/subr_asan.c:337 inline
  uvm_fault_lower sys/uvm/uvm_fault.c:1730 inline
  uvm_fault_internal sys/uvm/uvm_fault.c:915
  trap sys/arch/amd64/amd64/trap.c:538
`,
	},
}
