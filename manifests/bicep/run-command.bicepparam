using './run-command.bicep'

param vmName = 'workload-md-0-7xk2p'
param location = 'westeurope'
