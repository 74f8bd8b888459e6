import type { SettingValue } from "./read-value.ts";
import { settingRows, type KeyOfType, type SettingKey } from "./schema.ts";

type NumberWithDefault = Exclude<KeyOfType<"whole-number">, "timestamp">;

/** The values that were read, by key and in their type; a key that is not set gives its default from the table. */
export class SettingValues {
  readonly #values: ReadonlyMap<string, SettingValue>;

  constructor(values: ReadonlyMap<string, SettingValue>) {
    this.#values = values;
  }

  /** Also true for a value that was refused: it is there, so what needs it does not miss it. */
  isSet(key: SettingKey): boolean {
    const value = this.#values.get(key);
    return value !== undefined && value.kind !== "unset";
  }

  number(key: NumberWithDefault): number {
    const value = this.#values.get(key);
    return value?.kind === "number" ? value.number : settingRows[key].default;
  }

  flag(key: KeyOfType<"boolean">): boolean {
    const value = this.#values.get(key);
    return value?.kind === "flag" ? value.flag : settingRows[key].default;
  }

  choice(key: KeyOfType<"choice">): string {
    const value = this.#values.get(key);
    return value?.kind === "text" ? value.text : settingRows[key].default;
  }

  text(key: KeyOfType<"text" | "url">): string | undefined {
    const value = this.#values.get(key);
    return value?.kind === "text" ? value.text : undefined;
  }

  list(key: KeyOfType<"url-list">): readonly string[] {
    const value = this.#values.get(key);
    return value?.kind === "list" ? value.list : [];
  }

  identity(): { readonly clientId: string | undefined; readonly objectId: string | undefined } | undefined {
    const value = this.#values.get("managedIdentity");
    return value?.kind === "identity" ? value : undefined;
  }
}
