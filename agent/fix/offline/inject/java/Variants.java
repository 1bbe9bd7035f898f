import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Runs the same tests with many variants of the project's source files, in one process. For each
 * variant it compiles the file in memory and gives the classes of the project to a new loader. The
 * libraries are loaded once. Variant 0 is the project as it was built.
 *
 * <p>The settings are lines of a file with fields between tabs: "classes" with a directory of
 * compiled classes, "library" with an entry of the class path for the compiler, "property" with a
 * name and a value, "test" with a class and a method (empty: all methods), "variants" with the
 * directory of the variants (N.path, N.text), "numbers" with their numbers, "seconds" with the time
 * for the tests of one, "bytes" with the kept output, and "mark" with the words that begin its
 * lines. A
 * process that ends before all are done leaves the file "again" in the directory of the variants,
 * and a new one goes on.
 */
public final class Variants {
    private static final PrintStream OUT = System.out;

    private final List<String> directories = new ArrayList<>();
    private final List<String> libraries = new ArrayList<>();
    private final List<String[]> tests = new ArrayList<>();
    private Path variants;
    private String[] numbers;
    private long limit; // in ms
    private long until; // in s; 0 before the first variant
    private int bytes;
    private String mark;

    public static void main(String[] args) throws Exception {
        Variants v = new Variants();
        for (String line : Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8)) {
            v.set(line.split("\t", 3));
        }
        Path again = v.variants.resolve("again");
        Files.write(again, new byte[0]);
        for (int i = 0; i < v.numbers.length; i++) {
            Path begun = v.variants.resolve("begun-" + i);
            Path done = v.variants.resolve("done-" + i);
            if (Files.exists(done) || !v.numbers[i].equals("0") && v.late(args)) {
                continue;
            }
            if (Files.exists(begun)) { // its tests ended the process
                v.print(v.numbers[i], 1, "the process ended");
                Files.createFile(done);
                continue;
            }
            Files.createFile(begun);
            boolean ended = v.run(v.numbers[i]);
            Files.createFile(done);
            if (!ended) {
                Runtime.getRuntime().halt(1);
            }
        }
        Files.delete(again);
        Runtime.getRuntime().halt(0);
    }

    /**
     * Reports whether the time for the variants is over. It begins with the first of them, and is what
     * the start took, within the bounds of the arguments. A later process has the same end.
     */
    private boolean late(String[] args) throws IOException {
        long now = System.currentTimeMillis() / 1000;
        if (until == 0) {
            Path end = variants.resolve("until");
            if (Files.exists(end)) {
                until = Long.parseLong(new String(Files.readAllBytes(end), StandardCharsets.UTF_8));
            } else {
                long least = Long.parseLong(args[1]);
                long most = Long.parseLong(args[2]);
                until = now + Math.min(Math.max(least, now - Long.parseLong(args[3])), most);
                Files.write(end, String.valueOf(until).getBytes(StandardCharsets.UTF_8));
            }
        }
        return now >= until;
    }

    private void set(String[] field) {
        switch (field[0]) {
            case "classes": directories.add(field[1]); break;
            case "library": libraries.add(field[1]); break;
            case "property":
                if (System.getProperty(field[1]) == null) {
                    System.setProperty(field[1], field[2]);
                }
                break;
            case "test": tests.add(new String[] {field[1], field[2]}); break;
            case "variants": variants = Paths.get(field[1]); break;
            case "numbers": numbers = field[1].split(" "); break;
            case "seconds": limit = Long.parseLong(field[1]) * 1000; break;
            case "bytes": bytes = Integer.parseInt(field[1]); break;
            case "mark": mark = field[1]; break;
            default:
        }
    }

    /** Prints the result of a variant. Code 0 says that its tests pass, 124 that they did not end. */
    private void print(String number, int code, String text) {
        byte[] kept = text.getBytes(StandardCharsets.UTF_8);
        OUT.print("\n" + mark + " begin " + number + " " + code + "\n");
        OUT.write(kept, 0, Math.min(kept.length, bytes));
        OUT.print("\n" + mark + " end\n");
        OUT.flush();
    }

    /** Compiles a variant and runs the tests. It returns false if they did not end in time. */
    private boolean run(String number) throws Exception {
        Map<String, byte[]> classes = new HashMap<>();
        if (!number.equals("0")) {
            String complaint = compile(number, classes);
            if (complaint != null) {
                OUT.print("\n" + mark + " rejected " + number + "\n");
                OUT.flush();
                return true;
            }
        }
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(text, true, "UTF-8");
        int[] failed = {1};
        Thread t = new Thread(() -> {
            try {
                Thread.currentThread().setContextClassLoader(new Loader(urls(directories), classes));
                failed[0] = Tests.run(Thread.currentThread().getContextClassLoader(), tests, out);
            } catch (Throwable e) {
                e.printStackTrace(out);
            }
        });
        t.setDaemon(true);
        System.setOut(out);
        System.setErr(out);
        t.start();
        long start = System.currentTimeMillis();
        t.join(limit);
        boolean late = t.isAlive();
        if (number.equals("0")) {
            limit = Math.min(limit, Math.max(1000, 5 * (System.currentTimeMillis() - start)));
        }
        System.setOut(OUT);
        print(number, late ? 124 : failed[0] > 0 ? 1 : 0, late ? "" : text.toString("UTF-8"));
        return !late;
    }

    /** Compiles a variant into memory. It returns the first error, or null. */
    private String compile(String number, Map<String, byte[]> classes) throws IOException {
        String name = new String(Files.readAllBytes(variants.resolve(number + ".path")), StandardCharsets.UTF_8);
        String source = new String(Files.readAllBytes(variants.resolve(number + ".text")), StandardCharsets.UTF_8);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> path = new ArrayList<>(directories);
        path.addAll(libraries);
        List<String> options = Arrays.asList("-nowarn", "-g", "-implicit:none", "-cp", String.join(File.pathSeparator, path));
        String[] complaint = {null};
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavaFileObject unit = new SimpleJavaFileObject(URI.create("string:///" + new File(name).getName()), JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(boolean ignore) {
                    return source;
                }

                @Override
                public boolean isNameCompatible(String simple, Kind kind) {
                    return true;
                }
            };
            boolean ok = compiler.getTask(null, new Memory(files, classes), d -> {
                if (complaint[0] == null && d.getKind() == javax.tools.Diagnostic.Kind.ERROR) {
                    complaint[0] = d.getMessage(null);
                }
            }, options, null, Collections.singletonList(unit)).call();
            return ok ? null : String.valueOf(complaint[0]);
        }
    }

    private static URL[] urls(List<String> directories) throws IOException {
        URL[] list = new URL[directories.size()];
        for (int i = 0; i < list.length; i++) {
            list[i] = Paths.get(directories.get(i)).toUri().toURL();
        }
        return list;
    }

    /** Loads the classes of the project, those of a variant first. */
    private static final class Loader extends URLClassLoader {
        private final Map<String, byte[]> classes;

        Loader(URL[] directories, Map<String, byte[]> classes) {
            super(directories, Variants.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] code = classes.get(name);
            return code == null ? super.findClass(name) : defineClass(name, code, 0, code.length);
        }
    }

    /** Keeps compiled classes in memory. */
    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, byte[]> classes;

        Memory(JavaFileManager files, Map<String, byte[]> classes) {
            super(files);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location at, String name, JavaFileObject.Kind kind, javax.tools.FileObject near) {
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + kind.extension), kind) {
                @Override
                public ByteArrayOutputStream openOutputStream() {
                    return new ByteArrayOutputStream() {
                        @Override
                        public void close() throws IOException {
                            super.close();
                            classes.put(name, toByteArray());
                        }
                    };
                }
            };
        }
    }
}
