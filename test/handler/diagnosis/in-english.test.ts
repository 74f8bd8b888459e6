import { describe, expect, test } from "@jest/globals";
import { inEnglish } from "../../../handler/diagnosis/in-english.ts";
import { causeOf } from "./reading/cause-of.ts";

/** One cause as apt, dnf, wget, tar and the shell tell it where the machine speaks another language. */
const said: readonly (readonly [string, readonly string[]])[] = [
  [
    "package-not-found",
    [
      "E: Paket made-up-tools kann nicht gefunden werden.",
      "E: Impossible de trouver le paquet made-up-tools",
      "E: No se ha podido localizar el paquete made-up-tools",
      "E: Não foi possível encontrar o pacote made-up-tools",
      "E: Невозможно найти пакет made-up-tools",
      "E: 无法定位软件包 made-up-tools",
      "E: パッケージ made-up-tools が見つかりません",
      "E: made-up-tools 패키지를 찾을 수 없습니다",
    ],
  ],
  [
    "dns-resolution-failed",
    [
      "W: Fehlschlag beim Holen von http://mirror.made-up.example/dists/x/InRelease  Temporärer Fehlschlag beim Auflösen von »mirror.made-up.example«",
      "W: Fallo al obtener http://mirror.made-up.example/dists/x/InRelease  Fallo temporal al resolver «mirror.made-up.example»",
      "W: Impossible de récupérer http://mirror.made-up.example/dists/x/InRelease  Erreur temporaire de résolution de « mirror.made-up.example »",
      "wget: konnte die Host-Adresse »mirror.made-up.example« nicht auflösen",
      "wget: 无法解析主机地址 “mirror.made-up.example”",
    ],
  ],
  [
    "disk-full",
    [
      "tar: kubelet: Kann nicht schreiben: Auf dem Gerät ist kein Speicherplatz mehr verfügbar",
      "cp: kubelet: Aucun espace disponible sur le périphérique",
      "E: Sie haben nicht genug Platz in /var/cache/apt/archives/.",
    ],
  ],
  [
    "preflight-binary-missing",
    ["bash: kubeadm: Kommando nicht gefunden.", "bash: kubeadm: orden no encontrada", "sudo: kubeadm：找不到命令"],
  ],
  [
    "clock-skew",
    [
      "E: Release-Datei für http://mirror.made-up.example/dists/x/InRelease ist noch nicht gültig (ungültig für weitere 7 h 12 min 3 s).",
      "E: El fichero «Release» para http://mirror.made-up.example/dists/x/InRelease no es válido todavía (inválido por otros 2h 3min 1s).",
    ],
  ],
];

describe.each(said)("%s", (cause, lines) => {
  test.each(lines)("%s", (line) => {
    expect(causeOf("Reading package lists...", line)).toBe(cause);
  });
});

test("what a machine says in its language of something that goes well names no cause", () => {
  expect(causeOf("Paketlisten werden gelesen… Fertig", "Paket kubelet wird eingerichtet (1.33.7-1.1) …")).toBe(
    "unclassified",
  );
  const tried = [
    "wget: konnte die Host-Adresse »mirror.made-up.example« nicht auflösen",
    "2026-04-02 08:15:10 (12.1 MB/s) - »made-up.tar« gespeichert",
    ...["one", "two", "three", "four", "five"].map((name) => `+ made-up-setup ${name}`),
  ];
  expect(causeOf(...tried)).toBe("unclassified");
});

test("only the saying is told in English, names and addresses stay", () => {
  expect(inEnglish("cp: /srv/Größe: Aucun espace disponible sur le périphérique")).toBe(
    "cp: /srv/Größe: No space left on device",
  );
});
