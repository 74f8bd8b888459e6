using './run-command-windows.bicep'

param vmName = 'workload-win-7xk2p'
param location = 'westeurope'
