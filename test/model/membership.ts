/** Under whose name, and on which virtual machine, this disk became a node. The check cannot see it; the truth is made of it. */
export interface Membership {
  readonly vmId: string;
  readonly nodeName: string;
  /** False when kubeadm gave up after the kubelet had joined. */
  readonly complete: boolean;
  /** Whether the disk shows that it is not complete. */
  readonly failureOnDisk: boolean;
  /** The identity is one for all machines of the cluster, so that each clone is a node. */
  readonly shared: boolean;
  /** The machine's own bootstrap made it, as opposed to an administrator or another script. */
  readonly byBootstrap: boolean;
  readonly bootId: string;
  /** The unit or service in which its kubelet runs. */
  readonly runsIn: string;
  /** Path of its client certificate. */
  readonly certificate: string;
}
