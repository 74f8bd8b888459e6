import type { Rule } from "../../handler/diagnosis/rule.ts";

export const downloadCurlFailed = {
  kind: "failure",
  id: "download-curl-failed",
  cause: "http-download-failed",
  reason: "HttpDownloadFailed",
  platforms: ["linux", "windows"],
  stage: "packages",
  sources: "any",
  any: [
    /curl: \((?:7|16|18|22|28|35|47|52|55|56|60|77|92)\) (?<answer>[^\n]{5,140})/u,
    /wget: (?<answer>server returned error: [^\n]{5,100}|can't connect to remote host[^\n]{0,100}|download timed out)/u,
    /(?:ERROR|HTTP ERROR) (?<answer>404: Not Found|403: Forbidden|50\d: [A-Z][\w ]{3,40})/u,
    /(?<answer>Failed to connect to \S{1,253} port \d{1,5}[^\n]{0,60})/u,
    // The Custom Script extension, Linux and Windows.
    /\boperation=enable\b[^\n]{0,80} error="unexpected status code: actual=(?<answer>[45]\d\d)/u,
    /failed to download file\[\d{1,3}\]: (?<answer>[^\n]{5,140})/u,
    /Failed to download all specified files\. Exiting\. Error Message: (?<answer>[^\n]{5,140})/u,
    /Invoke-WebRequest : (?<answer>[^\n]{5,120})/u,
    [
      /wget|Connecting to|--\d{4}-\d\d-\d\d/u,
      /(?<answer>failed: Connection (?:timed out|refused)|failed: No route to host|failed: Network is unreachable)/u,
    ],
  ],
  except: [
    /(?:localhost|127\.0\.0\.1)[: ](?:port )?(?:10248|10255|6443|2379)|healthz/u,
    /\bport 6443\b|:6443\//u,
    /169\.254\.169\.254/u,
  ],
  // The installer of k3s or RKE2 goes on with what it has got; that of kOps tries one mirror after the other.
  recoveredBy: [
    /\[INFO\]\s{1,3}(?:[Vv]erifying|[Ii]nstalling|[Uu]npacking) /u,
    /== Downloaded https?:/u,
    /event="download complete"/u,
  ],
  specificity: 58,
  confidence: "high",
  explains: ["apt-lock-held", "package-not-found", "cloud-init-scripts-failed", "preflight-binary-missing"],
  retryable: true,
  blame: "network",
  title: "A download with curl or wget failed",
  summary: "A download failed: {answer|no answer}",
  explanation:
    "A step of the bootstrap downloads a file and does not get it. What the file holds (a program, a key, a package list) is missing, so the steps after it fail.",
  nextStep:
    "Make that address answer to the node: correct the URL, open the way to it (outbound rule, NAT or proxy in AzureCluster spec.networkSpec) or, where its certificate is refused, put the CA into the node's store (KubeadmConfigTemplate spec.template.spec.files and preKubeadmCommands)",
  references: ["https://everything.curl.dev/cmdline/exitcode.html"],
} as const satisfies Rule;
