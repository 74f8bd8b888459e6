import { expect, test } from "@jest/globals";
import { causeOf, quiet } from "./cause-of.ts";

const ended = "systemd[1]: k3s.service: Main process exited, code=exited, status=1/FAILURE";

test("a line that names no program is of the only one that its log speaks of", () => {
  const said = 'F0402 08:15:00.120044 12 made_up.go:7] the data directory has existing state: "made-up"';
  expect(causeOf(...quiet(3), said, `Apr 02 08:15:09 node-1 ${ended}`)).toBe("node-already-joined");
});

test("a line that names no program is nobody's where its log speaks of several", () => {
  const said = "F0402 08:15:00.120044 12 made_up.go:7] made-up configuration: value does not match";
  const k3s = `Apr 02 08:15:09 node-1 ${ended}`;
  const etcd = '{"level":"error","caller":"etcdserver/made_up.go:9","msg":"made-up failure"}';
  expect(causeOf(...quiet(3), said, k3s)).toBe("distribution-config-invalid");
  expect(causeOf(...quiet(3), said, k3s, etcd)).not.toBe("distribution-config-invalid");
});
