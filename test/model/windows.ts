import type { Machine, SystemModel } from "./machine.ts";

export const windows: SystemModel = {
  boot(_machine: Machine): void {
    // Follows.
  },
};

export function layOutWindowsImage(_machine: Machine): void {
  // Follows.
}
