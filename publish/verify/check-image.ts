import { XMLParser } from "fast-xml-parser";
import { extensionImageNamespace, renderPackagedImage } from "../extension-image.ts";
import { isRecord, listOf, member } from "../json-value.ts";
import { problemsOf, type PackageCheck } from "./check.ts";
import { entryText } from "./opened-package.ts";

/** Elements in the order in which the service reads them (service management SDK: extension image). */
const imageElements = [
  "ProviderNameSpace",
  "Type",
  "Version",
  "Label",
  "HostingResources",
  "MediaLink",
  "Description",
  "IsInternalExtension",
  "Eula",
  "PrivacyUri",
  "HomepageUri",
  "IsJsonExtension",
  "SupportedOS",
  "CompanyName",
  "Regions",
];
const optional = ["Eula", "PrivacyUri", "HomepageUri", "CompanyName", "Regions"];
const forms: readonly (readonly [string, RegExp, string])[] = [
  ["ProviderNameSpace", /^[^_\s]{1,255}$/, "1 to 255 characters without blanks and underscores"],
  ["Type", /^[^_\s]{1,255}$/, "1 to 255 characters without blanks and underscores"],
  ["Version", /^\d+(?:\.\d+){1,3}$/, "2 to 4 numbers joined by dots"],
  ["HostingResources", /^VmRole$/, "VmRole"],
  ["MediaLink", /^$/, "empty: the link is given when the version is published"],
  ["IsInternalExtension", /^true$/, "true: it becomes public by promotion only"],
  ["IsJsonExtension", /^true$/, "true: the settings are JSON"],
  ["Eula", /^https:\/\/\S+$/, "an https address"],
  ["PrivacyUri", /^https:\/\/\S+$/, "an https address"],
  ["HomepageUri", /^https:\/\/\S+$/, "an https address"],
];

export const checkImage: PackageCheck = {
  id: "extension-image",
  title: "manifest.xml",
  run(opened) {
    const { definition } = opened;
    const xml = entryText(opened, "manifest.xml") ?? "";
    const rendered = renderPackagedImage(definition, imageText(xml, "Version") ?? "");
    return problemsOf([
      ...imageProblems(xml),
      ...(xml === rendered ? [] : ["it differs from what manifests/extension-image.json renders"]),
      ...["ProviderNameSpace", "Type", "SupportedOS"].flatMap((name, index) => {
        const wanted = [definition.publisher, definition.type, definition.os][index];
        const value = imageText(xml, name);
        return value === wanted ? [] : [`${name} is "${value ?? ""}", not "${wanted ?? ""}"`];
      }),
    ]);
  },
};

type Elements = readonly (readonly [string, string])[];

/** What is wrong with an ExtensionImage document that lies in a package; empty when nothing is. */
function imageProblems(xml: string): readonly string[] {
  const elements = readImage(xml);
  const names = elements.map(([name]) => name);
  const known = names.filter((name) => imageElements.includes(name));
  const ordered = imageElements.filter((name) => known.includes(name));
  return [
    ...(xml.includes(`<ExtensionImage xmlns="${extensionImageNamespace}">`)
      ? []
      : ["the root is not ExtensionImage of Azure"]),
    ...imageElements
      .filter((name) => !optional.includes(name) && !names.includes(name))
      .map((name) => `${name} is missing`),
    ...names.filter((name) => !imageElements.includes(name)).map((name) => `${name} is not known to the service`),
    ...(known.join() === ordered.join()
      ? []
      : [`the order is ${known.join(", ")}; the service reads ${ordered.join(", ")}`]),
    ...forms.flatMap(([name, form, allowedText]) => {
      const value = textOf(elements, name);
      return value === undefined || form.test(value) ? [] : [`${name} is "${value}", allowed is ${allowedText}`];
    }),
  ];
}

/** Text of one element of an ExtensionImage document. */
export function imageText(xml: string, name: string): string | undefined {
  return textOf(readImage(xml), name);
}

function readImage(xml: string): Elements {
  const parser = new XMLParser({ preserveOrder: true, ignoreAttributes: true, parseTagValue: false });
  const parsed: unknown = parser.parse(xml);
  const root = listOf(parsed).find((node) => isRecord(node) && "ExtensionImage" in node);
  return listOf(member(root, "ExtensionImage")).flatMap((node) => {
    const [name] = isRecord(node) ? Object.keys(node) : [];
    if (name === undefined || name.startsWith("#")) return [];
    const text = member(listOf(member(node, name))[0], "#text");
    return [[name, typeof text === "string" ? text : ""] as const];
  });
}

function textOf(elements: Elements, wanted: string): string | undefined {
  return elements.find(([name]) => name === wanted)?.[1];
}
