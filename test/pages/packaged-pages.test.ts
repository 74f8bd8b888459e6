import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { markdownFiles, snippetsOf } from "../support/markdown.ts";
import { createPageMachine, type PageMachine } from "./page-machine.ts";
import { pagePlan } from "./page-plan.ts";

const repository = join(import.meta.dirname, "..", "..");
const snippets = markdownFiles(repository).flatMap((page) =>
  snippetsOf(readFileSync(join(repository, page), "utf8")).map((snippet) => ({ page, ...snippet })),
);
const blocks = snippets
  .filter(
    ({ language, text }) =>
      language === "sh" && /(?:bin\/|\b)capz-bootstrap[* ;]/u.test(text) && !text.includes("npm run "),
  )
  .map((block) => {
    const planned = pagePlan.find((one) => one.page === block.page && block.text.startsWith(one.begins));
    return { ...block, planned };
  });

let machine: PageMachine;
beforeAll(() => {
  machine = createPageMachine();
}, 900_000);
afterAll(() => {
  machine.discard();
});

describe("the commands of the pages, run with the unpacked package", () => {
  test("each has its place in the plan, and the plan names no other", () => {
    expect(blocks.filter(({ planned }) => planned === undefined).map(({ page, text }) => `${page}: ${text}`)).toEqual(
      [],
    );
    const used = blocks.map(({ planned }) => planned);
    expect(pagePlan.filter((one) => !used.includes(one))).toEqual([]);
  });

  // A report must be there before `report` prints it, as on a machine of a user.
  test.each(
    blocks
      .filter(({ planned }) => planned?.exits !== undefined)
      .map(({ page, line, text, planned }) => [`${page}:${String(line)}`, text, planned?.exits ?? []] as const)
      .toSorted(([, a], [, b]) => Number(b.includes("run --settings")) - Number(a.includes("run --settings"))),
  )(
    "%s",
    (_, text, exits) => {
      const { output, exits: seen } = machine.run(text);
      expect({ seen, output }).toEqual({
        seen: exits,
        output: expect.not.stringMatching(/TypeError|ReferenceError|unfolds/u),
      });
    },
    180_000,
  );
});

