import { describe, expect, test } from "@jest/globals";
import { parseListen, parseServer } from "../../../cluster/commands/parse-address.ts";

describe("parseListen", () => {
  test.each([
    ["0.0.0.0:9440", "0.0.0.0", 9440],
    [":9440", "0.0.0.0", 9440],
    ["localhost:0", "localhost", 0],
    ["[::]:9440", "::", 9440],
    ["[::1]:65535", "::1", 65_535],
  ])("reads %s", (text, host, port) => {
    expect(parseListen(text)).toEqual({ host, port });
  });

  test.each(["", "9440", "::1:9440", "[1.2.3.4]:9440", "0.0.0.0:", "0.0.0.0:65536", "0.0.0.0:-1", "a b:1", "[::1]"])(
    "refuses %p and says what is allowed",
    (text) => {
      expect(() => parseListen(text)).toThrow("for example 0.0.0.0:9440 or [::]:9440");
    },
  );
});

describe("parseServer", () => {
  test.each(["https://10.0.0.1:6443", "http://127.0.0.1:8001", "https://[fd00::1]:6443"])("reads %s", (text) => {
    expect(parseServer(text)).toBe(text);
  });

  test.each(["", "10.0.0.1:6443", "nonsense", "ftp://x", "file:///etc/kubeconfig", "https://x/k8s/clusters/c-1"])(
    "refuses %p and says what is allowed",
    (text) => {
      expect(() => parseServer(text)).toThrow("for example https://10.0.0.1:6443");
    },
  );
});
