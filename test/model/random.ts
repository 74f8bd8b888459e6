/** A small reproducible source of numbers in [0, 1): the same seed gives the same machine on every run (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The same list in another order. */
export function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const left = [...items];
  const drawn: Item[] = [];
  while (left.length > 0) drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  return drawn;
}

/** A lower-case GUID, as SMBIOS gives one to each virtual machine. */
export function drawGuid(random: () => number): string {
  const digits = (length: number): string =>
    Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0")
      .slice(0, length);
  return `${digits(8)}-${digits(4)}-${digits(4)}-${digits(4)}-${digits(8)}${digits(4)}`;
}
