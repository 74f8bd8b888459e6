// Attaches the extension to a virtual machine that exists already. The machine is not changed otherwise.
// Linux and Windows: the type of the extension carries the name of the operating system.

@description('Name of the virtual machine, in the resource group of this deployment.')
param vmName string

@description('Region of the virtual machine.')
param location string = resourceGroup().location

@allowed([
  'Linux'
  'Windows'
])
param osType string = 'Linux'

@description('Publisher under which the extension was published in this cloud.')
param publisher string = 'Example.ClusterApi'

resource vm 'Microsoft.Compute/virtualMachines@2024-11-01' existing = {
  name: vmName
}

resource bootstrapping 'Microsoft.Compute/virtualMachines/extensions@2024-11-01' = {
  parent: vm
  name: 'CAPZ.${osType}.Bootstrapping'
  location: location
  properties: {
    publisher: publisher
    type: 'CAPZ.${osType}.Bootstrapping'
    typeHandlerVersion: '2.0'
    autoUpgradeMinorVersion: true
    settings: {
      mode: 'observe'
      timeoutSeconds: 900
    }
  }
}

output extensionId string = bootstrapping.id
