// The extension with every property that Azure has for it. Take what you need; only publisher, type and version are required.

param vmName string
param location string = resourceGroup().location
param publisher string = 'Example.ClusterApi'

@description('Change it to run the check again although no setting has changed.')
param forceUpdateTag string = 'first'

@description('Names of extensions of the same machine that must have finished first. Each of them needs a `settings` property.')
param provisionAfterExtensions array = []

@description('The secret settings, for example checkBaseUris with a shared access signature. Azure never gives them back.')
@secure()
param protectedSettings object

resource vm 'Microsoft.Compute/virtualMachines@2024-11-01' existing = {
  name: vmName
}

resource bootstrapping 'Microsoft.Compute/virtualMachines/extensions@2024-11-01' = {
  parent: vm
  name: 'CAPZ.Linux.Bootstrapping'
  location: location
  properties: {
    publisher: publisher
    type: 'CAPZ.Linux.Bootstrapping'
    // Major and minor only. With autoUpgradeMinorVersion the newest 1.x is taken when the extension is applied.
    typeHandlerVersion: '2.0'
    autoUpgradeMinorVersion: true
    // Azure updates a running machine by itself only when this is true. An update in mid-wait carries the wait over.
    enableAutomaticUpgrade: false
    // true: a failure stands in the instance view, but neither the deployment nor the machine is marked as failed.
    // `mode: observe` does the same from inside, and says so in the message.
    suppressFailures: false
    forceUpdateTag: forceUpdateTag
    provisionAfterExtensions: provisionAfterExtensions
    settings: {
      timeoutSeconds: 900
      pollSeconds: 5
      graceSeconds: 10
      aftercareSeconds: 0
      mode: 'enforce'
      bootstrapProvider: 'kubeadm'
      checkVersion: '2.0.0'
      checkRequired: false
      echoToConsole: true
    }
    protectedSettings: protectedSettings
  }
}

output extensionId string = bootstrapping.id