describe("the help of the program", () => {
  const help = () => machine.run("capz-bootstrap --help").output;

  test("names every command, and each command has its own help", () => {
    const names = [...help().matchAll(/^ {2}(?<name>[a-z]+)(?: \[| <| {2})/gmu)].map(
      ({ groups }) => groups?.["name"] ?? "",
    );
    expect(names).toEqual(expect.arrayContaining(["run", "diagnose", "report", "explain", "settings"]));
    for (const name of names.filter((one) => one !== "help"))
      expect(machine.run(`capz-bootstrap ${name} --help`).exits).toEqual([0]);
  });
});

describe("what a person may do wrong, or may not do", () => {
  test.each([
    ["diagnose", "--html", "--json"],
    ["diagnose", "--html", "--brief"],
    ["diagnose", "--json", "--brief"],
    ["run", "--settings settings.json --json", "--brief"],
    ["check", "--replay observations.json", "--root ."],
    ["check", "--replay observations.json", "--bundle ."],
    ["check", "--replay observations.json", "--hook hook"],
    ["check", "--replay observations.json", "--provider rke2"],
    ["check", "--bundle .", "--hook hook"],
  ])("%s refuses %s with %s, and takes neither silently", (command, one, other) => {
    const { exits, output } = machine.run(`capz-bootstrap ${command} ${one} ${other}`);
    expect({ exits, output }).toEqual({ exits: [64], output: expect.stringContaining("cannot be used with option") });
  });

  test("a user who may not read the logs is told that, and not that there was no bootstrap", () => {
    machine.putFailure("closed", "api.closed.internal");
    chmodSync(join(machine.root, "closed/var/log/cloud-init-output.log"), 0o600);
    for (const command of ["diagnose --root closed", "diagnose closed/var/log/cloud-init-output.log"]) {
      const { output } = machine.run(asNobody(`capz-bootstrap ${command}`));
      expect(output).toMatch(/may not (?:be )?read/u);
      expect(output).not.toContain("no bootstrap found");
    }
    chmodSync(join(machine.root, "closed/var/log"), 0o700);
    expect(machine.run(asNobody("capz-bootstrap diagnose --root closed")).output).toContain("may not read");
  });

  test.each(["report", "run --settings settings.json"])("%s without rights is a sentence, and no stack", (command) => {
    machine.run("capz-bootstrap run --quiet --settings settings.json");
    const { exits, output } = machine.run(asNobody(`capz-bootstrap ${command}`));
    expect(exits).toEqual([3]);
    expect(output).toMatch(/^capz-bootstrap: .*permission denied.* Next: Run it as root \(sudo\)[^\n]*\n$/u);
  });

  test("a report of an earlier wait is not printed as that of the last one", () => {
    const wait = (settings: string) =>
      machine.run(`printf '%s' '${settings}' >own.json; capz-bootstrap run --quiet --settings own.json`);
    wait('{"commandToExecute": "echo the first; exit 3"}');
    expect(machine.run("capz-bootstrap report").output).toContain("the first");
    wait('{"commandToExecute": "true"}');
    for (const command of ["report", "report --json"]) {
      const { exits, output } = machine.run(`capz-bootstrap ${command}`);
      expect({ exits, output }).toEqual({
        exits: [3],
        output: expect.stringMatching(/^capz-bootstrap report: the last verdict, of \S+ \("Bootstrapped in /u),
      });
      expect(output).not.toContain("the first");
    }
  });

  test("a failure whose diagnosis cannot be made is told, with the report of it", () => {
    machine.breakPackage("diagnosis-diagnose.cjs");
    const told = machine.run(
      `printf '%s' '{"commandToExecute": "echo own words; exit 3"}' >own.json; broken/bin/capz-bootstrap run --quiet --settings own.json`,
    ).output;
    expect(told).toContain("the command exited with code 3: own words");
    expect(told).toContain("the diagnosis could not be made (half a file)");
    expect(machine.run("capz-bootstrap report").output).toContain("the diagnosis could not be made (half a file)");
  });

  // What the program asks for first, by its first question, and where it prints.
  test.each(["shared-errors.cjs", "platform-linux.cjs", "shared-text.cjs"])(
    "a package that lost lib/%s says so in a sentence, and can be disabled",
    (part) => {
      machine.losePart(part);
      const { output } = machine.run(
        "broken/bin/capz-bootstrap enable; echo $?; broken/bin/capz-bootstrap disable; echo $?",
      );
      const sentence = String.raw`capz-bootstrap[^\n]*: \S+/lib/${part} is missing: the package is not whole\. Next: [^\n]+\n`;
      expect(output).toMatch(
        new RegExp(`^(?:.*\n)?5[23]\n0\n${sentence}(?:${sentence})?capz-bootstrap: disable has stopped [^\n]+\n$`, "u"),
      );
    },
  );

  test("a user who may not read the instance's folder is not told that there was no user data", () => {
    const mark = "var/lib/cloud/instances/i-closed/sem/config_scripts_user";
    machine.run(
      `mkdir -p ${mark.replace(/[^/]+$/u, "")} run; echo >${mark}; ln -sfn instances/i-closed var/lib/cloud/instance; chmod 700 var/lib/cloud/instances/i-closed`,
    );
    expect(machine.run("capz-bootstrap check").output).not.toMatch(/^user-data: +(?:never|could not)/mu);
    expect(machine.run(asNobody("capz-bootstrap check")).output).toMatch(/^user-data: +could not be read/mu);
  });

  test.each(["<&-", "</", "0>write-only"])("run takes its file where standard input is opened with %s", (input) => {
    const { exits } = machine.run(
      `printf '%s' '{"commandToExecute": "true"}' >own.json; capz-bootstrap run --quiet --settings own.json ${input}`,
    );
    expect(exits).toEqual([0]);
  });

  test("settings from a standard input that is closed or empty are asked for", () => {
    const { exits, output } = machine.run("capz-bootstrap run --quiet --settings - </dev/null");
    expect({ exits, output }).toEqual({ exits: [3], output: expect.stringContaining("Standard input is empty") });
  });

  test("the program is found through links to its launcher", () => {
    const link = 'ln -s "$(pwd)"/var/lib/waagent/*/bin/capz-bootstrap one; mkdir -p in; ln -s ../one in/two;';
    expect(machine.run(`${link} ./one --version; in/two --version`).output).toMatch(
      /^(?<version>\d\S+)\n\k<version>\n$/u,
    );
  });
});

/** The same command by a user without rights. */
function asNobody(command: string): string {
  const open = "chmod 755 .; chmod -R a+rX var/lib/waagent tools; : >exits; chmod 666 exits";
  return `${open}; setpriv --reuid=65534 --regid=65534 --clear-groups ${command}`;
}

describe("what the pages show as an answer", () => {
  test("YAML is explained like JSON", () => {
    const yaml = machine.run("capz-bootstrap explain machine.yaml").output;
    expect(yaml).toContain("failed (DnsResolutionFailed) in kubeadm join after 74 s");
  });

  const samples = snippets.filter(({ language }) => language === "text");
  const failures = samples.filter(({ text }) => text.startsWith("Bootstrap failed ("));
  const explained = samples.filter(({ text }) => /^\S+ \(instance view, extension /u.test(text));

  const reported = samples.filter(({ text }) => text.startsWith("Bootstrap reported, "));

  test("each sample is compared here", () => {
    expect(samples.filter((one) => ![...failures, ...explained, ...reported].includes(one))).toEqual([]);
    expect([failures.length, explained.length].map((count) => count > 0)).toEqual([true, true]);
  });

  // The proof of a machine needs Azure's metadata service: the words are held by the golden file, with more parts behind them.
  test.each(reported.map(({ page, text }) => [page, text.trimEnd()] as const))(
    "%s shows facts in the program's words: %s",
    (_, text) => {
      const golden = readFileSync(join(repository, "test/golden/messages.golden.txt"), "utf8");
      expect(golden.split("\n").some((line) => line.startsWith(text))).toBe(true);
    },
  );

  test.each(failures.map(({ page, text }) => [page, text.trimEnd()] as const))(
    "%s shows a failure in the program's words: %s",
    (_, text) => {
      const host = /: (?<host>\S+) cannot be resolved/u.exec(text)?.groups?.["host"] ?? "";
      machine.putFailure("shown", host);
      const lines = machine.run("capz-bootstrap diagnose --root shown").output.split("\n");
      // The logs do not say when the wait began.
      const told = text.replace(/ after \d+ s/u, "").split("\n");
      expect(lines.slice(0, told.length)).toEqual(told);
    },
  );

  test.each(explained.map(({ page, text }) => [page, text.trimEnd()] as const))(
    "%s shows the whole answer of explain: %s",
    (_, text) => {
      const view = text.includes("Bootstrapped in ") ? "good-view.json" : "view.json";
      const { output, exits } = machine.run(`capz-bootstrap explain ${view}`);
      expect({ exits, output: output.trimEnd() }).toEqual({ exits: [0], output: text });
    },
  );
});
