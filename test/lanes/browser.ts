import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Chromium, or Chrome where that is what the machine has. */
export function browserProgram(): string {
  const folders = (process.env["PATH"] ?? "").split(":");
  const names = ["chromium", "google-chrome"];
  return names.find((name) => folders.some((folder) => existsSync(join(folder, name)))) ?? "chromium";
}

/** A real Chromium without a window, driven over its debugging protocol (chromedevtools.github.io/devtools-protocol). */
export class Browser {
  readonly #process: ChildProcess;
  readonly #socket: WebSocket;
  readonly #profile: string;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #last = 0;
  #session: string | undefined;

  private constructor(started: {
    readonly process: ChildProcess;
    readonly socket: WebSocket;
    readonly profile: string;
  }) {
    this.#process = started.process;
    this.#socket = started.socket;
    this.#profile = started.profile;
    this.#socket.addEventListener("message", ({ data }) => {
      const message: Message = JSON.parse(String(data));
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
    });
  }

  static async start(): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), "capz-browser-"));
    const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"];
    const chromium = spawn(
      browserProgram(),
      [...args, "--no-first-run", `--user-data-dir=${profile}`, "--remote-debugging-port=0", "about:blank"],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const address = await listeningAddress(chromium);
    const socket = new WebSocket(address);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => {
        resolve();
      });
      socket.addEventListener("error", () => {
        reject(new Error(`Cannot talk to Chromium at ${address}`));
      });
    });
    return new Browser({ process: chromium, socket, profile });
  }

  /** Opens a page of this content, as wide as `width` CSS pixels. */
  async open(
    html: string,
    { width, dark = false }: { readonly width: number; readonly dark?: boolean },
  ): Promise<void> {
    if (this.#session === undefined) {
      const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
      this.#session = String(sessionId);
    }
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height: 900,
      deviceScaleFactor: 1,
      mobile: width < 600,
    });
    await this.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
    });
    const { frameTree } = await this.send("Page.getFrameTree", {});
    const frameId = fieldOf(fieldOf(frameTree, "frame"), "id");
    await this.send("Page.setDocumentContent", { frameId, html });
  }

  /** The value of an expression in the page. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true });
    if (exceptionDetails !== undefined) throw new Error(`In the page: ${JSON.stringify(exceptionDetails)}`);
    return fieldOf(result, "value");
  }

  /** The whole page, also what is below the window's end. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true });
    return Buffer.from(String(data), "base64");
  }

  /** As a person prints it: A4, with the margins of the page itself. */
  async pdf(): Promise<Buffer> {
    const { data } = await this.send("Page.printToPDF", { preferCSSPageSize: true, printBackground: false });
    return Buffer.from(String(data), "base64");
  }

  async close(): Promise<void> {
    this.#socket.close();
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill();
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  private send(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    this.#last += 1;
    const id = this.#last;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id);
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${JSON.stringify(error)}`));
      });
      this.#socket.send(JSON.stringify({ id, method, params, ...session }));
    });
  }
}

interface Message {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

/** Chromium writes it to standard error once it listens. */
function listeningAddress(chromium: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    chromium.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
      const address = /DevTools listening on (?<address>ws:\S+)/u.exec(said)?.groups?.["address"];
      if (address !== undefined) resolve(address);
    });
    chromium.once("error", reject);
    chromium.once("exit", () => {
      reject(new Error(`Chromium ended before it listened:\n${said.slice(-2000)}`));
    });
  });
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
