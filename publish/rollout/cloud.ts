export const cloudNames = ["public", "usgovernment", "china"] as const;
export type CloudName = (typeof cloudNames)[number];

/** Addresses that differ between the Azure clouds. */
export interface Cloud {
  readonly name: CloudName;
  readonly arm: string;
  readonly serviceManagement: string;
  readonly authority: string;
  readonly storageSuffix: string;
}

const clouds: Readonly<Record<CloudName, Cloud>> = {
  public: {
    name: "public",
    arm: "https://management.azure.com",
    serviceManagement: "https://management.core.windows.net",
    authority: "https://login.microsoftonline.com",
    storageSuffix: "core.windows.net",
  },
  usgovernment: {
    name: "usgovernment",
    arm: "https://management.usgovcloudapi.net",
    serviceManagement: "https://management.core.usgovcloudapi.net",
    authority: "https://login.microsoftonline.us",
    storageSuffix: "core.usgovcloudapi.net",
  },
  china: {
    name: "china",
    arm: "https://management.chinacloudapi.cn",
    serviceManagement: "https://management.core.chinacloudapi.cn",
    authority: "https://login.chinacloudapi.cn",
    storageSuffix: "core.chinacloudapi.cn",
  },
};

export function cloudOf(name: CloudName): Cloud {
  return clouds[name];
}
