import { expect, test } from "@jest/globals";
import { show } from "./show-anew.ts";

const S = "Zx9Qw7Lm2Vb4";
const long = "the request was refused by the server because of a rule ".repeat(7);

/** A secret behind or within words that say what became of one. */
test.each([
  ["behind a state, an identifier that begins with a letter", "token: invalid a8e7d6c1-1234-4abc-9def-0123456789ab"],
  ["behind a state, further on than most errors are long", `password: denied ${long}${S}`],
  ["behind a state, base32 without a digit", "totp: invalid JBSWYDPKEHPKPXPQ"],
  ["behind a state, base64 that begins with a slash", "token: rejected /9jAAQSkZJRgABAQEAYABgAAD"],
  ["behind a state, a code of digits", "otp: expired 482913"],
  ["behind a state, an account with its password", "auth: failed admin:hunter2pass"],
  ["quoted as a key", 'auth: failed: key "sk1234567890abcdef" not recognized'],
  ["quoted as a user", 'password: user "hunter2secretvalue" not found'],
  ["glued to a state", "password: invalid.HorseBattery"],
  ["a word that begins as an error does", "password: EOFhunter"],
  ["a word that begins as an error of certificates does", "password: x509:hunterhorse"],
  ["a word that begins as an error of connections does", "password: connectionhorse"],
  ["a token that begins as a refusal does", "Authorization: not/abc+defghijklmnopqrstuv"],
  ["a token with a refusal before its dash", `Authorization: error-${S}`],
  ["a name that ends as the one of bootstrap data", `METADATA_SECRET=${S}`],
  ["a credential of nobody's classes", `ManagedAppCredential=${S}`],
])("hides a secret: %s", (_where, line) => {
  expect(show(line)).toMatch(/^[^:=]{1,40}[:=] ?<redacted:[a-z-]+>$/u);
});
