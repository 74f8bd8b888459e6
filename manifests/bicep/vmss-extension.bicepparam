using './vmss-extension.bicep'

param scaleSetName = 'workload-mp-0'
param osType = 'Linux'
param forceUpdateTag = '2026-01-31'
param provisionAfterExtensions = [
  'CustomScript'
]
