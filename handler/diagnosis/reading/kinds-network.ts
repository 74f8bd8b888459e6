/** What goes wrong on the way to another machine: names, connections, proxies, certificates. */
export const networkKinds = [
  {
    kind: "no-such-host",
    pattern:
      /no such host|server misbehaving|temporary failure (?:in name resolution|resolving)|(?:could not|couldn't|cannot|can't|unable to|failed to) resolve (?:host|proxy|name|the (?:host|name|remote)|.{0,6}[\w-]+\.[\w-]+)|(?:name|host|nodename)(?: or service)? (?:not known|not resolved|could not be resolved)|getaddrinfo|NXDOMAIN|SERVFAIL|no address associated|UnknownHostException|NameResolutionFailure|EAI_AGAIN|\bENOTFOUND\b|No such host is known|lookup (?!error: )[\w.-]+(?: on [\w.:[\]]+)?: (?!uid|gid|user)|unknown host|name does not resolve|bad address '|no servers could be reached|(?<!unix:.{1,300})(?:name resolver error|zero addresses)|curl(?::| error) \([56]\)|dns (?:lookup|resolution) (?:fail|error)|resolution failure|\bdns error\b|host(?:name)? \S{2,200} (?:could|can) ?not be resolved|name resolution (?:of|for|fail|does)|look ?up address information|\bresolving timed out\b|DNS: |DNS name does not|fetching \S{8,200} temporary error/iu,
  },
  {
    kind: "refused",
    pattern:
      /connection (?:was )?refused|\bECONNREFUSED\b|\bConnectionRefused\b|actively refused|(?:os error|errno) ?111\b|curl(?::| error) \(7\)|failed to connect to|connection failed \[IP|failed to connect (?:from \S{1,60} )?to|couldn't connect|could not connect|unable to (?:connect|talk) to|unable to connect|code = Unavailable\b|produced zero addresses|cannot connect|(?<!bootstrapping, |this cluster, )can't connect|can(?:no|')t access .{1,60}\bport\b|No connection could be made|error sending request for url/iu,
  },
  {
    kind: "reset",
    pattern:
      /connection reset|\breset by peer|\bECONNRESET\b|\bConnectionReset\b|(?:os error|errno) ?104\b|broken pipe|\bEPIPE\b|forcibly closed|connection (?:was )?(?:aborted|closed|terminated)|closed before server preface|received from peer|GOAWAY|remote end hung up|underlying connection was closed|no cached connection|curl(?::| error)? \(?(?:1[68]|5[26]|92)\b|transport is closing|connection lost|closed network connection/iu,
  },
  {
    kind: "eof",
    pattern:
      /(?<!(?:pars(?:e|ing)|decod(?:e|ing)|unmarshal\w{0,4})[^:]{0,60}: (?:unexpected )?)\bEOF\b|[Ee]mpty reply|remote end closed|RemoteDisconnected|end of file|premature end|unexpected end of (?:stream|archive)/u,
  },
  {
    kind: "no-route",
    pattern:
      /no route to host|connect: no route$|NoRouteToHost|\b(?:Host|Network)Unreachable\b|(?:os error|errno) ?1(?:00|01|13)\b|network (?:is )?(?:unreachable|down)|host is (?:unreachable|down)|(?:ENET|\bEHOST\b)UNREACH|network error \(check|destination (?:host|net) unreachable|unreachable (?:host|network)/iu,
  },
  /** A request that failed on its way, whose reason a screen cut off: what a server answers is told without the request. */
  {
    kind: "request-cut",
    pattern:
      /\b(?:Get|Post|Put|Patch|Head|Delete) (?:\\{0,3}"https?:\/\/[^\s"\\]{0,200}|https?:\/\/[^\s"\\]{4,200}(?:: ?d?i?a?l?(?: t?c?p?)?)?)(?:>|…|\.\.\.)?$/u,
  },
  {
    kind: "proxy-refused",
    pattern:
      /proxyconnect|407 Proxy|proxy authentication required|reading from proxy failed|curl(?::| error) \(97\)|SOCKS[45]a? (?:connect|connection|server|authentication)\b|proxy tunneling failed|tunnel through proxy|unsuccessful tunnel|(?:pars(?:e|ing)|invalid|malformed|unsupported|bad) proxy(?: server)? (?:URL|address|scheme|name|setting|syntax)|proxy: unknown scheme|unsupported proxy configured|proxy (?:CONNECT aborted|connect error|handshake|authori[sz]ation required)|InvalidProxyURL|invalid response from proxy|tunneling socket|CONNECT tunnel failed|received http code \d{3} from proxy|unable to connect to (?:the )?proxy|(?<!(?:remotedialer|connect to|http:) )proxy error|ProxyError|(?<=(?:Get|Post|Head|Put) \\{0,3}"?https:\/\/[^\s"\\]{3,300}\\{0,3}"?: )(?:Forbidden|Bad Gateway|Service Unavailable|Gateway Timeout|Method Not Allowed)/iu,
  },
  {
    kind: "wrong-name",
    pattern:
      /certificate is (?:not )?valid for|doesn't contain any (?:IP )?SANs|does not match (?:the )?(?:host|target|certificate)|not valid for any names|hostname mismatch|NameMismatch|no alternative certificate subject|CERTIFICATE_VERIFY_FAILED: (?:hostname|ip)|legacy Common Name|curl(?::| error) \(51\)|SAN (?:does|list)/iu,
  },
  {
    kind: "not-yet-valid",
    pattern:
      /is before \d{4}|is (?:now earlier|still later) than \d|RequestTimeTooSkewed|RequestExpired\b|high clock drift|clock difference against peer|request time and the server's time is too large|Signature not valid in the specified time|synchroni[sz]ed the system time for \d{2}|token used before issued|request time and the current time is too large|(?<!expired or is )not yet valid|\bnot valid yet\b|is not valid until|NotTimeValid|NotYetValid|NotValidYet|(?:Exception|failed): NotBefore: |clock is not set\b|not (?:yet activated|within its valid time)|time warp|\bclocks?\b.{1,40}\b(?:differ|skewed|drifted|out of sync|not synchroni[sz]ed)|Signature not yet current|token (?:is )?not valid yet|clock (?:is )?(?:skew|differ|wrong|off)|(?:time|clock|date) (?:isn't|is not|not) set (?:properly|correctly)|time (?:is )?(?:skew|drift)|(?:time|stamp|date|clock|issued|created|signature|release)\w{0,4}\b.{0,80}\bin the future\b(?!\.? (?:release|version))/iu,
  },
  {
    kind: "expired",
    pattern:
      /(?:certificate|cert|token|secret|credentials?|key|password)\b.{0,60}\b(?:has |have |is |was )?expired|expired (?:certificate|token|credentials?)|NotAfter|is after \d{4}|no longer valid|past its expir/iu,
  },
  {
    kind: "unknown-authority",
    pattern:
      /unknown authority|self[- ]signed certificate|unable to get (?:local )?issuer|certificate (?:verify failed|verification failed|is not trusted|is untrusted|chain)|CERTIFICATE_VERIFY_FAILED|UntrustedRoot|RemoteCertificateChainErrors|trust relationship|SSL certificate problem|curl(?::| error) \((?:60|77)\)|peer certificate cannot be authenticated|unable to verify the first|untrusted signature|(?:unknown|marginal) trust\b|cannot verify \S{3,200}'s certificate|could not verify the identity|\bCA verification\b|bad certificate|unknown certificate|x509: |CRYPT_E_|SEC_E_UNTRUSTED/iu,
  },
  {
    kind: "tls-failed",
    pattern:
      /tls: |handshake (?:failure|failed|error)|SSL(?: routines|Error|_ERROR|: )|curl(?::| error) \(35\)|secure channel|establish SSL connection|ssl3|wrong version number|0x80090/iu,
  },
] as const satisfies readonly { readonly kind: string; readonly pattern: RegExp }[];
