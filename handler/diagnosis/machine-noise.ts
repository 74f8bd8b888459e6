/** What machines say at every boot of what they do without: all texts of one stand in the line. */
export const machineNoise: readonly (readonly string[])[] = [
  // udev calls helpers of whoever left a rule, and goes on whatever they say.
  ["udev", ": Process '", "failed with exit code"],
  // snapd tells how long it gives itself, and that there is nothing newer.
  ["snapd[", "adjusting startup timeout"],
  ["snapd[", "annot refresh: snap has no updates available"],
  // A package's scripts start no unit that nobody enabled.
  ["is a disabled or a static unit, not starting it"],
  ["apt-extracttemplates failed"],
  // dracut leaves out of the initial file system what is for disks that are not there.
  ["dracut module '", "will not be installed, because command"],
  // A module that was not built with this kernel is loaded all the same.
  ["module verification failed: signature and/or required key missing - tainting kernel"],
  ["ailed to open libbpf, cgroup BPF features disabled"],
  // The process had ended by then.
  ["ouldn't move process ", "to requested cgroup", "No such process"],
  ["AppArmor enabled, but not supported. Ignoring."],
  ["ailed to set SELinux context for ", "Operation not supported"],
  // Of a container that has ended: its groups are gone.
  ["conmon ", "<nwarn>", "ailed to open cgroups file"],
  ["ailed to process watch event", "rror finding container"],
  // Folders of the host that Vagrant shares with its machine once it is up, as it does by itself.
  ["ailed to mount /vagrant"],
  ["ependency failed for Remote File Systems"],
  ["was skipped because ", "condition check"],
  ["nvidia-gpu ", "i2c timeout error"],
  // Its own state of the last boot, and what it finds in passing.
  ["NetworkManager[", "]: <debug> "],
  ["NetworkManager[", "]: <info> "],
  // A controller that was told to end while it waited for its turn.
  ["finished without leader elect"],
  // What a cluster's users started, and no node needs.
  ["ImagePull", 'pod="default/'],
  // MicroK8s asks its store before there is one, and asks again.
  ["open servers store: ", "cluster.yaml: no such file"],
  // A disc drive without a disc.
  ["/dev/sr", "no medium found"],
  // An image is filled with zeros, so that it shrinks.
  ...["/EMPTY", "/zero", "/var/tmp/zero", "/tmp/zero", "/boot/zero"].map((file) => [
    "dd: ",
    `'${file}`,
    "No space left",
  ]),
  // minikube asks for an API server that it is about to start, and an API server answers strangers before its roles are there.
  ["stopped: unable to get apiserver pid"],
  [`User \\"system:anonymous\\" cannot get path \\"/healthz\\"`],
  ["autoregister-completion failed: missing APIService"],
  // OpenShift's bootstrap creates what it has in any order, over and over until all of it is there.
  ['ailed to create "', '.yaml" ', "not found"],
  ['.yaml": unable to get REST mapping for "'],
];
