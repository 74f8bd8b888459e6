/** One extension as the service describes it to the guest agent. */
export interface GoalPlugin {
  /** `<Publisher>.<Type>`. */
  readonly name: string;
  readonly version: string;
  readonly state: "enabled" | "disabled" | "uninstall";
  readonly settings?: GoalSettings;
  /** Extensions of a lower level must have succeeded before this one runs. */
  readonly dependencyLevel?: number;
}

interface GoalSettings {
  readonly sequence: number;
  readonly publicSettings: unknown;
  /** base64 of a CMS envelope. */
  readonly protectedSettings?: string;
  /** SHA-1 of the certificate that the envelope is for, upper-case hex. */
  readonly thumbprint?: string;
}

export interface GoalState {
  readonly incarnation: number;
  readonly plugins: readonly GoalPlugin[];
  /** Every published version of a handler: name → version → zip on the host's disk. */
  readonly packages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const wireServerAddress = "168.63.129.16";
export const metadataAddress = "169.254.169.254";

const containerId = "5ba40bc1-6bd8-4a62-8b0b-1d1e7d1fc6f2";
const configName = "c95dbb0e-0b0f-4a5e-8b55-3c8f52d2e1a7.0.c95dbb0e-0b0f-4a5e-8b55-3c8f52d2e1a7.0._capz-node-1.1.xml";
const wireServer = `http://${wireServerAddress}:80`;
const header = '<?xml version="1.0" encoding="utf-8"?>';

export function versionsXml(): string {
  return `${header}<Versions><Preferred><Version>2015-04-05</Version></Preferred><Supported><Version>2015-04-05</Version><Version>2012-11-30</Version></Supported></Versions>`;
}

export function goalStateXml(goal: GoalState): string {
  const part = (type: string): string =>
    `${wireServer}/machine/${containerId}/capz-node-1?comp=config&amp;type=${type}&amp;incarnation=${goal.incarnation}`;
  return `${header}
<GoalState>
  <Version>2012-11-30</Version>
  <Incarnation>${goal.incarnation}</Incarnation>
  <Machine><ExpectedState>Started</ExpectedState></Machine>
  <Container>
    <ContainerId>${containerId}</ContainerId>
    <RoleInstanceList>
      <RoleInstance>
        <InstanceId>c95dbb0e-0b0f-4a5e-8b55-3c8f52d2e1a7._capz-node-1</InstanceId>
        <State>Started</State>
        <Configuration>
          <HostingEnvironmentConfig>${part("hostingEnvironmentConfig")}</HostingEnvironmentConfig>
          <SharedConfig>${part("sharedConfig")}</SharedConfig>
          <ExtensionsConfig>${part("extensionsConfig")}</ExtensionsConfig>
          <Certificates>${wireServer}/machine/${containerId}/capz-node-1?comp=certificates&amp;incarnation=${goal.incarnation}</Certificates>
          <ConfigName>${configName}</ConfigName>
        </Configuration>
      </RoleInstance>
    </RoleInstanceList>
  </Container>
</GoalState>`;
}

export function hostingEnvironmentXml(goal: GoalState): string {
  return `${header}
<HostingEnvironmentConfig version="1.0.0.0" goalStateIncarnation="${goal.incarnation}">
  <Deployment name="c95dbb0e0b0f4a5e8b553c8f52d2e1a7" guid="{00000000-0000-0000-0000-000000000000}" incarnation="0">
    <Service name="capz" guid="{00000000-0000-0000-0000-000000000000}" />
    <ServiceInstance name="c95dbb0e.0" guid="{00000000-0000-0000-0000-000000000000}" />
  </Deployment>
  <Incarnation number="1" instance="capz-node-1" guid="{00000000-0000-0000-0000-000000000000}" />
  <Role guid="{00000000-0000-0000-0000-000000000000}" name="capz-node-1" settleTimeSeconds="10" />
</HostingEnvironmentConfig>`;
}

export function sharedConfigXml(): string {
  return `${header}
<SharedConfig version="1.0.0.0" goalStateIncarnation="1">
  <Deployment name="c95dbb0e0b0f4a5e8b553c8f52d2e1a7" guid="{00000000-0000-0000-0000-000000000000}" incarnation="0" />
  <Incarnation number="1" instance="capz-node-1" guid="{00000000-0000-0000-0000-000000000000}" />
</SharedConfig>`;
}

/** `data` is the base64 text (64 columns) of a CMS envelope that holds a PFX without password. */
export function certificatesXml(data: string): string {
  return `${header}
<CertificateFile>
  <Version>2010-12-15</Version>
  <Incarnation>1</Incarnation>
  <Format>Pkcs7BlobWithPfxContents</Format>
  <Data>
${data}
  </Data>
</CertificateFile>`;
}

export function extensionsConfigXml(goal: GoalState): string {
  // Ticks are 100 ns since the year 1; only their order matters to the agent.
  const createdOnTicks = 638_000_000_000_000_000n + BigInt(goal.incarnation) * 10_000_000n;
  return `${header}
<Extensions version="1.0.0.0" goalStateIncarnation="${goal.incarnation}">
  <GuestAgentExtension xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><GAFamilies /></GuestAgentExtension>
  <Plugins>${goal.plugins.map(pluginElement).join("")}</Plugins>
  <PluginSettings>${goal.plugins.map(settingsElement).join("")}</PluginSettings>
  <StatusUploadBlob statusBlobType="BlockBlob">${wireServer}/status/capz-node-1.status?sv=2018-03-28&amp;sr=b&amp;sk=system-1&amp;sig=c2lnbmF0dXJl</StatusUploadBlob>
  <InVMGoalStateMetaData inSvdSeqNo="${goal.incarnation}" createdOnTicks="${createdOnTicks}" activityId="555e551c-600e-4fb4-90ba-8ab8ec28eccc" correlationId="400de90b-522e-491f-9d89-ec944661f531" />
</Extensions>`;
}

function pluginElement(plugin: GoalPlugin): string {
  return `<Plugin name="${plugin.name}" version="${plugin.version}" location="${wireServer}/manifests/${plugin.name}.xml" state="${plugin.state}" autoUpgrade="false" runAsStartupTask="false" isJson="true" useExactVersion="true" />`;
}

function settingsElement(plugin: GoalPlugin): string {
  const { settings } = plugin;
  if (settings === undefined) return "";
  const runtimeSettings = {
    runtimeSettings: [
      {
        handlerSettings: {
          publicSettings: settings.publicSettings,
          ...(settings.protectedSettings === undefined
            ? {}
            : {
                protectedSettings: settings.protectedSettings,
                protectedSettingsCertThumbprint: settings.thumbprint,
              }),
        },
      },
    ],
  };
  const dependsOn =
    plugin.dependencyLevel === undefined ? "" : `<DependsOn dependencyLevel="${plugin.dependencyLevel}" />`;
  return `<Plugin name="${plugin.name}" version="${plugin.version}">${dependsOn}<RuntimeSettings seqNo="${settings.sequence}">${escapeXml(JSON.stringify(runtimeSettings))}</RuntimeSettings></Plugin>`;
}

/** The list of published versions that the agent downloads before the package. */
export function manifestXml(goal: GoalState, name: string): string | undefined {
  const versions = goal.packages[name];
  if (versions === undefined) return undefined;
  const plugins = Object.keys(versions).map(
    (version) =>
      `<Plugin><Version>${version}</Version><Uris><Uri>${wireServer}/packages/${name}/${version}.zip</Uri></Uris></Plugin>`,
  );
  return `${header}<PluginVersionManifest><Plugins>${plugins.join("")}</Plugins></PluginVersionManifest>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
