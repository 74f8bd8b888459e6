/**
 * The command that CAPZ itself attaches on Linux (azure/defaults.go: 60 rounds of 5 s), in the same words but for the
 * sentinel's path, which lies below the scratch machine's folder here.
 */
export function capzCommand(root: string): string {
  const sentinel = `${root}/run/cluster-api/bootstrap-success.complete`;
  return (
    `for i in $(seq 1 60); do test -f ${sentinel} && break; if [ $i -eq 60 ]; then echo 'Error joining node to cluster: ` +
    `check the cloud-init and kubelet logs'; exit 1; else sleep 5; fi; done`
  );
}
