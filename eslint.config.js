import eslint from "@eslint/js";
import redos from "eslint-plugin-redos-detector";
import regexp from "eslint-plugin-regexp";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: [".cache/", "dist/", "coverage/", "node_modules/", "test/fixtures/", "*.config.js", "jest.transform.js"] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  regexp.configs["flat/recommended"],
  {
    files: ["**/*.ts"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { "redos-detector": redos },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "redos-detector/no-unsafe-regex": ["error", { ignoreError: true }],
      "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
      "max-params": ["error", 3],
      complexity: ["error", 12],
      // Ports are objects of plain functions; hardly any class here has a `this` that could get lost.
      "@typescript-eslint/unbound-method": "off",
      // winston's own types do not satisfy it: its File transport is declared apart from the class that createLogger takes.
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      "no-control-regex": "off",
      "no-misleading-character-class": ["error", { allowEscape: true }],
      "regexp/no-control-character": "off",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/consistent-type-definitions": ["error", "interface"],
      "@typescript-eslint/consistent-type-assertions": [
        "error",
        { assertionStyle: "as", objectLiteralTypeAssertions: "never" },
      ],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    },
  },
  {
    // Language data is 5 MiB of mapped memory in every process that touches it, the waiting supervisor too.
    files: ["handler/**/*.ts"],
    rules: {
      "no-restricted-globals": ["error", { name: "Intl", message: "It loads the language data (decision 0007)." }],
      "no-restricted-syntax": [
        "error",
        {
          selector: "MemberExpression[property.name=/^(toLocale\\w+|localeCompare)$/]",
          message: "It loads the language data (decision 0007).",
        },
      ],
    },
  },
  {
    // redos-detector cannot read named groups and takes seconds for a bounded repetition; the catalogue is proved linear by
    // scslre instead: here through eslint-plugin-regexp, and in test/rules.test.ts over the shipped form.
    files: [
      "scripts/rules/*.ts",
      "handler/diagnosis/reading/*.ts",
      "handler/diagnosis/advice.ts",
      "handler/diagnosis/error-lines.ts",
      "handler/diagnosis/unwrap.ts",
    ],
    rules: { "redos-detector/no-unsafe-regex": "off", "regexp/no-super-linear-move": "error" },
  },
  {
    // The detector rates any search that is not anchored as unsafe; test/handler/text/redact-growth.test.ts measures that the
    // time for a line grows with its length alone.
    files: ["handler/text/*.ts"],
    rules: { "redos-detector/no-unsafe-regex": "off" },
  },
  {
    // Closed tables of spellings, a list to read and to add to: one may be a part of another.
    files: ["handler/diagnosis/reading/*.ts"],
    rules: {
      "regexp/no-dupe-disjunctions": "off",
      "regexp/no-contradiction-with-assertion": "off",
      "regexp/no-useless-assertions": "off",
    },
  },
  {
    files: ["test/**/*.ts", "scripts/dev/**/*.ts"],
    // These read only what the project itself has written: no stranger chooses the text.
    rules: {
      "redos-detector/no-unsafe-regex": "off",
      "max-lines-per-function": "off",
      "max-lines": "off",
      "@typescript-eslint/no-floating-promises": "error",
    },
  },
);
