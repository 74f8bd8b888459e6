// Diagnoses an existing Windows machine now, through Managed Run Command: no remote desktop, nothing is changed on the machine.
// The extension must have been on the machine; its program is found below C:\Packages\Plugins.
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
      script: '$ErrorActionPreference = "Stop"\n$found = Get-ChildItem "$env:SystemDrive\\Packages\\Plugins\\*.CAPZ.Windows.Bootstrapping\\*\\bin\\capz-bootstrap.cmd"\n$newest = $found | Sort-Object LastWriteTime | Select-Object -Last 1\nif (-not $newest) { throw "capz-bootstrap is not on this machine" }\n& $newest.FullName diagnose --brief\nexit $LASTEXITCODE\n'
    }
    timeoutInSeconds: 120
    asyncExecution: false
    // The exit code tells the verdict; a node that failed is an answer and not a failed deployment.
    treatFailureAsDeploymentFailure: false
  }
}

output runCommandId string = diagnose.id
