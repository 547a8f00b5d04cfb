// The app on Flex Consumption. It scales each trigger by itself, and knows no secret.

param location string
param tags object
param planName string
param appName string
param identityId string
@description('URL of the blob container that holds the deployment package.')
param deploymentContainerUrl string
@allowed([512, 2048, 4096])
param instanceMemoryMB int
@minValue(40)
@maxValue(1000)
param maximumInstanceCount int
@description('Instances of the event function that never go away. With one, no event waits for a cold start.')
@minValue(0)
param alwaysReadyInstances int
param isZoneRedundant bool
@description('Empty: the app reaches its services over their public endpoints.')
param subnetId string
param workspaceId string

// The name that functions/cesEvents.ts gives to the function of the first stream.
var eventFunction = 'cesEvents'

resource plan 'Microsoft.Web/serverfarms@2024-04-01' = {
  name: planName
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  properties: { reserved: true, zoneRedundant: isZoneRedundant }
}

resource app 'Microsoft.Web/sites@2024-04-01' = {
  name: appName
  location: location
  // azd finds the app of the service `app` in azure.yaml by this tag.
  tags: union(tags, { 'azd-service-name': 'app' })
  kind: 'functionapp,linux'
  identity: { type: 'UserAssigned', userAssignedIdentities: { '${identityId}': {} } }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    siteConfig: { minTlsVersion: '1.2', http20Enabled: true }
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: deploymentContainerUrl
          authentication: { type: 'UserAssignedIdentity', userAssignedIdentityResourceId: identityId }
        }
      }
      runtime: { name: 'node', version: '24' }
      scaleAndConcurrency: {
        instanceMemoryMB: instanceMemoryMB
        maximumInstanceCount: maximumInstanceCount
        alwaysReady: alwaysReadyInstances == 0
          ? []
          : [{ name: 'function:${eventFunction}', instanceCount: alwaysReadyInstances }]
      }
    }
  }
}

// Deployment signs in with Entra as well: the publishing passwords of the app are off.
resource ftpPasswords 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-04-01' = {
  parent: app
  name: 'ftp'
  properties: { allow: false }
}

resource scmPasswords 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-04-01' = {
  parent: app
  name: 'scm'
  properties: { allow: false }
}

resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: app
  name: 'to-workspace'
  properties: {
    workspaceId: workspaceId
    metrics: [{ category: 'AllMetrics', enabled: true }]
  }
}

output url string = 'https://${app.properties.defaultHostName}'
