// Everything that Tributary runs on, in a resource group of its own. Plain resources, no registry: it compiles offline.
// Deployed by `azd up`, which reads infra/main.bicepparam; docs/deploy.md is the guide.

targetScope = 'subscription'

@description('Tells one deployment from another; part of every name.')
@minLength(1)
@maxLength(40)
param environmentName string
param location string
param resourceGroupName string = 'rg-${environmentName}'
param tags object = {}

// ---- Sources ----
@description('Name of the stream that change event streaming feeds: part of the table names. Empty: no such stream.')
param cesStream string = 'ces'
param eventHubName string = 'ces'
param consumerGroup string = 'tributary'
@description('Resource id of an Event Hubs namespace with the hub in it. Empty: one is made.')
param existingEventHubsNamespaceId string = ''
param eventHubPartitionCount int = 8
param eventHubRetentionHours int = 168
param throughputUnits int = 1
param maximumThroughputUnits int = 10
@description('Object ids of the identities of the SQL servers that stream, so that they may send.')
param eventSenderPrincipalIds string[] = []
@description('Resource id of a storage account to watch, its change feed on. Empty: one is made.')
param existingWatchedStorageId string = ''
@description('Whether the change feed of a storage account is watched at all.')
param watchStorage bool = true
param changeFeedRetentionDays int = 30
@description('Streams that come over HTTP, by name, as STREAMS.goldengate has them. Streams not named work with defaults.')
param goldengateStreams object = {}
@description('Streams that come over HTTP, by name, as STREAMS.qlik has them. Streams not named work with defaults.')
param qlikStreams object = {}

// ---- App ----
@allowed([512, 2048, 4096])
param instanceMemoryMB int = 2048
param maximumInstanceCount int = 40
param alwaysReadyInstances int = 1
@description('App settings of docs/configuration.md that differ from their defaults.')
param settings object = {}

// ---- Database ----
param cosmosCapacity 'autoscale' | 'serverless' = 'autoscale'
param cosmosMaximumRequestUnits int = 4000
@description('Object id of whoever runs the deployment: may read the rows and send test events. Empty: nobody.')
param operatorPrincipalId string = ''

// ---- Surroundings ----
@description('Private endpoints and a network for the app. The hub stays open to sourceIpRanges.')
param privateNetworking bool = false
@description('Public addresses of the SQL servers that stream; used with private networking.')
param sourceIpRanges string[] = []
param networkAddressPrefix string = '10.90.0.0/24'
param isZoneRedundant bool = false
param logRetentionDays int = 30
@description('Upper end of telemetry a day, in GB. -1: no end.')
param logDailyQuotaGb int = 5

// ---- Alerts ----
@description('Where alerts are mailed. Empty: they show in the portal alone.')
param alertEmail string = ''
param lagAlertSeconds int = 300
param incompleteEventAlertSeconds int = 3600
param throttledRequestsAlert int = 1000

var token = toLower(uniqueString(subscription().id, environmentName, location))
var allTags = union(tags, { 'azd-env-name': environmentName })
var deploymentContainer = 'app-package'
var databaseName = 'tributary'
var makesHub = !empty(cesStream) && empty(existingEventHubsNamespaceId)
var makesWatched = watchStorage && empty(existingWatchedStorageId)
var servicesAccess = privateNetworking ? 'Disabled' : 'Enabled'
// Parts of a resource id: '', subscriptions, <id>, resourceGroups, <name>, providers, <provider>, <type>, <name>.
var hubParts = split(empty(existingEventHubsNamespaceId) ? '/////////' : existingEventHubsNamespaceId, '/')
var watchedParts = split(empty(existingWatchedStorageId) ? '/////////' : existingWatchedStorageId, '/')
var names = {
  app: 'func-${token}'
  hostStorage: 'sthost${token}'
  insights: 'appi-${token}'
  namespace: makesHub ? 'evhns-${token}' : hubParts[8]
  watchedStorage: makesWatched ? 'stwatched${token}' : watchedParts[8]
}

resource group 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: resourceGroupName
  location: location
  tags: allTags
}

