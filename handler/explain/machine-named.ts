import type { Subject } from "./situation.ts";

const name = String.raw`(?<machine>[\w.-]{1,80})`;

/** How texts around a failure name a virtual machine: ids of Azure, CAPZ's log, a table of events, Terraform's and the portal's sentences. */
const places = [
  String.raw`\/providers\/Microsoft\.Compute\/virtualMachines\/${name}`,
  String.raw`\bAzureMachine=\\?"[\w.-]{1,80}\/${name}\\?"`,
  String.raw`\bazuremachine\/${name}`,
  String.raw`\bVirtual Machine Name: \\?"${name}\\?"`,
  String.raw`\bvirtual machine '${name}'`,
  String.raw`\bfor VM '${name}'`,
].map((place) => new RegExp(place, "giu"));

/** The machine that the text is about: the only one that it names. Of several nobody knows which is meant. */
export function machineNamed(text: string): Pick<Subject, "machine"> {
  const names = new Set(
    places.flatMap((place) => [...text.matchAll(place)].flatMap(({ groups }) => groups?.["machine"] ?? [])),
  );
  const [machine] = names;
  return machine === undefined || names.size > 1 ? {} : { machine };
}
