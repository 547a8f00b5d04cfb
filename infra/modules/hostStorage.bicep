// The app's own account: deployment package, the host's leases and checkpoints, values too large for a document.
// Shared keys are off: identities alone get in.

param location string
param tags object
@maxLength(24)
param name string
param deploymentContainer string
param publicNetworkAccess 'Enabled' | 'Disabled'
param appPrincipalId string
param workspaceId string

var roles = loadJsonContent('../roles.json')
// The host keeps leases in blobs, and may use queues and tables for itself.
var appRoles = [roles.storageBlobDataOwner, roles.storageQueueDataContributor, roles.storageTableDataContributor]
// As the code has it in shared/store/valueStore.ts.
var valuesContainer = 'tributary-values'

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
    networkAcls: { defaultAction: publicNetworkAccess == 'Enabled' ? 'Allow' : 'Deny', bypass: 'None' }
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2023-05-01' = {
  parent: account
  name: 'default'
}

resource containers 'Microsoft.Storage/storageAccounts/blobServices/containers@2023-05-01' = [
  for container in [deploymentContainer, valuesContainer]: {
    parent: blobs
    name: container
    properties: { publicAccess: 'None' }
  }
]

resource grants 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for role in appRoles: {
    scope: account
    name: guid(account.id, appPrincipalId, role)
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
      principalId: appPrincipalId
      principalType: 'ServicePrincipal'
    }
  }
]

resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: blobs
  name: 'to-workspace'
  properties: {
    workspaceId: workspaceId
    metrics: [{ category: 'Transaction', enabled: true }]
  }
}

output id string = account.id
output blobEndpoint string = account.properties.primaryEndpoints.blob
