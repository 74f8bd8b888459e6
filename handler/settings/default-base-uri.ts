/** Where a check bundle is looked for when `checkBaseUris` is not set: the folder of a ref of the CAPZ repository. */
export const defaultBaseUri =
  "https://raw.githubusercontent.com/kubernetes-sigs/cluster-api-provider-azure/{version}/bootstrap-check";
