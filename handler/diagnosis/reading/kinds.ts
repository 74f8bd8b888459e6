import { networkKinds } from "./kinds-network.ts";
import { mayMatch } from "./may-match.ts";
import { textsOfKinds } from "./may-match-texts.ts";
import { windowsCodesOf } from "./windows-codes.ts";

/**
 * What went wrong, by the spellings of Go, libc, Python, curl, gRPC, .NET and systemd, and by the codes of Windows, whose
 * words are translated. A message is of the kind whose spelling stands nearest to its end: the innermost error of the chain.
 */
export const kinds = [
  {
    kind: "out-of-space",
    pattern:
      /(?<!\/sys\/fs\/cgroup\/.{1,300}: )no space left|\bENOSPC\b|\bStorageFull\b|os error 28\b|(?<!key: )disk quota exceeded|out of disk space|free data blocks which is less|low on resource: \[?(?:ephemeral-storage|nodefs|imagefs|inodes)|not enough (?:free )?(?:disk )?space|insufficient (?:free |disk )?space(?!(?:: | \()\d{1,9} extents)|had condition: \[[^\]]{0,60}DiskPressure|wanted to free \d{1,15} bytes, but freed 0\b|disk(?: is)? full|garbage collect required amount|needs \d{1,6} ?[KMG]i?B more space|more space needed on|wrote only \d{1,7} of \d{1,7} bytes|(?:has|have) conditions: \[[^\]]{0,60}DiskPressure|0x80070070|there is not enough space/iu,
  },
  {
    kind: "out-of-memory",
    pattern:
      /out of memory|cannot allocate memory|\bENOMEM\b|oom-?kill|OOMKilled|\bsystem OOM\b|low on resource: \[?memory|reclaim memory|oom_reaper: reaped process \d{1,8} \((?:kube|etcd|containerd|crio|dockerd|k3s|rke2)|due to memory (?:used|pressure)|\bKilled process \d{1,9} \((?:kube|etcd|containerd|crio|dockerd|k3s|rke2)|OutOfMemoryException|insufficient memory|0x8007000e|status=204\/MEMORY|MemoryError|std::bad_alloc/iu,
  },
  {
    kind: "io-error",
    pattern:
      /input\/output error|\bI\/O error|\bEIO\b|buffer i\/o|read error|write error|(?:bad|read) superblock|structure needs cleaning|0x8007045d|medium error|no medium found|bad geometry|log mount failed|error loading journal|device not ready|UNEXPECTED INCONSISTENCY/iu,
  },
  {
    kind: "read-only",
    pattern: /read-only file system|\bEROFS\b|os error 30\b|ReadOnlyFilesystem|write[- ]protected/iu,
  },
  ...networkKinds,
  {
    kind: "too-many-requests",
    pattern:
      /\b429\b|too many requests|toomanyrequests|rate limit|metric '[\w ]{0,40}requests per|rate exceeded|throttl|RequestRateTooLarge|quota of pulls|QPS exceeded|request rate quota/iu,
  },
  {
    kind: "quota",
    pattern:
      /quota ?(?:exceeded|limit)|QuotaExceeded|exceed(?:s|ing|ed) (?:the )?(?:approved|quota|regional|.{0,30}quota)|InsufficientVCPUQuota|limit (?:has been )?reached|PublicIPCountLimitReached|LimitExceeded/iu,
  },
  {
    kind: "no-capacity",
    pattern:
      /AllocationFail|InvalidAvailabilityZone|SkuNotAvailable|sufficient capacity|capacity restriction|Overconstrained|not (?:available|allowed|offered) in (?:your subscription in )?(?:location|region|zone|the)|NotAvailableForSubscription/iu,
  },
  {
    kind: "unauthorized",
    pattern:
      /\b401\b|unauthori[sz]ed|unauthenticated|authentication (?:required|failed|error|failure)|(?:invalid|wrong|bad|malformed|unknown) (?:bearer |bootstrap |join )?(?:token|credentials?|password|username)|(?:token|credentials?|password) (?:is |are |was |were )?(?:invalid|wrong|rejected|not (?:valid|accepted|recogni[sz]ed|found)|(?:does not|doesn't) match|mismatch)|no basic auth|credential from external registry|please login to|no SAS token|unable to locate credentials|do not (?:currently )?have an active account|no credentials (?:provided|found)|(?:unable to|cannot) (?:authenticate|complete login)|NoCredentialProviders|(?:find|load) (?:default |any )?credentials|UnrecognizedClientException|InvalidClientTokenId|SignatureDoesNotMatch|\bAuthFailure\b|ExpiredToken|login (?:failed|denied)|incorrect (?:user ?name|password)|AADSTS\d|invalid_client|\bNotAuthenticated\b|\bNotAuthorizedOrNotFound\b|requires authentication|no EC2 (?:IMDS|instance) role found\b(?!.{0,200}(?:deadline|timeout|refused|unreachable))|InvalidAuthenticationToken|ExpiredAuthenticationToken|credentials (?:are|were) (?:invalid|rejected)|not authorized to/iu,
  },
  {
    kind: "forbidden",
    pattern:
      /(?<!Response code: \[)\b403\b|forbidden|PERMISSION_DENIED|AccessDenied|UnauthorizedOperation|AuthorizationFailed|AuthorizationPermissionMismatch|(?:does|do) not have (?:authorization|permission|access)|insufficient_scope|LinkedAuthorizationFailed|access denied|pull access denied|(?<!permission )denied:|(?<=manifest \S{1,100} in \S{3,200}: )denied$|RequestDisallowedByPolicy|User "[^"]{1,120}" cannot (?:list|get|create|watch|update|patch|delete)\b|access review was not approved/iu,
  },
  {
    kind: "server-error",
    pattern:
      /(?<!\()\b50[0234]\b|\bHTTP\S* 5\d\d|internal (?:server )?error|bad gateway|service unavailable|gateway time-?out|no healthy upstream|has no server available|InternalServerError|the server is currently unable|not yet ready to handle request|configuration is not ready|an error on the server|the server (?:rejected our request|was unable to return a response)|ServiceUnavailable/iu,
  },
  /** Somebody answers who does not know what is asked: another server, or one of another protocol. */
  {
    kind: "bad-request",
    pattern:
      /\b400 bad request\b|http response to https|http request to an https|malformed HTTP re(?:quest|sponse)|status ?(?:code)?:? 400\b|result: Bad Request/iu,
  },
  /** The service manager's own reasons. */
  {
    kind: "service-failed",
    pattern: /dependency service or group failed|did not respond to the start or control request|terminated service/iu,
  },
  /** What a filtering firewall answers in the place of the server. */
  {
    kind: "blocked",
    pattern: /\bstatus(?: code)? 470\b|\b470 +status|blocked by (?:the )?(?:firewall|proxy|network)|Action: Deny/iu,
  },
  {
    kind: "unimplemented",
    pattern: /unimplemented|unknown service|method not (?:found|allowed)|(?<!function )not implemented/iu,
  },
  {
    kind: "address-in-use",
    pattern:
      /address (?:already )?in use|\bEADDRINUSE\b|\bAddrInUse\b|(?:os error|errno) ?98\b|BindException|port(?: \d+)? (?:is )?(?:already )?(?:in use|used|taken|occupied|allocated)|only one usage of each socket|access a socket in a way forbidden|(?:bind:|\bport\b) .{0,60}in use|failed to bind|already (?:listening|bound)/iu,
  },
  {
    kind: "address-not-local",
    pattern:
      /cannot assign requested address|address not available|\bEADDRNOTAVAIL\b|\bAddrNotAvailable\b|(?:os error|errno) ?99\b|(?:no|find|failed to find) interface (?:with|has|for)|(?:find|no) (?:ip|address(?:es)?) (?:for|on) interface|requested address is not valid|find suitable network address/iu,
  },
  {
    kind: "security-denied",
    pattern:
      /\bavc: +denied|apparmor="?DENIED|SELinux is preventing|(?<!\w-)(?:apparmor|selinux|seccomp)\b(?!-\d).{0,60}\b(?:fail|denied|unable|not|error)|apparmor_parser: |(?:failed|unable|error)\b.{0,120}\bget apparmor_|load a profile while confined|not confined but should be|\bTOK_[A-Z]{3,}|apply profile|load apparmor profile|\b(?:apply|to) container_\w{4,20}_t\b|\/proc\/(?:self|thread-self)\/attr\/|blocked by (?:group policy|AppLocker|antivirus)|status=(?:22[89]|231|236)\/[A-Z]|(?:execution of|running) scripts is disabled/iu,
  },
  {
    kind: "exec-format",
    pattern:
      /exec format error|\bENOEXEC\b|cannot execute binary|wrong ELF class|not a valid Win32 application|bad CPU type|os error 193|%1 is not/iu,
  },
  {
    kind: "denied",
    pattern:
      /permission denied|\bEACCES\b|access is denied|access to the path|UnauthorizedAccess|0x80070005|PermissionError|operation not permitted|\bEPERM\b|insufficient privileges?|must be (?:run )?(?:as )?root|not privileged|requires? root|need to be root|os error 13\b|key: disk quota exceeded|\/sys\/fs\/cgroup\/\S{1,300}: no space left/iu,
  },
  {
    kind: "no-platform",
    pattern:
      /no match(?:ing manifest)? for (?:platform|linux|windows)|does not match the host operating system|0xc0370101|no matching manifest|wrong (?:platform|architecture)|unsupported (?:platform|arch|OS\b)|unknown (?:architecture|OS)\b|(?:unable to|could not|cannot|can't|failed to) (?:detect|determine|identify|recogni[sz]e) (?:the |your |this )?(?:OS\b|operating system|(?:linux )?distro|(?:linux )?distribution|platform)|no image found in .{4,30} for architecture/iu,
  },
  {
    kind: "missing-file",
    pattern:
      /no such file or directory|\bENOENT\b|cannot find the (?:file|path|drive)|could ?n.t find (?:file|the (?:file|path))|FileNotFound|DirectoryNotFound|os error [23]\b|0x8007000[23]|not found in (?:system path|\$?PATH)|executable file not found|required executable|unable to find executable|command not found|\biptables not found|command '[^']{1,60}' not found|is not recognized as|CommandNotFound|(?:file|path|directory|folder|binary|executable|manifest file)\b.{0,80}\b(?:does not exist|doesn't exist|not found|is missing|was not found|cannot be found)|no such (?:program|binary)|Failed to locate executable|unable to locate (?:file|executable|containerd)|missing (?:file|directory|binary)|PathError\{(?!.{1,300}Err:0x[^2])|no token file specified|stat \/\S{1,200}: no such|not installed|to be installed in\b|203\/\bEXEC\b|200\/CHDIR/iu,
  },
  {
    kind: "already-exists",
    pattern:
      /already exists?|\bis not unique\b|name (?:\S{1,90} )?is already in use|exists already|file exists|os error 17\b|existing state|\bEEXIST\b|is not empty|not empty|\bENOTEMPTY\b|already (?:been )?(?:using|used|assigned|joined|bootstrapped|initiali[sz]ed|part of|registered|a member|running|clustered|in (?:the )?cluster|configured|known)|left-?over|exists and is not|stale\b|previous(?:ly)? (?:install|cluster|run|joined)|duplicate/iu,
  },
  /** A folder where a file should be, as a container's mount makes one of a file that was not there, or the other way round. */
  {
    kind: "wrong-file-type",
    pattern: /\b(?:is a|(?:is )?not a) directory\b|\bEISDIR\b|\bENOTDIR\b|not a regular file/iu,
  },
  {
    kind: "locked",
    pattern:
      /could not (?:get lock|lock)|unable to (?:acquire|lock)|failed to (?:lock|obtain the .{0,20}lock)|LockFailed|lock timed out|timed out waiting for (?:the )?(?:\w{2,12} )?lock|failed to acquire the lock|(?<!select \(11: )resource temporarily unavailable|held by process|is locked|lock (?:is )?held|another (?:process|app|instance|package|copy)|\bEWOULDBLOCK\b|text file busy|device or resource busy|\bEBUSY\b|busy partitions|\/dev\/\S{2,80} is (?:already )?mounted\b|contains a mounted|open \/dev\/\S{2,80} exclusively|partitions in use|apparently in use|mount point busy|directly active|in use by another|change in progress|0x80070020|0x80070652/iu,
  },
  {
    kind: "unknown-option",
    pattern:
      /unknown (?:'[^']{1,40}' or '[^']{1,40}' )?(?:shorthand )?(?:labels?|flag|option|(?:flannel )?backend|field|key|keys|parameter|command|property|directive|section|(?:TLS )?cipher|policy|mode|(?:eviction )?signal)|unrecogni[sz]ed (?:flag|option|argument|arguments|key|feature gate|parameter)|unknown cloud provider|built-in cloud providers are disabled|flag provided but not defined|no such (?:flag|option)|unexpected (?:key|property|field|argument)|additional propert|invalid (?:flag|option)\b|strict decoding error|not a known|does not exist in (?:the )?schema|has been removed|no longer supported|(?:accepts|requires) (?:at most |at least |exactly |between )?\d[^,]{0,16} arg|deprecated and (?:removed|no longer)|unsupported (?:flag|option|key|field)|invalid command|plugin "[^"]{1,60}" is unknown|(?:profile|flag|option|backend) is deprecated\. Please use/iu,
  },
  {
    kind: "cannot-parse",
    pattern:
      /(?:cannot|can't|could not|couldn't|unable to|failed to|fail to|error|failure|failed|errors?|problem) ?(?:when |while )?(?:to )?(?:parse|parsing|unmarshal|unmarshall?ing|decod(?:e|ing)|deseriali[sz]\w+|load(?:ing)? (?:yaml|toml|json|config)|convert(?:ing)?|yaml|toml|json|shellify|render(?:ing)?)|(?<![\w.])(?:yaml|toml|json): |invalid character|unexpected end of JSON|syntax error|malformed|mapping values are not allowed|did not find expected|could not find expected '|cannot unmarshal|expects? \S{1,3} or n,? but found|error found in #\d|codec can't (?:en|de)code|invalid (?:yaml|json|toml|xml|header|pem|syntax|format|base64)|asn1: |unexpected token|(?:Parser|Scanner|Composer|Constructor)Error|found (?:character|unknown|unexpected)|no kind "|not well-formed|ParseError|parse error|parsing (?:error|failed)|unparsable|expected .{1,30} (?:but )?(?:got|found)|illegal base64|incorrect padding|DecompressionError|unbound variable|bad substitution|parameter (?:null or )?not set|bad interpreter|missing '='|not (?:a )?valid (?:yaml|json|toml|config|cloud-config|base64|xml)|(?:could ?n[o']t|cannot|unable to) (?:read|load) (?:\w{2,12} ){0,2}(?:key|certificate)\b|not in (?:the )?[\w -]{2,30} format\b|failed to find any PEM|does not contain (?:any )?valid/iu,
  },
  {
    kind: "no-addresses",
    pattern:
      /not enough IPs|failed to assign an? (?:IP|address)\b|no (?:more |free |available ){1,2}(?:IPs?|(?:IP )?addresses)|no IP addresses (?:available|left)|(?:IP|address) pool .{0,40}exhausted|out of (?:IPs|addresses)|(?:all|no) (?:IPs|addresses) (?:in use|are in use)|SubnetIsFull/iu,
  },
  /** A loader whose libraries are of another system than the program. */
  {
    kind: "library-unfit",
    pattern: /symbol lookup error|undefined symbol|version `?GLIBC\w{0,4}_[\d.]{1,8}'? not found|relocation error/iu,
  },
  { kind: "library-missing", pattern: /error while loading shared libraries|cannot open shared object/iu },
  {
    kind: "unmet-dependency",
    pattern:
      /unmet dependenc|unsatisfiable constraints|satisfy dependenc|this requirement cannot be provided|\bpackage: \S{3,120}\.(?:x86_64|aarch64|noarch)\b|(?:held )?broken packages|(?:pre-?)?depends: .{1,160}(?:\bbut\b|is not)|nothing provides|is needed by \S{1,80}-\d|conflicting requests|none of the providers|requires: .{1,160}|dependency problems|conflicts with .{2,80}\.(?:el|fc|amzn)\d|cannot install (?:both|the best)/iu,
  },
  /** Calls that this kernel does not have: EPROTONOSUPPORT, EAFNOSUPPORT, ENOSYS. */
  {
    kind: "kernel-lacks",
    pattern:
      /protocol not supported|address family not supported|function not implemented|\b(?:EPROTONOSUPPORT|EAFNOSUPPORT|ENOSYS)\b|mount(?:ing)? [^:]{2,60}: no such device|kernel (?:does not|doesn't) support|(?:the|this) kernel has no |not supported by (?:the |this |your )?kernel|kernel (?:is )?too old|not run on a host using cgroup v1|(?:needs|requires?) (?:a )?(?:linux )?kernel (?:version )?(?:>=? ?)?v?\d|requires? (?:>=? ?)?v?\d[\d.]{0,6}\+? kernel|minim(?:al|um) supported kernel/iu,
  },
  {
    kind: "version-differs",
    pattern:
      /version (?:v?\d\S+ )?(?:is )?(?:\S+ )?(?:too (?:old|new)|higher than|lower than|newer than|older than|greater than|less than|mismatch|skew|not (?:supported|found|compatible))|(?:incompatible|unsupported|invalid|unknown|wrong|mismatched) (?:\w+ ){0,2}version|only supports? (?:(?:newer|older) versions? of|deploying|versions|kubernetes|newer|older)|(?:minimum|minimal) (?:supported |kernel ){0,2}version|maximum (?:supported )?version|requires? (?:kubernetes|containerd|kernel|at least|version)|cannot downgrade|is too (?:old|new) to be used|version to upgrade to \S{1,40} is (?:\w{2,8} than|too)|expected containerd config version|config version \d+ higher|(?:old|deprecated) API spec|versions? (?:do not|don't|does not) match|too old that have these versions/iu,
  },
  {
    kind: "mismatch",
    pattern:
      /mismatch|overlaps with|(?:does not|do not|doesn't|did not|not) match|but did not receive|should (?:resolve to|be) \S{1,80} but|differ(?:s|ent)?(?: from| to|:)|not pinned|does not resolve to|none of the public keys|are pinned|not equal to|inconsistent|conflict(?:s|ing|ed)?\b|not signed by|belongs to (?:another|a different)|failed to verify (?:the )?\w{0,6} ?signature|can't trust this|was different from the/iu,
  },
  {
    kind: "corrupt",
    pattern:
      /corrupt|(?:open|closed) segment past|load (?:open|closed) segment|non[- ]contiguous|slice bounds out of range|cannot be repaired|failed to extract layer|layer verification failed|mismatched image rootfs|verification failed for digest|BAD archive|does not verify: |missing signature key|(?:NO_PUBKEY|(?:EXP|REV)KEYSIG|BADSIG)\b|bad record MAC|unexpected commit digest|get reader from content store|\bcrc|checksum|digest (?:mismatch|did not match)|hash sum mismatch|tocommit|bad magic|unexpected (?:content|digest|sha)|not (?:in|look like) (?:a )?(?:gzip|bzip2|xz|tar|zip)\b|file format not recognized|directory signature not found|not a zip ?file|invalid (?:tar|archive|gzip|checksum)|truncated|damaged|invalid database|message authentication failed|bad (?:gpg )?signature|signature verification (?:error|failed)|(?:\.rpm|InRelease\W{1,3}|Release\W{1,3}) ?is not signed|0x8007000d/iu,
  },
  {
    kind: "unhealthy",
    pattern:
      /unhealthy|not healthy|unavailable or misconfigured|\b(?:might be|is|are|went|was) down\b|(?:does|do) not (?:appear|seem) to be (?:running|ready|active|healthy)|no leader|leader ?election lost|lost (?:quorum|leader)|quorum|etcdserver: (?:leader changed|request timed out)|not ready|NotReady|not in sync|not started|health ?check|too many learner|CrashLoop|back-?off|is not running|is not active|(?:is|are all) unreachable\b|has stopped|permanently removed from the cluster|stopped posting|not responding|inactive|dead\b|not (?:yet )?initiali[sz]ed|no (?:valid )?networks found|NotReady/iu,
  },
  {
    kind: "invalid-value",
    pattern:
      /(?<!status=\d\/)invalid(?! memory address)|name is not valid|did not resolve to an alias|short-name resolution enforced|specified both (?:as|in)\b|(?:is|are|was|were) not (?:a )?valid\b|\bis empty\b|(?:incorrectly|wrongly|badly|not (?:correctly|properly)) formatted|illegal|out of range|must (?:be|not|have|contain|specify|consist|match)|to be set to|not allowed|\bEINVAL\b|required value|(?:is|are) required|no runtime for \S{1,60} is configured|is not defined\b|URLs are supported for|bad unit file setting|has fatal error|has no ExecStart|lacks (?:both )?ExecStart|not of (?:the )?form\b|from the given CIDR|missing (?:required|value|field|key|parameter|argument|section|\w+ (?:field|value|key))|not specified|cannot be (?:empty|used|set|both)|may not|mutually exclusive|unsupported value|not configured|no (?:value|hostname) (?:given|specified)|bad (?:value|parameter|argument|--[a-z])|is incorrect|unspecified|0x80070057|cannot use|can't (?:set|use)|only one|should be|not set/iu,
  },
  {
    kind: "not-supported",
    pattern:
      /(?<!protocol |family )not supported|unsupported|(?:does|do) not support|\bENOTSUP\b|\bEOPNOTSUPP\b|protocol not available|function not implemented|\bENOSYS\b|isn't supported|no support|not in (?:the )?(?:list of )?supported|status=(?:213|218|219|225|226|242|245)\/[A-Z]|does not fully support|support module not found|\(rejected\)$|requires? (?:kernel|cgroup|overlay)|key was rejected|required key not available|(?:cannot|can't) be enabled|not (?:compiled|enabled|available|mounted|shared|a shared)|missing (?:required )?(?:cgroup|kernel|module|controller)|cgroups?: (?:cannot|no)|0x80070032/iu,
  },
  {
    kind: "not-found",
    pattern:
      /\b404\b|not found|NotFound|manifest unknown|no such (?!file|host|image)|does not exist|doesn't exist|(?:(?:unable|failed) to|could not|cannot|can't) locate|could not (?:find|be found)|couldn't find|can't find|can ?not find|did not (?:appear|exist)|could not detect|no partition info|does not have (?:a|an|any)\b|no (?:package|candidate|match|module|device|valid|available|usable|suitable|matching|default|installation)|\bno (?!error|problem|failure|issue)[\w-]{3,30}(?: [\w-]{2,30})? found\b|unknown (?:image|user|group|device)|0x80070490|no match for argument|failed to find|unable to find|is absent|there is no \w{3,30} key in|(?:could not|cannot|failed to|unable to|can't be|cannot be) (?:be )?(?:determined?|retrieved?|get|fetch) (?:the |this )?(?:local |own )?(?:node|host) ?name\b|host ?name (?:cannot|could not) be determined|Errors during downloading metadata|unable to select packages|missing\b/iu,
  },
  {
    kind: "gave-up",
    pattern:
      /time(?:d |d?-)?out waiting for|failed to wait for .{1,80}: context deadline exceeded|gave up waiting|not reported as ready|was not (?:approved|signed|issued) (?:with)?in\b|failed after (?:potential )?retry|did not (?:change|complete|finish|appear|start) (?:within|after) |not completed? in (?:the )?(?:allotted|requested)|(?:\bnot|n't|\bnever)\b(?:(?!\. |requeue|retr[iy]|again).){1,60}\b(?:(?:with)?in|after) (?:time\b|\d{1,5}(?:\.\d{1,6})? ?(?:m?s|m|min|h|seconds|minutes)\b|\d{1,3}m\d|the (?:allowed|allotted|given|expected|specified|configured) time)|timed out: waited|watch channel (?:was )?closed|failed to report startup in|wait(?:ing)? .{0,40}timed out/iu,
  },
  {
    kind: "timed-out",
    pattern:
      /i\/o timeout|time[d-]? ?out\b(?! waiting for)|timeout(?! waiting for)|\bETIMEDOUT\b|(?<!(?:after \d\w{1,8}|failed to wait for .{1,80}): context )deadline (?:has )?(?:exceeded|elapsed|passed)|DeadlineExceeded|did not (?:properly )?respond|no (?:response|answer|reply)|Client\.Timeout|curl(?::| error) \(28\)|no more mirrors|wait for server fd|all mirrors were (?:already )?tried|took too long|gave up waiting|giving up|\/ no limit\)|never (?:became|appeared|came)|rate limiter Wait|request canceled|attempts? (?:exhausted|failed)|retries (?:exhausted|exceeded|.{0,8}reached)|unable to return a response in the time allotted|exceeded maximum runtime|not (?:become|became) (?:ready|available)(?! (?:(?:with)?in|after)\b)|0x800705b4/iu,
  },
  {
    kind: "killed",
    pattern:
      /signal: (?:killed|terminated|aborted|segmentation)|killed by signal|code=(?:killed|dumped)|status=\d{1,2}\/(?:KILL|SEGV|ABRT|TERM|BUS|ILL)|segmentation fault|core dumped|SIGSEGV|SIGABRT|SIGILL|nil pointer|panic:|illegal instruction|0xc0000005|exit (?:status|code) 13[479]/iu,
  },
  /** A frame of a Go program's stack: what it did as it crashed. */
  { kind: "stack-frame", pattern: /\.go:\d{1,6} \+0x[\da-f]{2}/u },
  {
    kind: "exit-status",
    pattern:
      /exit(?:ed)?(?: with)?(?: error| non-zero| status| code){1,3}[ =:(]{1,3}-?\d|exit ?code|returned non-?zero|status=[1-9]\d{0,2}(?:\/\w+)?|exit status|return code:? (?!100[123]\b)[1-9]|^\+{1,4} exit [1-9]|non-zero (?:exit|return)|failed \(\d|rc=\d|ExitCode|'exit-code'|Exit code/iu,
  },
] as const satisfies readonly { readonly kind: string; readonly pattern: RegExp }[];

export type Kind = (typeof kinds)[number]["kind"];

/** These say that something ended, not why: another kind in the same message is the reason. */
const general: ReadonlySet<Kind> = new Set<Kind>([
  "exit-status",
  "killed",
  "stack-frame",
  "timed-out",
  "unhealthy",
  "invalid-value",
  "not-found",
  "mismatch",
]);

export interface FoundKind {
  readonly kind: Kind;
  /** Where in the message its spelling begins. */
  readonly at: number;
}

const possibleKinds = mayMatch(
  kinds.map(({ pattern }) => pattern),
  textsOfKinds,
);

/** All kinds that the message has a spelling of: the innermost specific one first, general ones behind. */
export function kindsOf(message: string): readonly FoundKind[] {
  const found = possibleKinds(message).flatMap((index) => {
    const row = kinds[index];
    const at = row === undefined ? -1 : lastIndex(message, row.pattern);
    return row === undefined || at === -1 ? [] : [{ kind: row.kind, at }];
  });
  const codes = windowsCodesOf(message);
  const words = found.filter(({ kind }) => codes.every((code) => code.kind !== kind));
  const rank = ({ kind }: FoundKind): number => (general.has(kind) ? 1 : 0);
  // A code goes before words that the same number is read as.
  return [...codes, ...words].toSorted((a, b) => rank(a) - rank(b) || b.at - a.at);
}

function lastIndex(text: string, pattern: RegExp): number {
  let last = -1;
  // Most spellings are not there, and to look for the last of one is a second expression to compile.
  if (!pattern.test(text)) return last;
  for (const match of text.matchAll(new RegExp(pattern.source, `${pattern.flags}g`))) last = match.index;
  return last;
}
