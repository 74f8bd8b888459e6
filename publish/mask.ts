/** Text that may be printed: the signature of every storage link is taken out, whoever put it into the text. */
export function mask(text: string): string {
  return text.replaceAll(/\b(sig|se|skoid|sktid)=[^&\s"'<]+/g, "$1=<redacted>");
}

/** A storage link without its query: what people and logs may see. */
export function withoutQuery(link: string): string {
  return link.split("?", 1)[0] ?? "";
}
