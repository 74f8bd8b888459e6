/** What is fetched from elsewhere: packages, files, add-ons, images by their names. */
export const transferSubjects = [
  /** yum did not get as far as the names of its repositories: nobody told it a mirror. */
  { subject: "mirrors-unknown", pattern: /One of the configured repositories failed \(Unknown\)/u },
  {
    subject: "package-mirror",
    pattern:
      /apt-get|\bapt\b|\bdpkg\b|InRelease|Release file|metadata not found|on medium|\.rpm is not signed|pkgs\.k8s\.io|packages\.(?:microsoft|cloud)|archive\.ubuntu|baseurl|mirrorlist|repomd|repositor|\brepo\b|\byum\b|\bdnf\b|\btdnf\b|\bzypper\b|retrieving file '|gpg|OpenPGP|\bPPA\b|NO_PUBKEY|keyring|sources\.list|deb https?:/iu,
  },
  {
    subject: "add-on-file",
    pattern:
      /(?:Get|read URL) \W{0,2}https?:\/\/\S{3,300}\.ya?ml\b|\.ya?ml\W{1,5}server reported|checksum (?:mismatch )?(?:for|of) \S{4,200}\.(?:t?gz|xz|zip)\b|\b[45]\d\d (?:Client|Server) Error: [^:]{3,60} for url: https?:\/\/(?!127\.|169\.254\.)/u,
  },
  /** How a reference to an image is written. */
  {
    subject: "image-name",
    pattern: /couldn't parse image|invalid reference format|apply default image tag|\bshort-name\b/u,
  },
  /** How Python's and Java's libraries call who asks for a file. */
  {
    subject: "http-client",
    pattern:
      /HTTPS?ConnectionPool\(host='(?!127\.|10\.96\.|169\.254\.|168\.63\.)[^']{1,253}', port=(?!6443|16443|9345)\d|\burllib\.error\.HTTPError|\burlopen error|Could not (?:GET|HEAD) 'https?:|\bhttp\.client\.[A-Z]|\bHTTP Error [45]\d\d: [A-Z]/u,
  },
  {
    subject: "download",
    pattern:
      /download|curl\b|wget|azcopy|\b(?:Head|Get)Object\b|\.blob\.core\.|Invoke-WebRequest|Invoke-RestMethod|Start-BitsTransfer|\.tgz\b|\.tar\.gz|\.zip\b|dl\.k8s\.io|github\.com|storage\.googleapis|acs-mirror|packages\.aks|get\.k3s\.io|get\.rke2|artifact|tarball|(?<!content)checksum/iu,
  },
] as const satisfies readonly { readonly subject: string; readonly pattern: RegExp }[];
