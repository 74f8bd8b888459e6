using './attach-existing-vm.bicep'

param vmName = 'workload-md-0-7xk2p'
param location = 'westeurope'
param osType = 'Linux'
