/** Who prepares a machine speaks of these: a cloud's tools and controllers, and what a play asks of the machine first. */
export const provisioningSubjects = [
  {
    subject: "cloud-api",
    pattern:
      /management\.azure\.com|login\.microsoftonline|\bAADSTS|azure\.json|cloud[- ]?provider|managed identit|MSI\b|service principal|(?<![-_/])\bARM\b|refresh the Token|BearerAuthorizer|AzureCLI|(?<!\.)\bRBAC\b(?!: \[?(?:cluster)?role)|role assignment|acquire (?:an? )?(?:ARM )?token\b|identity\/oauth2\/token|adal:|\w{3,40}Credential:? (?:authentication failed|failed)|credential(?:s|Providers)\b.{0,60}chain|vCenter|vSphere client|govmomi|UnauthorizedOperation|keystone|not authorized to perform|locate credentials|an active account|\bfrom azure\b|exchang(?:e request|ing token)/iu,
  },
  /** What a tool of a cloud was asked to do there, and where the cloud keeps it. */
  {
    subject: "cloud-call",
    pattern:
      /\bwhen calling the \w{3,60} operation\b|\boperation error [\w ]{2,30}: [A-Z]\w{2,60}, |\bs3:\/\/|\bgs:\/\/|\bhcloud\b|\bgoogle: could not find default|\bgoogleapi: |\bapi\.(?:digitalocean|linode|hetzner|vultr|equinix)\.\w{2,5}\b|\boci: |\bSAS token\b|\bGoogle Cloud Storage\b|\.gserviceaccount\.com\b|\(gcloud\.[a-z.-]{3,80}\)|\bkey ?vault\b|\bExpected HTTP response code \[|\bService error: ?[A-Z]|\bThe request you have made requires|\boauth2: cannot fetch token|\bAssumeRole\w{0,20}\b|\bServerFaultCode\b/u,
  },
  /** Where a machine asks who it is for the cloud. */
  { subject: "machine-identity", pattern: /\bconnect to MSI\b|no (?:managed|assigned) identit/u },
  { subject: "cloud-taint", pattern: /\bnode\.cloudprovider\.kubernetes\.io\/uninitialized\b/u },
  /** What Ansible knows of the machine, and a play asks more of. */
  { subject: "version-fact", pattern: /\bkube_version\b|\bof Kubespray\b/u },
] as const satisfies readonly { readonly subject: string; readonly pattern: RegExp }[];
