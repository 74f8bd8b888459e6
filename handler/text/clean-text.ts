const terminalSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-Z\\^-~])/g;
const controlCharacter = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g;

/**
 * Text that any reader can take: no terminal sequences, no control characters but tab and line feed, no lone surrogates
 * (WALinuxAgent decodes the status strictly; one lone surrogate loses the status of the whole machine).
 */
export function cleanText(text: string): string {
  return text.replace(terminalSequence, "").replace(/\r\n?/g, "\n").replace(controlCharacter, "").toWellFormed();
}
