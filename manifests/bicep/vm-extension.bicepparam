using './vm-extension.bicep'

param vmName = 'workload-md-0-7xk2p'
param location = 'westeurope'
param forceUpdateTag = '2026-01-31'
param protectedSettings = {
  checkBaseUris: [
    'https://mirror.blob.core.windows.net/capz-bootstrap/{version}?sv=2024-11-04&sp=r&sig=REPLACE'
  ]
}
