// Diagnoses an existing Linux machine now, through Managed Run Command: no SSH, nothing is changed on the machine.
// The extension must have been on the machine; its program is found below /var/lib/waagent.
// Read the answer: az vm run-command show --name capz-bootstrap-diagnose --vm-name VM -g GROUP --instance-view

param vmName string
param location string = resourceGroup().location

resource vm 'Microsoft.Compute/virtualMachines@2024-11-01' existing = {
  name: vmName
}

resource diagnose 'Microsoft.Compute/virtualMachines/runCommands@2024-11-01' = {
  parent: vm
  name: 'capz-bootstrap-diagnose'
  location: location
  properties: {
    source: {
      script: 'set -eu\nfor program in /var/lib/waagent/*.CAPZ.Linux.Bootstrapping-*/bin/capz-bootstrap; do newest=$program; done\nexec "$newest" diagnose --brief\n'
    }
    timeoutInSeconds: 120
    asyncExecution: false
    // The exit code tells the verdict; a node that failed is an answer and not a failed deployment.
    treatFailureAsDeploymentFailure: false
  }
}

output runCommandId string = diagnose.id
