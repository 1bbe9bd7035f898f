package format

import "testing"

func init() { samples = append(samples, logSamples...) }

func TestLogSamples(t *testing.T) { testSamples(t, logSamples) }

var logSamples = []sample{
	{
		name: "glog",
		from: "StarRocks/starrocks#27129",
		text: `*** Aborted at 1689167143 (unix time) try "date -d @1689167143" if you are using GNU date ***
PC: @     0x7fec17006387 __GI_raise
*** SIGABRT (@0x3ef00222e80) received by PID 2240128 (TID 0x7fe866d8e700) from PID 2240128; stack trace: ***
    @         0x18ba4fc2 google::(anonymous namespace)::FailureSignalHandler()
    @     0x7fec173ad630 (unknown)
    @     0x7fec17006387 __GI_raise
    @         0x18b94b49 google::LogMessageFatal::~LogMessageFatal()
    @         0x16dfc1d7 starrocks::LakeServiceImpl::publish_version()
`,
		want: `! SIGABRT
glog crash of 0
  google::(anonymous namespace)::FailureSignalHandler
  
  __GI_raise
  google::LogMessageFatal::~LogMessageFatal
  starrocks::LakeServiceImpl::publish_version
`,
	},
	{
		name: "Abseil",
		from: "dragonflydb/dragonfly#2514",
		text: `[failure_signal_handler.cc : 345] RAW: Signal 11 raised at PC=0x7f12662fc941 while already in AbslFailureSignalHandler()
*** SIGSEGV received at time=1706741195 on cpu 0 ***
PC: @     0x7f12662fc941  (unknown)  abort
    @     0x5613e7a08daf  make_fcontext
    @     0x5613e79efa8a  util::fb2::FiberQueue::Run()
    @     0x5613e74e7766  _ZNSt17_Function_handlerIFvvEZN4dfly11Transaction11UnlockMultiEvEUlvE_E9_M_invokeERKSt9_Any_data
    @     0x5613e74e770d  dfly::Transaction::UnlockMultiShardCb()
`,
		want: `! SIGSEGV
glog crash of 0
  make_fcontext
  util::fb2::FiberQueue::Run
  std::_Function_handler::_M_invoke
  dfly::Transaction::UnlockMultiShardCb
`,
	},
	{
		name: "glog within a log",
		from: "ray-project/ray#16077",
		text: `[2021-06-10 11:01:45,423 E 94953 94936] logging.cc:440: *** Aborted at 1623294105 (unix time) try "date -d @1623294105" if you are using GNU date ***
[2021-06-10 11:01:45,426 E 94953 94936] logging.cc:440: PC: @                0x0 (unknown)
[2021-06-10 11:01:45,426 E 94953 94936] logging.cc:440: *** SIGBUS (@0x1f4000172d8) received by PID 94953 (TID 0x7f685213f940) from PID 94936; stack trace: ***
[2021-06-10 11:01:45,427 E 94953 94936] logging.cc:440:     @     0x7f6838efc5d0 (unknown)
[2021-06-10 11:01:45,427 E 94953 94936] logging.cc:440:     @     0x561b23e24710 ray::TestSendSignal()
`,
		want: `! SIGBUS 0x1f4000172d8
glog crash of 0
  
  ray::TestSendSignal
`,
	},
	{
		name: "backtrace_symbols of MySQL",
		from: "mariadb-corporation/mysql-wsrep#352, mariadb-corporation/galera#376, SequoiaDB/SequoiaDB_OLD#17, DeNA/HandlerSocket-Plugin-for-MySQL#66",
		text: `11:40:21 UTC - mysqld got signal 11 ;
This could be because you hit a bug. It is also possible that this binary
stack_bottom = 0 thread_stack 0x80000
/usr/sbin/mysqld(my_print_stacktrace+0x2c)[0x55f48c960d9c]
/usr/sbin/mysqld(handle_fatal_signal+0x479)[0x55f48c268309]
/lib/x86_64-linux-gnu/libpthread.so.0(+0x110e0)[0x7fe1f80f50e0]
/usr/sbin/mysqld[0xa00de4]
/opt/mysql/lib/plugin/ha_sequoiadb.so(_ZN4bson10StringDataC1EPKc+0x27)[0x2a6c328981] 
/usr/local/mysql/libexec/mysqld(my_print_stacktrace+0x24) [0x842d64]
`,
		want: `! SIGSEGV
libc crash of 0
  my_print_stacktrace (/usr/sbin/mysqld)
  handle_fatal_signal (/usr/sbin/mysqld)
   (/lib/x86_64-linux-gnu/libpthread.so.0)
   (/usr/sbin/mysqld)
  bson::StringData::StringData (/opt/mysql/lib/plugin/ha_sequoiadb.so)
  my_print_stacktrace (/usr/local/mysql/libexec/mysqld)
`,
	},
	{
		name: "backtrace_symbols",
		from: "secondo-database/secondo#6",
		text: `*** Signal SIGFPE (8) caught! Calling default signal handler ...
./SecondoBDB(_ZN7WinUnix10stacktraceEPKcS1_S1_+0x62)[0x55b423f7fbfa]
./SecondoBDB(_ZN11Application20AbortOnSignalHandlerEi+0xf8)[0x55b423f77fb6]
/lib/x86_64-linux-gnu/libc.so.6(+0x37840)[0x7fa632a9d840]
./SecondoBDB(_ZN9auxiliary14FaultLocalInfoILNS_9CrashTypeE0EE12forwardTupleEv+0x4f)[0x55b424deadb5]
`,
		want: `! SIGFPE
libc crash of 0
  WinUnix::stacktrace (./SecondoBDB)
  Application::AbortOnSignalHandler (./SecondoBDB)
   (/lib/x86_64-linux-gnu/libc.so.6)
  auxiliary::FaultLocalInfo::forwardTuple (./SecondoBDB)
`,
	},
	{
		name: "ClusterFuzz",
		from: "n132/ARVO-Meta, an issue of c-blosc2",
		text: `Crash Type: Heap-buffer-overflow WRITE 1
Crash Address: 0x62100000611e
Crash State:
  blosc_c
  do_job
  blosc_compress_context
  
Sanitizer: address (ASAN)
`,
		want: `! Heap-buffer-overflow write 0x62100000611e
clusterfuzz crash of 0
  blosc_c
  do_job
  blosc_compress_context
`,
	},
	{
		name: "ClusterFuzz, a file in the state",
		from: "of the same form",
		text: `Detailed Report: https://oss-fuzz.com/testcase?key=1

Crash Type: Null-dereference READ
Crash Address: 0x000000000010
Crash State:
  ns::Parser::read(int)
  fuzz_decompress.c
`,
		want: `! Null-dereference read 0x000000000010 null
clusterfuzz crash of 0
  ns::Parser::read
   fuzz_decompress.c:0
`,
	},
	{
		name: "journalctl -o json-pretty",
		from: "systemd/systemd#2449 and SolDoesTech/HyprV3#18",
		text: `{
    "__CURSOR" : "s=68820a717bf74002ad6dc1cca7d950d4;i=1b6932;b=126fc6a2d6f749dcb66f08ca4c109ab1;m=14177f8;t=525c6fead9288;x=aa98dd0282c0a997",
    "__REALTIME_TIMESTAMP" : "1448911490093704",
    "COREDUMP_SIGNAL" : "6",
    "COREDUMP_PID" : "797",
    "COREDUMP_COMM" : "swww",
    "MESSAGE" : "Process 797 (swww) of user 1000 dumped core.\n\nStack trace of thread 797:\n#0  0x00007f6184b7826c n/a (libc.so.6 + 0x8926c)\n#1  0x00007f6184b28a08 raise (libc.so.6 + 0x39a08)"
}
`,
		want: `! SIGABRT
coredump crash [797] of 0
   (libc.so.6)
  raise (libc.so.6)
`,
	},
	{
		name: "journalctl -o json",
		from: "systemd/systemd#27503, as an entry of the journal",
		text: `{"__REALTIME_TIMESTAMP":"1664962033000000","PRIORITY":"2","MESSAGE":"Process 29614 (nettrace) of user 0 dumped core.\n\nStack trace of thread 29614:\n#0  0x0000000000409401 tl_poll_handler (/usr/bin/nettrace)\n#1  0x00000000004083ab n/a (libc.so.6 + 0x8926c)","COREDUMP_SIGNAL":"11","COREDUMP_COMM":"nettrace","COREDUMP_PID":"29614"}
{"__REALTIME_TIMESTAMP":"1664962033000001","MESSAGE":[104,105]}
`,
		want: `! SIGSEGV
coredump crash [29614] of 0
  tl_poll_handler (/usr/bin/nettrace)
   (libc.so.6)
`,
	},
}
