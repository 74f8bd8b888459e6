/** True for the running machine's own root (`/`, `C:\`), false for a folder that stands for one. */
export function isSystemRoot(root: string): boolean {
  return root === "/" || /^[A-Z]:[\\/]?$/iu.test(root);
}
