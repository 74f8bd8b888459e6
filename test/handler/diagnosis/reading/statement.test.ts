import { expect, test } from "@jest/globals";
import { readStatement } from "../../../../handler/diagnosis/reading/statement.ts";

const said = 'cannot open "/etc/made-up.yaml": permission denied';

test.each([
  [
    "klog",
    `E0402 08:15:00.120044    1204 server.go:303] "Failed to run" err="${said.replaceAll('"', '\\"')}"`,
    "error",
  ],
  ["logrus", `time="2026-04-02T08:15:00Z" level=fatal msg="${said.replaceAll('"', '\\"')}"`, "end"],
  ["zap", `{"level":"fatal","ts":"2026-04-02T08:15:00Z","msg":"stopped","error":${JSON.stringify(said)}}`, "end"],
  ["the journal", `Apr 02 08:15:00 node-1 kubelet[12]: ${said}`, "error"],
  ["RFC 3339 syslog", `2026-04-02T08:15:00.118203+00:00 node-1 kubelet[12]: ${said}`, "error"],
  ["cloud-init", `2026-04-02 08:15:00,118 - util.py[ERROR]: ${said}`, "error"],
  ["calico", `2026-04-02 08:15:00.118 [ERROR][9] startup/startup.go 984: ${said}`, "error"],
  ["the guest agent", `2026-04-02T08:15:00.118203Z ERROR Daemon Daemon ${said}`, "error"],
  ["oslo", `2026-04-02 08:15:00.118 4788 ERROR cloudbaseinit.init [-] ${said}`, "error"],
  ["Docker's json-file", JSON.stringify({ log: `${said}\n`, stream: "stderr" }), "error"],
  ["colour", `\u001B[0;31m${said}\u001B[0m`, "error"],
])("readStatement takes the clothes of %s off", (_, line, severity) => {
  const statement = readStatement(line, "system");
  expect(statement.message).toContain(said);
  expect(statement.message).not.toMatch(/level=|\\"|\u001B|2026/u);
  expect(statement.severity).toBe(severity);
});

test.each([
  [
    "Apr 02 08:15:00 node-1 systemd[1]: containerd.service: Main process exited, code=exited, status=1/FAILURE",
    "containerd",
  ],
  ["error execution phase kubelet-start: something", "kubeadm"],
  ["Apr 02 08:15:00 node-1 k3s[12]: something odd", "k3s"],
  ["E: Unable to locate package made-up", "apt"],
])("readStatement names who says %s", (line, program) => {
  expect(readStatement(line, "system").program).toBe(program);
});

test("readStatement hears no failure where a pod only goes", () => {
  const line = 'E0402 08:15:00.1 1 x.go:1] "StopPodSandbox failed" err="failed to destroy network for sandbox"';
  expect(readStatement(line, "kubelet").severity).toBe("info");
});

test.each([
  [
    "klog in logrus",
    String.raw`time="2026-04-02 08:15:00" level=info msg="E0402 08:15:00.120044     117 made_up.go:72] \"Failed to start\" err=\"cannot open it: permission denied\"" component=kubelet`,
  ],
  [
    "logrus in logrus",
    String.raw`time="2026-04-02 08:15:00" level=info msg="time=\"2026-04-02T08:15:00Z\" level=error msg=\"cannot open it: permission denied\"" component=containerd`,
  ],
  [
    "klog in logrus of a terminal",
    "INFO[2026-04-02 08:15:00] F0402 08:15:00.120044    2250 made_up.go:257] cannot open it: permission denied",
  ],
])("readStatement hears the child's own level in %s, and not its supervisor's", (_, line) => {
  const statement = readStatement(line, "system");
  expect(statement.message).toContain("cannot open it: permission denied");
  expect(["error", "end"]).toContain(statement.severity);
});

test.each(["context deadline exc>", "dial tcp: connection ref…", "open /x: no such file or di..."])(
  "readStatement completes the innermost error that a pager cut: %s",
  (cut) => {
    const line = `Apr 02 08:15:00 node-1 k3s[12]: level=error msg="failed to get made-up certs: ${cut}`;
    expect(readStatement(line, "system").message).toMatch(/exceeded|refused|directory/u);
  },
);

test("readStatement leaves a cut line as it is where it cannot tell what stood there", () => {
  const line = "Apr 02 08:15:00 node-1 k3s[12]: failed to get made-up certs: co>";
  expect(readStatement(line, "system").message).toMatch(/certs: co>$/u);
});

test("readStatement reads an event as kubectl lists it", () => {
  const line = "  Warning  FailedMadeUp  3m (x12 over 3m)  kubelet, node-1  Failed to do it: permission denied";
  expect(readStatement(line, "system")).toMatchObject({
    severity: "error",
    message: "Failed to do it: permission denied",
  });
});

test("readStatement knows systemd's words on a console", () => {
  const line = "[FAILED] Failed to start Execute cloud user/final scripts.";
  expect(readStatement(line, "system")).toMatchObject({ program: "cloud-init", severity: "end" });
});

test("what a tool puts in front of a machine's line is not a part of what is said", () => {
  const said = "E: Unable to locate package made-up";
  const lines = [
    `2026-04-02T08:15:00.120044009Z stderr F ${said}`,
    `module.made_up.null_resource.boot (remote-exec): ${said}`,
    `> > ${said}`,
  ];
  expect(lines.map((line) => readStatement(line, "system").message)).toEqual([said, said, said]);
  const talos = "10.1.0.9: user: warning: [2026-04-02T08:15:00.120044009Z]: [talos] made-up failed";
  expect(readStatement(talos, "system")).toMatchObject({ message: "[talos] made-up failed", program: "talos" });
});

test("of a task of Ansible the module's message and the command's standard error are what is said", () => {
  const line =
    'fatal: [made-up]: FAILED! => {"changed": true, "cmd": "made-up", "msg": "non-zero return code", "rc": 1, "stderr": "E: Could not get lock"}';
  expect(readStatement(line, "system")).toMatchObject({
    message: "non-zero return code: E: Could not get lock",
    severity: "end",
  });
});

test("a line that was cut within a word of a known ending is read with all of it, one that ends with a word is not", () => {
  const cut = "made-up server: listen tcp 10.1.0.9:10250: bind: address already in u";
  expect(readStatement(cut, "system").message).toMatch(/address already in use$/u);
  const whole = "made-up server of this node told us of a lost connection";
  expect(readStatement(whole, "system").message).toBe(whole);
});

test("a logger's own form tells whose line it is", () => {
  const agent = "2026/04/02 08:15:00.120044 WARNING cloud-init does not appear to be made-up";
  expect(readStatement(agent, "system").program).toBe("waagent");
  const calico = "2026-04-02 08:15:00.120 [WARNING][9] startup/made_up.go 99: Unable to make up";
  expect(readStatement(calico, "system").program).toBe("calico");
});

test("systemd speaks also in the child that is not yet the program it was made for", () => {
  const line = `Apr 02 08:15:00 node-1 (made-up)[1748]: ${said}`;
  expect(readStatement(line, "system")).toEqual({ program: "systemd", severity: "error", message: said });
});

test.each([
  ["W | etcdserver: made-up request was slow to be refused", "warning"],
  ["E | rafthttp: made-up stream failed", "error"],
  ["N | etcdmain: made-up notice of a failure", "info"],
])("etcd's own form has its level before a bar, whoever put a name in front: %s", (line, severity) => {
  for (const prefix of ["2026-04-02 08:15:00.118203 ", "08:15:00 etcd1 | 2026-04-02 08:15:00.118203 "])
    expect(readStatement(`${prefix}${line}`, "system").severity).toBe(severity);
});

test("the words that every program of Kubernetes writes in front of its last error are no part of it", () => {
  const line = `E0402 08:15:00.120044    1204 run.go:74] "command failed" err="${said.replaceAll('"', '\\"')}"`;
  expect(readStatement(line, "system")).toMatchObject({ message: said, severity: "end" });
});

test("what a command was told to pass over, and the whole of a container's id, are not what failed", () => {
  const id = "0123456789abcdef".repeat(4);
  const line = `made-up: kubeadm init --ignore-preflight-errors=Swap,Port-10250: cannot stop ${id}: exit status 1`;
  const { message } = readStatement(line, "system");
  expect(message).not.toMatch(/Swap|Port-10250|cdef0123/u);
  expect(message).toContain("cannot stop 0123456789ab: exit status 1");
});

test("what a program says in front of the record of one that it ran stays with it", () => {
  const record = 'time="2026-04-02T08:15:00Z" level=fatal msg="made-up end"';
  const { message } = readStatement(`\t[ERROR CRI]: the made-up runtime is not running: output: ${record}`, "system");
  expect(message).toBe("[ERROR CRI]: the made-up runtime is not running: made-up end");
  expect(readStatement(`08:15:00.001 all is well: ${record}`, "system").message).toBe("made-up end");
});

test("a quote within a record that nobody escaped does not end it", () => {
  const line =
    'time="2026-04-02T08:15:00Z" level=fatal msg="asking: desc = "transport: dial unix /run/made-up.sock: connection refused" name=made-up';
  expect(readStatement(line, "system").message).toBe(
    'asking: desc = "transport: dial unix /run/made-up.sock: connection refused',
  );
});

test("with these words the kubelet ends, though it tells them as an error", () => {
  const line = (head: string): string => `E0402 08:15:00.120044 12 server.go:3] "${head}" err="made-up"`;
  expect(readStatement(line("Failed to run kubelet"), "system").severity).toBe("end");
  expect(readStatement(line("Failed to update status"), "system").severity).toBe("error");
});

test("the level in the place of a host's name is the line's own", () => {
  const line = (level: string): string => `2026-04-02T08:15:00.074604Z  ${level} made_up: could not do it: timed out`;
  expect(readStatement(line("INFO"), "system").severity).toBe("info");
  expect(readStatement(line("ERROR"), "system").severity).toBe("error");
  expect(readStatement(line("node-1"), "system").message).toBe("could not do it: timed out");
});

test("with what a unit's process was called is no part of how it ended", () => {
  const line = "Process: 7 ExecStart=/usr/bin/made-up --network-plugin cni --x y (code=exited, status=255)";
  expect(readStatement(line, "system").message).toBe(
    "Process: 7 ExecStart=/usr/bin/made-up … (code=exited, status=255)",
  );
});
