import AdmZip from "adm-zip";

/**
 * A second extension that stands for any other one on the VM: a shell script that notes each call in
 * /var/log/stand-in.log and succeeds. With it a test sees when the agent lets a dependent extension run.
 */
export const standInName = "Lane.StandIn";
export const standInLog = "/var/log/stand-in.log";

const script = `#!/bin/sh
set -eu
echo "$1 seq=\${ConfigSequenceNumber:-none}" >>${standInLog}
if [ "$1" = enable ]; then
  now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  printf '[{"version":1.0,"timestampUTC":"%s","status":{"name":"StandIn","operation":"Enable","status":"success","code":0,"formattedMessage":{"lang":"en-US","message":"ran"}}}]' "$now" >"status/$ConfigSequenceNumber.status"
fi
`;

/** Writes the stand-in's package. */
export function writeStandInPackage(zipFile: string): void {
  const commands = ["install", "enable", "update", "disable", "uninstall"];
  const manifest = {
    name: standInName,
    version: 1.0,
    handlerManifest: {
      ...Object.fromEntries(commands.map((name) => [`${name}Command`, `handler.sh ${name}`])),
      rebootAfterInstall: false,
      reportHeartbeat: false,
    },
  };
  const zip = new AdmZip();
  zip.addFile("HandlerManifest.json", Buffer.from(JSON.stringify([manifest])));
  zip.addFile("handler.sh", Buffer.from(script));
  zip.writeZip(zipFile);
}
