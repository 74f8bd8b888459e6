/** A kind of object as the API server names it in paths. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

export interface ObjectPlace {
  readonly namespace: string;
  readonly name: string;
}

export function collectionPath({ group, version, plural }: Resource, namespace?: string): string {
  const within = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `/apis/${group}/${version}${within}/${plural}`;
}

export function objectPath(resource: Resource, { namespace, name }: ObjectPlace, subresource?: string): string {
  return `${collectionPath(resource, namespace)}/${name}${subresource === undefined ? "" : `/${subresource}`}`;
}

export function apiVersionOf({ group, version }: Resource): string {
  return `${group}/${version}`;
}
