import { sweepAbandonedNodes } from "../support/booted-node.ts";
import { sweepTemporaryFolders } from "../support/own-temporary-folder.ts";
import { sweepAbandonedMachines } from "../support/wine-root.ts";

/** Ends nodes and Wine machines whose test run was itself ended, and removes its files. */
await sweepAbandonedNodes();
await sweepAbandonedMachines();
sweepTemporaryFolders();
