// Jest names one function in a file.
export { leaveTemporaryFolder as default } from "./own-temporary-folder.ts";
