// The secret settings come from a Key Vault secret; the deployment never sees them.
// The secret's value is the whole protected settings as one JSON text: {"checkBaseUris": "https://…?sig=…"}
// Only one of protectedSettings and protectedSettingsFromKeyVault is allowed. The vault must be enabled for deployment.

param vmName string
param location string = resourceGroup().location
param publisher string = 'Example.ClusterApi'
param vaultName string

@description('Address of the secret with its version, as the vault shows it. The suffix differs per cloud.')
param secretUrl string

resource vault 'Microsoft.KeyVault/vaults@2023-07-01' existing = {
  name: vaultName
}

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
    typeHandlerVersion: '2.0'
    autoUpgradeMinorVersion: true
    settings: {
      timeoutSeconds: 900
    }
    protectedSettingsFromKeyVault: {
      secretUrl: secretUrl
      sourceVault: {
        id: vault.id
      }
    }
  }
}

output extensionId string = bootstrapping.id
