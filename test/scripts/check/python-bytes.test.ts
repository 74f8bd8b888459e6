import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { followsCause, isOfKubeadm, kubeadmMarks, readKubeadmOutput } from "../../../scripts/check/kubeadm-output.ts";
import { linesOfBytesLiteral } from "../../../scripts/check/python-bytes.ts";

/** Parts of kubeadm's own lines and of what lies around them, with every form of a written line end and of a backslash before it. */
const part = fc.constantFrom(
  ...[
    "\\n",
    "\\r\\n",
    "\\\\n",
    "\\\\\\n",
    "\\\\",
    "\\t",
    "\\\\t",
    "n",
    " ",
    "  ",
    "/",
    "\t",
    "\\x41",
    "a step that goes well",
  ],
  ...[
    "error execution phase preflight",
    ": ",
    "[ERROR Port-10250]: Port 10250 is in use",
    "error:",
    "kubeadm: not found",
  ],
  ...[
    "'kubeadm' is not recognized",
    "[reset] ",
    "[preflight] Running pre-flight checks",
    "[init] Using Kubernetes version",
  ],
  ...[
    "This node has joined the cluster",
    "Your Kubernetes control-plane has initialized successfully",
    "fatal errors occurred:",
  ],
  ...[
    "cluster.x-k8s.io kubeadm bootstrap script ",
    "finished",
    "k8s.io/kubernetes/cmd",
    "github.com/spf13/cobra",
    "runtime.main",
  ],
  ...["main.main", "domain.name", "[WARNING x]", "To see the stack trace"],
);

function read(literal: string, marks: RegExp): { readonly lines: readonly string[]; readonly outcome: unknown } {
  const output = readKubeadmOutput();
  const wanted = { wantsNext: output.wantsNext, isWanted: isOfKubeadm, wantsBefore: followsCause, marks };
  const lines: string[] = [];
  for (const line of linesOfBytesLiteral(literal, wanted)) {
    lines.push(line);
    output.read(line);
  }
  return { lines, outcome: output.outcome("a log") };
}

test("what is passed over between two marks of kubeadm's would not have been read, nor changed what is said of it", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), fc.constantFrom("", "'", '"'), (parts, end) => {
      const literal = `b'${parts.join("")}${end}`;
      // With a mark everywhere, no line is passed over.
      expect(read(literal, kubeadmMarks)).toEqual(read(literal, /./gsu));
    }),
    { numRuns: 5000 },
  );
});
