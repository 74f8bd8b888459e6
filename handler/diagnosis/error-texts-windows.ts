/** What a line of Windows holds that tells of an error, in whatever language. */
export const windowsTexts: readonly string[] = [
  // Codes of Windows, whose words are translated.
  "[sc] ",
  "(0x80",
  "hresult",
  "0x8007",
  "0xc0370",
  "0x803b0",
  "systemfehler",
  "erreur syst",
  "erro d",
  "systemu ",
  "истемная ошибка",
  "システム",
  "系统错误",
  "系統錯誤",
  "시스템 오류",
];
