import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExtensionDefinition } from "./extension-definition.ts";
import { projectFolder } from "./project.ts";
import { PublishError } from "./publish-error.ts";

/** Longest install or remove command (Azure Compute Gallery: manageActions). */
const maxCommandLength = 4096;

/**
 * An ARM template with a VM Application and one version of it: the way for everyone whose subscription is not a publisher.
 * The package link is a secure parameter, because it carries a signature.
 */
export async function renderVmApplication(definition: ExtensionDefinition, version: string): Promise<string> {
  const suffix = definition.os === "Linux" ? "sh" : "cmd";
  const [install, remove] = await Promise.all([readCommand(`install.${suffix}`), readCommand(`remove.${suffix}`)]);
  const name = `capz-bootstrap-${definition.os.toLowerCase()}`;
  const template = {
    $schema: "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    contentVersion: "1.0.0.0",
    parameters: {
      galleryName: { type: "string" },
      packageLink: { type: "securestring" },
      location: { type: "string", defaultValue: "[resourceGroup().location]" },
      targetRegions: { type: "array", defaultValue: ["[resourceGroup().location]"] },
    },
    resources: [
      {
        type: "Microsoft.Compute/galleries/applications",
        apiVersion: "2024-03-03",
        name: `[format('{0}/${name}', parameters('galleryName'))]`,
        location: "[parameters('location')]",
        properties: { supportedOSType: definition.os, description: definition.description },
      },
      {
        type: "Microsoft.Compute/galleries/applications/versions",
        apiVersion: "2024-03-03",
        name: `[format('{0}/${name}/${version}', parameters('galleryName'))]`,
        location: "[parameters('location')]",
        dependsOn: [`[resourceId('Microsoft.Compute/galleries/applications', parameters('galleryName'), '${name}')]`],
        properties: {
          publishingProfile: {
            source: { mediaLink: "[parameters('packageLink')]" },
            manageActions: { install, remove },
            settings: { packageFileName: "capz-bootstrap.zip", configFileName: "capz-bootstrap.json" },
            // ARM's way to make a list of a parameter: the member has the name of the copy.
            copy: [
              {
                name: "targetRegions",
                count: "[length(parameters('targetRegions'))]",
                input: { name: "[parameters('targetRegions')[copyIndex('targetRegions')]]" },
              },
            ],
          },
        },
      },
    ],
  };
  return `${JSON.stringify(template, null, 2)}\n`;
}

async function readCommand(name: string): Promise<string> {
  const command = (await readFile(join(projectFolder, "manifests/vm-application", name), "utf8")).trim();
  if (command.length <= maxCommandLength) return command;
  throw new PublishError(
    `manifests/vm-application/${name} has ${command.length} characters, allowed are ${maxCommandLength}.`,
    "Shorten it: the work belongs into the package.",
  );
}
