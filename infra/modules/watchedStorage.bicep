// An account to watch, with its change feed on. Left out where an existing account is watched.

param location string
param tags object
@maxLength(24)
param name string
@description('How long the change feed is kept: the time an outage may last before changes are lost.')
@minValue(1)
@maxValue(146000)
param changeFeedRetentionDays int
param publicNetworkAccess 'Enabled' | 'Disabled'
param workspaceId string

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }
  properties: {
    accessTier: 'Hot'
    allowBlobPublicAccess: false
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: publicNetworkAccess
    // The service removes old parts of its change feed as a trusted service: a closed firewall would stop that.
    networkAcls: { defaultAction: publicNetworkAccess == 'Enabled' ? 'Allow' : 'Deny', bypass: 'AzureServices' }
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2023-05-01' = {
  parent: account
  name: 'default'
  properties: { changeFeed: { enabled: true, retentionInDays: changeFeedRetentionDays } }
}

resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: blobs
  name: 'to-workspace'
  properties: {
    workspaceId: workspaceId
    metrics: [{ category: 'Transaction', enabled: true }]
  }
}

output id string = account.id
