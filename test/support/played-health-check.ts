interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
}

interface HealthCheck {
  readonly spec: {
    readonly checks?: {
      readonly unhealthyMachineConditions?: readonly {
        readonly type: string;
        readonly status: string;
        readonly timeoutSeconds?: number;
      }[];
    };
  };
}

interface Machine {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * A stand-in for the health check controller's judgement of Machines by their documented rules (Cluster API v1.12 to v1.14:
 * machinehealthcheck_targets.go): the annotation comes first, whatever its value; then conditions of the v1beta2 list alone, each after its timeout;
 * a condition that is absent is healthy.
 */
export function unhealthyMachines(check: HealthCheck, machines: readonly Machine[], now: number): readonly string[] {
  const wanted = check.spec.checks?.unhealthyMachineConditions ?? [];
  return machines
    .filter(({ metadata, status }) => {
      if (metadata.annotations !== undefined && "cluster.x-k8s.io/remediate-machine" in metadata.annotations)
        return true;
      return wanted.some(({ type, status: value, timeoutSeconds = 0 }) =>
        (status?.conditions ?? []).some(
          (one) =>
            one.type === type &&
            one.status === value &&
            Date.parse(one.lastTransitionTime) + timeoutSeconds * 1000 <= now,
        ),
      );
    })
    .map(({ metadata }) => metadata.name);
}
