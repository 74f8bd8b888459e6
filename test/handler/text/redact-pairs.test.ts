import { expect, test } from "@jest/globals";
import { redactPairs } from "../../../handler/text/redact-pairs.ts";

// A line; ⟦ and ⟧ stand around what must be hidden.
const lines: readonly (readonly [what: string, line: string])[] = [
  ["a pair of name and value", '{"name":"DB_PASSWORD","value":"⟦horses⟧"}'],
  ["one in a literal", String.raw`{\"name\":\"DB_PASSWORD\",\"value\":\"⟦horses⟧\"}`],
  ["none of another name", '{"name":"COLOUR","value":"horses"}'],
  ["none with a plain value", '{"name":"DB_PASSWORD","value":"true"}'],
  ["the value in front of its name", '{"value":"⟦horses⟧","name":"DB_PASSWORD"}'],
  ["none in front of another name", '{"value":"horses","name":"COLOUR"}'],
  ["no plain one in front", '{"value":"true","name":"DB_PASSWORD"}'],
  ["what is set", 'setx API_TOKEN "⟦horses⟧"'],
  ["a default of a variable", 'variable "token" { default = "⟦horses⟧" }'],
  ["an element with a name", '<property name="secret">⟦horses⟧</property>'],
  ["a value of the registry", "DefaultPassword    REG_SZ    ⟦horses⟧"],
  ["a cell beside its name", "| token | ⟦9f2c77ab⟧ |"],
  ["a cell between drawn bars", "│ token │ ⟦horses⟧ │"],
  ["the third of three cells", "| root | password | ⟦9f2c77ab⟧ |"],
  ["the fourth of four", "| 7 | root | password | ⟦9f2c77ab⟧ |"],
  ["no words with bars between, of which one may choose", "use password | token | none"],
  ["… but a cell that is no word", "use | password | ⟦9f2c77ab⟧"],
  ["no word behind the second cell of more", "| 7 | root | password | horses | x |"],
  ["the word of an account's row", "| root | password | ⟦letmein⟧ |"],
  ["… without bars around it", "root | password | ⟦letmein⟧"],
  ["… between drawn bars", " │ root │ db_password │ ⟦letmein⟧ │ "],
  ["no account's row without a secret's name", "| root | colour | letmein |"],
  ["no row of columns' names", "| user | password | host |"],
  ["no row with a column's name in front", "name | password | letmein"],
  ["no row with a column's name behind", "root | password | enabled"],
  ["no row with another secret's name behind", "root | password | api_token"],
  ["no plain word", "root | password | true"],
  ["none with a fourth cell", "root | password | letmein | host"],
  ["none of a long row", `${" ".repeat(30)}${"a".repeat(64)}${" ".repeat(30)} | password | letmein${" ".repeat(300)}`],
  ["what looks made beside its name", '("password", "⟦Kx7Qm2Wv9z⟧")'],
  ["… behind more than one blank", "DB_PASSWORD    ⟦Kx7Qm2Wv9z⟧"],
  ["… behind one, where the name has parts", "DB_PASSWORD ⟦Kx7Qm2Wv9z!⟧"],
  ["… or capitals within", "dbPassword ⟦Kx7Qm2Wv9z!⟧"],
  ["none behind a word of a sentence", "password Kx7-m2Wv."],
  ["none that does not look made", "DB_PASSWORD    horses-and-carts"],
  ["none behind a comma", "db.password, Kx7Qm2W-v9z."],
  ["a random word behind a name that may be one's", "MY_LICENSE    ⟦Kx7Qm2Wv9zAb3Cd4Ef5Gh6⟧"],
];

test.each(lines)("beside its name is hidden: %s", (...[, line]) => {
  expect(redactPairs(line.replaceAll(/[⟦⟧]/gu, "")).replaceAll(/<redacted:[a-z-]+>/gu, "⟦⟧")).toBe(
    line.replaceAll(/⟦[^⟧]*⟧/gu, "⟦⟧"),
  );
});
