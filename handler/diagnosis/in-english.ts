/**
 * What libc, apt, dnf, wget and shells say where the machine speaks another language, as they say it in English: German, French,
 * Spanish, Portuguese, Italian, Russian, Chinese, Japanese, Korean, by the catalogues of these programs. Only what an
 * operator meets while a node is prepared.
 */
const sayings: readonly { readonly said: string; readonly english: string }[] = [
  {
    english: "No space left on device",
    said: "kein Speicherplatz mehr verfügbar|Aucun espace disponible sur le périphérique|No queda espacio en el dispositivo|Não há espaço disponível no dispositivo|Spazio esaurito sul device|На устройстве не осталось свободного места|设备上没有空间|デバイスに空き領域がありません|장치에 남은 공간이 없음",
  },
  {
    english: "not enough free space",
    said: "haben nicht genug Platz|pas assez d.espace disponible|suficiente espacio libre|não possui espaço suficiente|没有足够的可用空间",
  },
  {
    english: "command not found",
    said: "Kommando nicht gefunden|Befehl nicht gefunden|commande introuvable|orden no encontrada|no se encontró la orden|comando não encontrado|comando non trovato|команда не найдена|コマンドが見つかりません|未找到命令|找不到命令|명령어를 찾을 수 없음",
  },
  {
    english: "No such file or directory",
    said: "Datei oder Verzeichnis nicht gefunden|Aucun fichier ou dossier de ce type|No existe el (?:archivo|fichero) o el directorio|Arquivo ou diretório inexistente|File o directory non esistente|Нет такого файла или каталога|没有那个文件或目录|そのようなファイルやディレクトリはありません|그런 파일이나 디렉터리가 없습니다",
  },
  {
    english: "Permission denied",
    said: "Keine Berechtigung|Permission non accordée|Permiso denegado|Permissão negada|Permesso negato|Отказано в доступе|权限不够|許可がありません|허가 거부",
  },
  {
    english: "Unable to locate package",
    said: "Paket (?=\\S{1,100} kann nicht gefunden werden)|Impossible de trouver le paquet|No se ha podido localizar el paquete|Não foi possível encontrar o pacote|Impossível encontrar o pacote|Impossibile trovare il pacchetto|Не удалось найти пакет|Невозможно найти пакет|无法定位软件包|找不到套件|パッケージ (?=\\S{1,100} が見つかりません)|(?<=^E: )(?=\\S{1,100} 패키지를 찾을 수 없습니다)",
  },
  {
    english: "No match for argument: package",
    said: "No hay coincidencia para (?:el )?argumento:|Aucune correspondance pour l.argument ?:|Keine Übereinstimmung für Argumente?:|未找到匹配的参数[:：]|没有可用软件包",
  },
  {
    english: "Temporary failure resolving",
    said: "Fehlschlag beim Auflösen von|Fallo temporal al resolver|Erreur temporaire de résolution de|Falha temporária resolvendo|Временная ошибка при попытке получить IP-адрес|暂时不能解析域名|一時的に解決できません|주소를 알아내는 데 임시로 실패",
  },
  {
    english: "unable to resolve host address",
    said: "konnte die Host-Adresse|impossible de résoudre l.adresse de l.hôte|no se pudo resolver la dirección del equipo|não foi possível resolver endereço de máquina|не удаётся разрешить адрес|无法解析主机地址",
  },
  {
    english: "Connection timed out",
    said: "Die Wartezeit für die Verbindung ist abgelaufen|Le délai de connexion a expiré|Connexion terminée par expiration du délai d.attente|Expiró el tiempo de conexión|La conexión expiró|Tempo esgotado para conexão|Время ожидания соединения истекло|连接超时|接続がタイムアウトしました|연결 시간 초과",
  },
  {
    english: "is not valid yet (invalid for another",
    said: "ist noch nicht gültig \\(ungültig für weitere|no es válido todavía \\(inválido por otros|n.est pas encore valable \\(invalide pour encore|ainda não é válido \\(inválido por",
  },
  {
    english: "because the public key is not available",
    said: "weil ihr öffentlicher Schlüssel nicht verfügbar ist|car la clé publique n.est pas disponible|porque su clave pública no está disponible|由于没有公钥，无法验证下列签名|公開鍵を利用できない",
  },
];

const patterns = sayings.map(({ said, english }) => ({ pattern: new RegExp(said, "iu"), english }));

/** The text with what is known of it in English; all else, names and addresses, as it was. */
export function inEnglish(text: string): string {
  return patterns.reduce((said, { pattern, english }) => said.replace(pattern, english), text);
}

/** To search for: of each saying a part that few other lines have. */
export const foreignTexts: readonly string[] = [
  "kein speicherplatz",
  "aucun espace disponible",
  "no queda espacio",
  "espaço disponível",
  "spazio esaurito",
  "осталось свободного",
  "没有空间",
  "空き領域が",
  "남은 공간",
  "nicht gefunden",
  "commande introuvable",
  "no encontrada",
  "no se encontró",
  "não encontrado",
  "non trovato",
  "не найдена",
  "見つかりません",
  "未找到",
  "找不到",
  "찾을 수 없",
  "fichier ou dossier",
  "no existe el ",
  "diretório inexistente",
  "directory non esistente",
  "такого файла",
  "没有那个文件",
  "keine berechtigung",
  "non accordée",
  "permiso denegado",
  "permissão negada",
  "permesso negato",
  "отказано в доступе",
  "权限不够",
  "no hay coincidencia",
  "aucune correspondance",
  "keine übereinstimmung",
  "没有可用",
  "beim auflösen von",
  "fallo temporal",
  "erreur temporaire",
  "falha temporária",
  "временная ошибка",
  "不能解析",
  "die host-adresse",
  "impossible de résoudre",
  "no se pudo resolver",
  "não foi possível resolver",
  "разрешить адрес",
  "无法解析",
  "délai de connexion",
  "wartezeit für die",
  "连接超时",
  "öffentlicher schlüssel",
  "clé publique",
  "clave pública",
];
