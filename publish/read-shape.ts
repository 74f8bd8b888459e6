import * as v from "valibot";
import { PublishError } from "./publish-error.ts";

/** A text that says something. */
export const someText = v.pipe(v.string(), v.minLength(1));

/**
 * The content of a file of the project's own, as its schema has it; keys that the schema does not know are left out.
 * @throws PublishError that names every fault at once, each with its place in the file
 */
export function readShape<Schema extends v.GenericSchema>(
  schema: Schema,
  content: unknown,
  file: string,
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, content);
  if (read.success) return read.output;
  const faults = read.issues.map((issue) => `${v.getDotPath(issue) ?? "the whole"}: ${issue.message}`);
  throw new PublishError(`${file} cannot be used: ${faults.join("; ")}.`, `Correct ${file}.`);
}