module identity 'modules/identity.bicep' = {
  scope: group
  params: { location: location, tags: allTags, name: 'id-${token}' }
}

module monitoring 'modules/monitoring.bicep' = {
  scope: group
  params: {
    location: location
    tags: allTags
    workspaceName: 'log-${token}'
    insightsName: names.insights
    retentionDays: logRetentionDays
    dailyQuotaGb: logDailyQuotaGb
    appPrincipalId: identity.outputs.principalId
  }
}

module network 'modules/network.bicep' = if (privateNetworking) {
  scope: group
  params: { location: location, tags: allTags, name: 'vnet-${token}', addressPrefix: networkAddressPrefix }
}

module hostStorage 'modules/hostStorage.bicep' = {
  scope: group
  params: {
    location: location
    tags: allTags
    name: names.hostStorage
    deploymentContainer: deploymentContainer
    publicNetworkAccess: servicesAccess
    appPrincipalId: identity.outputs.principalId
    workspaceId: monitoring.outputs.workspaceId
  }
}

module eventHubs 'modules/eventHubs.bicep' = if (makesHub) {
  scope: group
  params: {
    location: location
    tags: allTags
    name: names.namespace
    hubName: eventHubName
    partitionCount: eventHubPartitionCount
    retentionHours: eventHubRetentionHours
    throughputUnits: throughputUnits
    maximumThroughputUnits: maximumThroughputUnits
    isPrivate: privateNetworking
    sourceIpRanges: sourceIpRanges
    workspaceId: monitoring.outputs.workspaceId
  }
}

module eventHubsAccess 'modules/eventHubsAccess.bicep' = if (!empty(cesStream)) {
  scope: resourceGroup(
    makesHub ? subscription().subscriptionId : hubParts[2],
    makesHub ? resourceGroupName : hubParts[4]
  )
  params: {
    namespaceName: names.namespace
    hubName: eventHubName
    consumerGroup: consumerGroup
    appPrincipalId: identity.outputs.principalId
    senderPrincipalIds: union(eventSenderPrincipalIds, empty(operatorPrincipalId) ? [] : [operatorPrincipalId])
  }
  dependsOn: [eventHubs]
}

module watchedStorage 'modules/watchedStorage.bicep' = if (makesWatched) {
  scope: group
  params: {
    location: location
    tags: allTags
    name: names.watchedStorage
    changeFeedRetentionDays: changeFeedRetentionDays
    publicNetworkAccess: servicesAccess
    workspaceId: monitoring.outputs.workspaceId
  }
}

module watchedStorageAccess 'modules/watchedStorageAccess.bicep' = if (watchStorage) {
  scope: resourceGroup(
    makesWatched ? subscription().subscriptionId : watchedParts[2],
    makesWatched ? resourceGroupName : watchedParts[4]
  )
  params: { accountName: names.watchedStorage, appPrincipalId: identity.outputs.principalId }
  dependsOn: [watchedStorage]
}

module cosmos 'modules/cosmos.bicep' = {
  scope: group
  params: {
    location: location
    tags: allTags
    name: 'cosmos-${token}'
    databaseName: databaseName
    capacity: cosmosCapacity
    maximumRequestUnits: cosmosMaximumRequestUnits
    isZoneRedundant: isZoneRedundant
    publicNetworkAccess: servicesAccess
    appPrincipalId: identity.outputs.principalId
    readerPrincipalId: operatorPrincipalId
    workspaceId: monitoring.outputs.workspaceId
  }
}

module hostStorageEndpoints 'modules/privateEndpoints.bicep' = if (privateNetworking) {
  scope: group
  params: {
    location: location
    tags: allTags
    name: 'host'
    targetId: hostStorage.outputs.id
    kinds: ['blob', 'queue', 'table']
    subnetId: network!.outputs.endpointSubnetId
    zoneIds: network!.outputs.zoneIds
  }
}

module cosmosEndpoints 'modules/privateEndpoints.bicep' = if (privateNetworking) {
  scope: group
  params: {
    location: location
    tags: allTags
    name: 'cosmos'
    targetId: cosmos.outputs.id
    kinds: ['Sql']
    subnetId: network!.outputs.endpointSubnetId
    zoneIds: network!.outputs.zoneIds
  }
}

