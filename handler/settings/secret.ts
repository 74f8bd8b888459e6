import { inspect } from "node:util";

/** Wraps a secret so that printing, serialising or logging it by accident shows nothing; opened only by name. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "<redacted>";
  }

  toJSON(): string {
    return "<redacted>";
  }

  [inspect.custom](): string {
    return "<redacted>";
  }
}
