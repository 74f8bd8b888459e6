import { createRequire } from "node:module";
import { TestEnvironment } from "jest-environment-node";

// The module itself, whose function jest-environment-node calls, not a view of it.
const vm = createRequire(import.meta.url)("node:vm") as { createContext: (sandbox: unknown) => unknown } & Pick<
  typeof import("node:vm"),
  "constants"
>;

/**
 * Jest's environment for Node with the global object of a plain context. Its own is a proxy behind an interceptor of node:vm, and each
 * `Object` or `String` of tested code is looked up there: a thousand times what it costs the program, and half the time of tests that reckon.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
  }
}