module eventHubsEndpoints 'modules/privateEndpoints.bicep' = if (privateNetworking && makesHub) {
  scope: group
  params: {
    location: location
    tags: allTags
    name: 'hub'
    targetId: eventHubs!.outputs.id
    kinds: ['namespace']
    subnetId: network!.outputs.endpointSubnetId
    zoneIds: network!.outputs.zoneIds
  }
}

module watchedStorageEndpoints 'modules/privateEndpoints.bicep' = if (privateNetworking && makesWatched) {
  scope: group
  params: {
    location: location
    tags: allTags
    name: 'watched'
    targetId: watchedStorage!.outputs.id
    kinds: ['blob']
    subnetId: network!.outputs.endpointSubnetId
    zoneIds: network!.outputs.zoneIds
  }
}

module functionApp 'modules/functionApp.bicep' = {
  scope: group
  params: {
    location: location
    tags: allTags
    planName: 'plan-${token}'
    appName: names.app
    identityId: identity.outputs.id
    deploymentContainerUrl: '${hostStorage.outputs.blobEndpoint}${deploymentContainer}'
    instanceMemoryMB: instanceMemoryMB
    maximumInstanceCount: maximumInstanceCount
    alwaysReadyInstances: empty(cesStream) ? 0 : alwaysReadyInstances
    isZoneRedundant: isZoneRedundant
    subnetId: privateNetworking ? network!.outputs.appSubnetId : ''
    workspaceId: monitoring.outputs.workspaceId
  }
  // The platform puts the package into the container over the network that the app is in.
  dependsOn: [hostStorageEndpoints]
}

module appSettings 'modules/appSettings.bicep' = {
  scope: group
  params: {
    appName: names.app
    insightsName: names.insights
    clientId: identity.outputs.clientId
    hostStorageName: names.hostStorage
    eventHubsNamespaceName: names.namespace
    watchedStorageName: names.watchedStorage
    cosmosEndpoint: cosmos.outputs.endpoint
    databaseName: databaseName
    streams: union(
      {
        ces: empty(cesStream)
          ? []
          : [{ stream: cesStream, eventHub: eventHubName, connection: 'CES', consumerGroup: consumerGroup }]
      },
      { blob: watchStorage ? [{ stream: names.watchedStorage, connection: 'CHANGEFEED' }] : [] },
      empty(goldengateStreams) ? {} : { goldengate: goldengateStreams },
      empty(qlikStreams) ? {} : { qlik: qlikStreams }
    )
    overrides: settings
  }
  // The app must not start before it may reach what it needs.
  dependsOn: [
    functionApp
    eventHubsAccess
    watchedStorageAccess
    cosmosEndpoints
    eventHubsEndpoints
    watchedStorageEndpoints
  ]
}

module alerts 'modules/alerts.bicep' = {
  scope: group
  params: {
    location: location
    tags: allTags
    workspaceId: monitoring.outputs.workspaceId
    cosmosId: cosmos.outputs.id
    email: alertEmail
    watchesHub: makesHub
    watchesChangeFeed: watchStorage
    lagSeconds: lagAlertSeconds
    incompleteEventSeconds: incompleteEventAlertSeconds
    throttledRequests: throttledRequestsAlert
  }
}

module workbook 'modules/workbook.bicep' = {
  scope: group
  params: {
    location: location
    tags: allTags
    workspaceId: monitoring.outputs.workspaceId
    cosmosId: cosmos.outputs.id
  }
}

output AZURE_RESOURCE_GROUP string = resourceGroupName
output APP_NAME string = names.app
output APP_URL string = functionApp.outputs.url
output COSMOS_ENDPOINT string = cosmos.outputs.endpoint
output COSMOS_ACCOUNT string = cosmos.outputs.name
output EVENT_HUBS_NAMESPACE string = names.namespace
output EVENT_HUB_NAME string = eventHubName
output WATCHED_STORAGE_ACCOUNT string = names.watchedStorage
