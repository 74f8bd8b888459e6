/** Name that a downloaded file gets: the last part of the path, decoded; undefined where that is no usable name. */
export function fileNameOfUrl(url: URL): string | undefined {
  const name = decode(url.pathname.split("/").at(-1) ?? "");
  // Names that leave the folder, and characters that Windows refuses or reads as a stream.
  const unusable = name === undefined || ["", ".", ".."].includes(name) || /[\u0000-\u001f"*/:<>?\\|]/u.test(name);
  return unusable ? undefined : name;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
