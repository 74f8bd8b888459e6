import { chmodSync, mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestEnvironment } from "jest-environment-node";

// The module itself, whose function jest-environment-node calls, not a view of it.
const vm = createRequire(import.meta.url)("node:vm") as { createContext: (sandbox: unknown) => unknown } & Pick<
  typeof import("node:vm"),
  "constants"
>;

const variables = ["TMPDIR", "TMP", "TEMP"];

/**
 * Jest's environment for Node with the global object of a plain context. Its own is a proxy behind an interceptor of node:vm, and each
 * `Object` or `String` of tested code is looked up there: a thousand times what it costs the program, and half the time of tests that reckon.
 *
 * A file that asks what a command left in the folder for temporary files begins with
 * `@jest-environment-options {"ownTemporaryFolder": true}`: the one of the run is shared by all files that are tested at the same time.
 */
export default class PlainEnvironment extends TestEnvironment {
  readonly #outer: readonly (readonly [name: string, value: string | undefined])[];

  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    const [{ projectConfig }] = given;
    const outer = variables.map((name) => [name, process.env[name]] as const);
    // Before the tests get their copy of the environment.
    if (projectConfig.testEnvironmentOptions["ownTemporaryFolder"] === true) takeOwnTemporaryFolder();
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
    this.#outer = outer;
  }

  override async teardown(): Promise<void> {
    for (const [name, value] of this.#outer) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    await super.teardown();
  }
}

function takeOwnTemporaryFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), "own-"));
  // As the run's: programs of other users look into it, too.
  chmodSync(folder, 0o1777);
  for (const name of variables) process.env[name] = folder;
}
