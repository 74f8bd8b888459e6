// The extension in the model of an existing scale set. With a manual upgrade policy, existing instances get it
// when they are upgraded (az vmss update-instances); new instances get it at once.

param scaleSetName string

@allowed([
  'Linux'
  'Windows'
])
param osType string = 'Linux'

param publisher string = 'Example.ClusterApi'
param forceUpdateTag string = 'first'
param provisionAfterExtensions array = []

@secure()
param protectedSettings object = {}

resource scaleSet 'Microsoft.Compute/virtualMachineScaleSets@2024-11-01' existing = {
  name: scaleSetName
}

resource bootstrapping 'Microsoft.Compute/virtualMachineScaleSets/extensions@2024-11-01' = {
  parent: scaleSet
  name: 'CAPZ.${osType}.Bootstrapping'
  properties: {
    publisher: publisher
    type: 'CAPZ.${osType}.Bootstrapping'
    typeHandlerVersion: '2.0'
    autoUpgradeMinorVersion: true
    enableAutomaticUpgrade: false
    suppressFailures: false
    forceUpdateTag: forceUpdateTag
    provisionAfterExtensions: provisionAfterExtensions
    settings: {
      timeoutSeconds: 900
      mode: 'enforce'
    }
    protectedSettings: protectedSettings
  }
}

output extensionId string = bootstrapping.id
