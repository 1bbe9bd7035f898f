package format

import "testing"

func init() { samples = append(samples, mobileSamples...) }

func TestMobileSamples(t *testing.T) { testSamples(t, mobileSamples) }

var mobileSamples = []sample{
	{
		name: "logcat of Android Studio",
		from: "frostwire/frostwire-jlibtorrent#240 and alidili/FFmpeg4Android#5",
		text: `2020-09-24 15:32:44.894 13915-14110/com.apkmatrix.components.ultradownloader.demo A/libc: Fatal signal 11 (SIGSEGV), code 1, fault addr 0x0 in tid 14110 (downloader.demo), pid 13915 (downloader.demo)
2020-09-24 15:32:44.997 14368-14368/? A/DEBUG: *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
2020-09-24 15:32:44.997 14368-14368/? A/DEBUG: Build fingerprint: 'OPPO/CPH1803/CPH1803:8.1.0/OPM1.171019.026/1591949856:user/release-keys'
2020-09-24 15:32:44.997 14368-14368/? A/DEBUG: pid: 13915, tid: 14110, name: downloader.demo  >>> com.apkmatrix.components.ultradownloader.demo <<<
2020-09-24 15:32:44.997 14368-14368/? A/DEBUG: signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0
2020-09-24 15:32:44.997 14368-14368/? A/DEBUG: Cause: null pointer dereference
2019-07-10 19:09:56.255 25307-25307/? A/DEBUG: backtrace:
2019-07-10 19:09:56.255 25307-25307/? A/DEBUG:     #00 pc 000167a8  /data/app/com.yl.ffmpeg4android-b_c8NXtzVuJAaKm9pyX91w==/lib/arm/libffmpeg.so
2019-07-10 19:09:56.255 25307-25307/? A/DEBUG:     #01 pc 00014218  /data/app/com.yl.ffmpeg4android-b_c8NXtzVuJAaKm9pyX91w==/lib/arm/libffmpeg.so
`,
		want: `! SIGSEGV 0x0 null
tombstone crash [14110 downloader.demo] of 0
   (/data/app/com.yl.ffmpeg4android-b_c8NXtzVuJAaKm9pyX91w==/lib/arm/libffmpeg.so)
   (/data/app/com.yl.ffmpeg4android-b_c8NXtzVuJAaKm9pyX91w==/lib/arm/libffmpeg.so)
`,
	},
	{
		name: "frames of several tombstones",
		from: "guardianproject/tor-android#91, markzhai/AndroidPerformanceMonitor#139, flutter/flutter#124574, Kitt-AI/snowboy#595, flutter/flutter#87497",
		text: `*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
pid: 0, tid: 0 >>> org.torproject.android <<<

backtrace:
  #00  pc 0x0000000000089728  /apex/com.android.runtime/lib64/bionic/libc.so (abort+164)
  #01  pc 0x0000000000174890  /data/app/~~yHj5YOUJqZUb2K_9ApZIFA==/org.torproject.android-fAM9LVS0a5lPhzJfShMrGA==/lib/arm64/libtor.so (tor_raw_abort_+12)
  #03  pc 0x000000000010b458  /data/app/~~yHj5YOUJqZUb2K_9ApZIFA==/org.torproject.android-fAM9LVS0a5lPhzJfShMrGA==/lib/arm64/libtor.so (pubsub_install+156)
signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------
    #01 pc 0037df98  /apex/com.android.runtime/lib/libart.so (_ZN3art7Runtime5AbortEPKc+1687)
      #62 pc 0000000000ad54c8  /data/app/~~g5pE5OCFenrNYjVX70AyAA==/com.xxx.demo-iRb0wCOr4tRbp5teSnyUlg==/split_config.arm64_v8a.apk (BuildId: aed21ea8cdf3aab6fba2bdea590a7b5d)
    #52 pc 000000000039a354  /system/framework/boot-framework.vdex (android.app.Instrumentation.callActivityOnCreate+6)
    #00 pc 01a17000  /data/app/com.example.app_0-qwFjCUyRkuL4H5PY247WOg==/lib/x86/libflutter.so (offset 0x1235000)
`,
		want: `! SIGABRT
tombstone crash of -1
  abort (/apex/com.android.runtime/lib64/bionic/libc.so)
  tor_raw_abort_ (/data/app/~~yHj5YOUJqZUb2K_9ApZIFA==/org.torproject.android-fAM9LVS0a5lPhzJfShMrGA==/lib/arm64/libtor.so)
  pubsub_install (/data/app/~~yHj5YOUJqZUb2K_9ApZIFA==/org.torproject.android-fAM9LVS0a5lPhzJfShMrGA==/lib/arm64/libtor.so)
  art::Runtime::Abort (/apex/com.android.runtime/lib/libart.so)
   (/data/app/~~g5pE5OCFenrNYjVX70AyAA==/com.xxx.demo-iRb0wCOr4tRbp5teSnyUlg==/split_config.arm64_v8a.apk)
  android.app.Instrumentation.callActivityOnCreate (/system/framework/boot-framework.vdex)
tombstone crash of 0
   (/data/app/com.example.app_0-qwFjCUyRkuL4H5PY247WOg==/lib/x86/libflutter.so)
`,
	},
	{
		name: "a tombstone with other threads",
		from: "markzhai/AndroidPerformanceMonitor#139; the frames of the other thread are of BelledonneCommunications/linphone-android#389",
		text: `*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
ABI: 'arm64'
pid: 838, tid: 1326, name: BlockCanary-loo  >>> com.xx.sdu <<<
signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------
Abort message: 'Check failed: header'
    r0  00000000  r1  0000052e  r2  00000006  r3  b294d4a0

backtrace:
    #00 pc 00056cbe  /apex/com.android.runtime/lib/bionic/libc.so (abort+165)
    #01 pc 0037df98  /apex/com.android.runtime/lib/libart.so (_ZN3art7Runtime5AbortEPKc+1687)
--- --- --- --- --- --- --- --- --- --- --- --- --- --- --- ---
pid: 838, tid: 840, name: Signal Catcher  >>> com.xx.sdu <<<

backtrace:
    #00 pc 0003d5ec  /system/lib/libc.so (nanosleep+12)
    #01 pc 000246f1  /system/lib/libc.so (usleep+32)
`,
		want: `! SIGABRT
tombstone crash [1326 BlockCanary-loo] of 0
  abort (/apex/com.android.runtime/lib/bionic/libc.so)
  art::Runtime::Abort (/apex/com.android.runtime/lib/libart.so)
tombstone other thread [840 Signal Catcher] of 0
  nanosleep (/system/lib/libc.so)
  usleep (/system/lib/libc.so)
`,
	},
	{
		name: "macOS",
		from: "nwinter/telepath-logger#1, ianyh/Amethyst#89, maciekish/iReSign#89",
		text: `Process:         Telepath [50525]
Crashed Thread:  0  Dispatch queue: com.apple.main-thread

Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000000

VM Regions Near 0:
--> 
Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
0   net.nickwinter.Telepath         0x000000010df314b8 -[TPTrackerKeyboard init] + 280 (TPTrackerKeyboard.m:37)
1   net.nickwinter.Telepath         0x000000010df1c2a4 -[TPTracker init] + 580 (TPTracker.m:86)
2   com.amethyst.Amethyst           0x000000010805c84a 0x108042000 + 108618
3   ???                             000000000000000000 0 + 0

Thread 1:
0   libsystem_pthread.dylib         0x00007fffc724d3a0 start_wqthread + 0
`,
		want: `! SIGSEGV 0x0000000000000000 null
apple crash [0 Dispatch queue: com.apple.main-thread] of 0
  -[TPTrackerKeyboard init] TPTrackerKeyboard.m:37 (net.nickwinter.Telepath)
  -[TPTracker init] TPTracker.m:86 (net.nickwinter.Telepath)
   (com.amethyst.Amethyst)
apple other thread [1] of 0
  start_wqthread (libsystem_pthread.dylib)
`,
	},
	{
		name: "iOS",
		from: "ish-app/ish#978 and Muirey03/Cr4shed#68",
		text: `Exception Type:  EXC_CRASH (SIGABRT)
Exception Codes: 0x0000000000000000, 0x0000000000000000
Exception Note:  EXC_CORPSE_NOTIFY
Triggered by Thread:  2

Last Exception Backtrace:
0   CoreFoundation                	0x1a6ef8878 __exceptionPreprocess + 220 (NSException.m:199)
2   Foundation                    	0x1a813a3f8 -[NSURL(NSURLPathUtilities) URLByAppendingPathComponent:] + 436 (NSURL.m:1814)
3   iSHFileProvider               	0x100ede0e0 __30-[FileProviderExtension mount]_block_invoke + 200 (FileProviderExtension.m:44)
4   libdispatch.dylib             	0x1a6aecdb0 _dispatch_client_callout + 20 (object.m:559)

Thread 2 name:  Dispatch queue: x
Thread 2 Crashed:
0   libsystem_kernel.dylib        	0x00000001ceb28414 __pthread_kill + 8
`,
		want: `! SIGABRT
apple pending exception of 0
  __exceptionPreprocess NSException.m:199 (CoreFoundation)
  -[NSURL(NSURLPathUtilities) URLByAppendingPathComponent:] NSURL.m:1814 (Foundation)
  __30-[FileProviderExtension mount]_block_invoke FileProviderExtension.m:44 (iSHFileProvider)
  _dispatch_client_callout object.m:559 (libdispatch.dylib)
apple crash [2 Dispatch queue: x] of 0
  __pthread_kill (libsystem_kernel.dylib)
`,
	},
	{
		name: ".ips",
		from: "frames of openimsdk/open-im-sdk-reactnative#61, exception of airsdk/Adobe-Runtime-Support#2993",
		text: `{"app_name":"App","timestamp":"2023-01-01 10:00:00.00 +0100","app_version":"1.2.3","slice_uuid":"cebccfa8-b42e-3400-9b08-e39d4e1dbb5f","bug_type":"309","os_version":"iPhone OS 16.1"}
{
  "procName" : "App",
  "faultingThread" : 0,
  "exception" : {"codes":"0x0000000000000001, 0x0000000000000000","rawCodes":[1,0],"type":"EXC_BAD_ACCESS","signal":"SIGSEGV","subtype":"KERN_INVALID_ADDRESS at 0x0000000000000000"},
  "usedImages" : [{"name":"App","path":"\/private\/App.app\/App"},{"name":"ImageIO"},{"name":"libsystem_pthread.dylib"}],
  "threads" : [{"triggered":true,"id":32266,"queue":"com.apple.main-thread","frames":[{"imageOffset":790520,"symbol":"IIOImageSource::createThumbnailAtIndex(unsigned long, IIODictionary*, int*)","symbolLocation":4844,"imageIndex":1},{"imageOffset":11741652,"sourceLine":304,"sourceFile":"RCTImageUtils.mm","symbol":"RCTDecodeImageWithData","imageIndex":0,"symbolLocation":1228},{"imageOffset":11695308,"sourceLine":969,"sourceFile":"RCTImageLoader.mm","symbol":"__80-[RCTImageLoader decodeImageData:size:scale:clipped:resizeMode:completionBlock:]_block_invoke_3.207","imageIndex":0,"symbolLocation":100}]},{"id":453312,"frames":[{"imageOffset":7720,"symbol":"start_wqthread","symbolLocation":0,"imageIndex":2}]}]
}
`,
		want: `build 1.2.3
! SIGSEGV 0x0000000000000000 null
apple crash [0 com.apple.main-thread] of 0
  IIOImageSource::createThumbnailAtIndex (ImageIO)
  RCTDecodeImageWithData RCTImageUtils.mm:304 (App)
  __80-[RCTImageLoader decodeImageData:size:scale:clipped:resizeMode:completionBlock:]_block_invoke_3.207 RCTImageLoader.mm:969 (App)
apple other thread [1] of 0
  start_wqthread (libsystem_pthread.dylib)
`,
	},
}
