import type { RunProcess } from "../host.ts";
import type { MachineIdentity } from "./platform.ts";
import { parseRegistryNumber, queryRegistry } from "./registry-windows.ts";

/**
 * VM id: SMBIOS's system UUID as the kernel notes it at every boot, which Azure sets to the VM's unique id; a captured image
 * that starts as another VM has another. MachineGuid is only made anew by sysprep and serves where there is no SMBIOS.
 */
const uuidKey = "HKLM\\SYSTEM\\HardwareConfig";
const guidKey = "HKLM\\SOFTWARE\\Microsoft\\Cryptography";
/**
 * Boot id: the kernel's count of boots and the time of the last orderly shutdown. Servers without prefetch may not keep the
 * first, a crash does not change the second. Not the boot time: it moves when a new VM's clock is set.
 */
const memoryKey = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters";
const shutdownKey = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Windows";

export async function windowsIdentity(reg: string, run: RunProcess): Promise<MachineIdentity> {
  const [uuid, boots, shutdown] = await Promise.all([
    queryRegistry(reg, { key: uuidKey, name: "LastConfig" }, run),
    queryRegistry(reg, { key: memoryKey, name: "BootId" }, run),
    queryRegistry(reg, { key: shutdownKey, name: "ShutdownTime" }, run),
  ]);
  const id = uuid ?? (await queryRegistry(reg, { key: guidKey, name: "MachineGuid" }, run)) ?? "unknown";
  const boot = [boots, shutdown].filter((part) => part !== undefined);
  return {
    vmId: id.replaceAll(/[{}]/gu, "").toLowerCase(),
    bootId: boot.length === 0 ? "unknown-boot" : boot.join("-").toLowerCase(),
  };
}

/** The sequence number that the Windows agent notes for a handler (azure-extension-platform: seqno_windows.go). */
export async function recordedSequence(
  reg: string,
  handler: { readonly name: string; readonly version: string },
  run: RunProcess,
): Promise<number | undefined> {
  const key = `HKLM\\Software\\Microsoft\\Windows Azure\\HandlerState\\${handler.name}_${handler.version}`;
  return parseRegistryNumber(await queryRegistry(reg, { key, name: "SequenceNumber" }, run));
}

/** The whole key is asked for, as the check asks for it. */
const setUpKey = { key: "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", name: "InstallDate", isLasting: true };

/** InstallDate: seconds since 1970, UTC, in which setup (sysprep's, too) has run on this disk. */
export async function setUpAt(reg: string, run: RunProcess): Promise<Date | undefined> {
  const seconds = parseRegistryNumber(await queryRegistry(reg, setUpKey, run)) ?? 0;
  return seconds === 0 ? undefined : new Date(seconds * 1000);
}
