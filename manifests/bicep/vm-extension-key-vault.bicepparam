using './vm-extension-key-vault.bicep'

param vmName = 'workload-md-0-7xk2p'
param location = 'westeurope'
param vaultName = 'workload-secrets'
param secretUrl = 'https://workload-secrets.vault.azure.net/secrets/capz-bootstrap/0123456789abcdef0123456789abcdef'
