import AdmZip from "adm-zip";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WrongUse } from "../../publish/publish-error.ts";
import { parseKeep } from "../../publish/rollout-command.ts";
import { parseContainer } from "../../publish/upload/container-address.ts";
import { parseLinkDays } from "../../publish/upload/link-days.ts";

const project = join(import.meta.dirname, "../..");
const tool = join(project, "publish/main.ts");
const container = "https://account.blob.core.windows.net/packages";
let folder = "";
let env: Readonly<Record<string, string | undefined>> = {};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "capz-tool-"));
  // One way to sign in, and no program for it: nobody asks the network who this machine is.
  env = { PATH: process.env["PATH"], HOME: folder, AZURE_TOKEN_CREDENTIALS: "AzureCliCredential" };
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface ToolRun {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the tool as a person does, with nobody signed in. */
function run(args: readonly string[], more: Readonly<Record<string, string>> = {}): ToolRun {
  const ran = spawnSync(process.execPath, ["--no-warnings", tool, ...args], {
    cwd: project,
    env: { ...env, ...more },
    encoding: "utf8",
  });
  return { code: ran.status, output: ran.stdout + ran.stderr };
}

function lay(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** As little of a package as tells its system. */
function zipFor(system: "linux" | "windows"): string {
  const zip = new AdmZip();
  zip.addFile(`runtime/${system}-x64/node`, Buffer.from("node"));
  return lay(`${system}.zip`, zip.toBuffer());
}

describe("publish takes", () => {
  const publish = (zip: string, system: string, link: string) =>
    run(["publish", zip, "--system", system, "--link-file", link, "--dry-run"]);

  test.each([
    [
      "linux",
      "windows",
      "is the package for Linux; --system names Windows.\nGive --system linux, or the zip for Windows.",
    ],
    [
      "windows",
      "linux",
      "is the package for Windows; --system names Linux.\nGive --system windows, or the zip for Linux.",
    ],
    // As far as the next question.
    ["linux", "linux", "does not pass verify"],
    ["windows", "windows", "does not pass verify"],
  ] as const)("the zip for %s under --system %s: %s", (of, system, words) => {
    const zip = zipFor(of);
    const { code, output } = publish(zip, system, lay("link", "https://a.example/p.zip?sig=abc\n"));
    expect([code, output]).toEqual([1, expect.stringContaining(`error: ${zip} ${words}`)]);
  });

  test.each([
    ["a word", "garbage"],
    ["nothing", ""],
    ["an address among words", "see https://a.example/p.zip"],
    ["two addresses", "https://a.example/p.zip\nhttps://a.example/q.zip"],
    ["an address without TLS", "http://a.example/p.zip"],
    ["a file", "file:///p.zip"],
  ])("one https address as the link, and not %s, of which nothing is told", (_, text) => {
    const { code, output } = publish(zipFor("linux"), "linux", lay("link", text));
    expect(code).toBe(1);
    expect(output).toContain("does not hold one https address and nothing else");
    expect(output).not.toContain(text === "" ? "a.example" : text);
  });
});

describe("upload tells wrong use before anything is read", () => {
  // Neither the zip nor the bundle is there, and nothing says so.
  test.each([[["--dry-run"]], [["--dry-run", "--json"]], [[]]])(
    "a signature in the address, and does not print it %j",
    (args) => {
      for (const command of [
        ["upload", "no.zip"],
        ["upload-bundle", folder],
      ]) {
        const { code, output } = run([...command, "--container", `${container}?sv=1&sig=SECRET`, ...args]);
        expect(code).toBe(64);
        expect(output).toContain("Give the shared access signature in CAPZ_STORAGE_SAS, not in the address");
        expect(output).not.toContain("SECRET");
      }
    },
  );

  test.each(["nope", "", "http://a.example/c", "https://account.blob.core.windows.net", "ftp://a.example/c"])(
    "an address that is no container's: %j",
    (address) => {
      expect(() => parseContainer(address)).toThrow(WrongUse);
      expect(() => parseContainer(address)).toThrow(`--container is "${address}".`);
    },
  );

  test.each(["8", "0", "-1", "x", ""])("a link of %j days", (days) => {
    expect(() => parseLinkDays(days)).toThrow(WrongUse);
    expect(() => parseLinkDays(days)).toThrow(`--link-days is "${days}".`);
  });

  test.each([
    [["--container", "nope"], 'error: --container is "nope".\nGive the https address of a container: https://'],
    [
      ["--container", container, "--link-days", "8"],
      'error: --link-days is "8".\nGive a number of days above 0, up to 7',
    ],
  ])("in a dry run, too: %j", (args, words) => {
    const told = { code: 64, output: expect.stringContaining(words) };
    expect(run(["upload", "no.zip", ...args, "--dry-run"])).toEqual(told);
  });

  test("a link that the signature cannot sign", () => {
    const args = ["upload", "no.zip", "--container", container, "--link-file", "l", "--dry-run"];
    expect(run(args, { CAPZ_STORAGE_SAS: "sig=SECRET" })).toEqual({
      code: 64,
      output: expect.stringMatching(/^error: --link-file and CAPZ_STORAGE_SAS are both given[\s\S]*Sign in/u),
    });
  });

  test("and takes what is right", () => {
    const file = lay("file.bin", "bytes");
    const { code, output } = run([
      "upload",
      file,
      "--no-verify",
      "--container",
      `${container}/`,
      "--link-days",
      "7",
      "--dry-run",
    ]);
    expect([code, output]).toEqual([0, expect.stringMatching(new RegExp(`^would upload .* to ${container}\\n$`, "u"))]);
  });

  test("who is not signed in reads how to", () => {
    const args = ["upload", lay("file.bin", "bytes"), "--no-verify", "--container", "https://127.0.0.1:9/c"];
    expect(run(args)).toEqual({
      code: 1,
      output: expect.stringMatching(
        /: nobody is signed in \([\s\S]*\)\nSign in \(az login[\s\S]* CAPZ_STORAGE_SAS\.\n$/u,
      ),
    });
  });
});

describe("wrong use ends with 64, which no answer of status is", () => {
  test.each([
    [["nonsense"], "unknown command 'nonsense'"],
    [["promote", "2.0.0", "--stage", "canary"], "required option '--system <system>' not specified"],
    [["list", "--system", "beos"], "Allowed: linux, windows, all."],
    [["list", "--system", "linux", "--cloud", "mars"], "Allowed: public, usgovernment, china."],
    [["list", "--system", "linux", "--endpoint", "http://registry.example"], "http://127.0.0.1:PORT"],
    [["promote", "2.0.0", "--stage", "nope", "--system", "linux", "--dry-run"], "Stages: canary, "],
    [
      ["promote", "2.0.0", "--stage", "canary", "--system", "linux", "--dry-run", "--check"],
      "option '--dry-run' cannot be used with option '--check'",
    ],
    [
      ["prune", "--system", "linux", "--dry-run", "--keep", "x"],
      "Give a whole number from 1: how many patches of a major.minor stay.",
    ],
  ] as const)("%j", (args, words) => {
    expect(run(args)).toEqual({ code: 64, output: expect.stringContaining(words) });
  });

  test.each(["x", "0", "1.5", "", "-1"])("prune keeps no %j patches", (keep) => {
    expect(() => parseKeep(keep)).toThrow("Give a whole number from 1");
  });

  test("and what it quotes holds no signature", () => {
    const { code, output } = run(["list", "--system=linux", `--link=${container}?sig=SECRET`]);
    expect(code).toBe(64);
    expect(output).toContain("unknown option");
    expect(output).not.toContain("SECRET");
  });

  test("help is no wrong use, and lists the exit codes", () => {
    expect(run(["--help"])).toEqual({
      code: 0,
      output: expect.stringMatching(/^Exit codes:\n[\s\S]*^ {2}64 wrong use/mu),
    });
  });
});

test("a reader that has closed the pipe changes no exit code; a full disk is told, without a stack trace", () => {
  const shell = (line: string): string => {
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", line], {
      env: { ...env, node: process.execPath, tool },
      encoding: "utf8",
    });
    return stdout + stderr;
  };
  for (const args of ["--help", "vm-application --system linux"]) {
    const program = `"$node" --no-warnings "$tool" ${args}`;
    expect(shell(`${program} | true; echo "code \${PIPESTATUS[0]}"`)).toBe("code 0\n");
    expect(shell(`${program} >/dev/full; echo "code $?"`)).toBe(
      "code 1\nerror: the answer could not be written to standard output: ENOSPC: no space left on device, write\n",
    );
  }
});
