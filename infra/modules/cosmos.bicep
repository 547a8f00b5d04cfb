// The database. Its containers are those of shared/store/containers.ts, by way of infra/containers.json.

type container = {
  id: string
  partitionKey: { paths: string[], kind: 'Hash' | 'MultiHash', version: int }
  indexingPolicy: {
    indexingMode: 'consistent'
    automatic: bool
    includedPaths: { path: string }[]
    excludedPaths: { path: string }[]
  }
  @description('Absent: documents never expire.')
  defaultTtl: int?
}

param location string
param tags object
param name string
param databaseName string
@description('serverless: pay per request, up to 5,000 request units a second per partition. autoscale: pay per hour.')
param capacity 'autoscale' | 'serverless'
@description('Upper end of autoscale, shared by all containers; a tenth of it is always paid for.')
@minValue(1000)
param maximumRequestUnits int
param isZoneRedundant bool
param publicNetworkAccess 'Enabled' | 'Disabled'
param appPrincipalId string
@description('Who may read the rows, for instance in the data explorer. Empty: nobody but the app.')
param readerPrincipalId string
param workspaceId string

var roles = loadJsonContent('../roles.json')
var containers container[] = loadJsonContent('../containers.json')

resource account 'Microsoft.DocumentDB/databaseAccounts@2024-11-15' = {
  name: name
  location: location
  tags: tags
  kind: 'GlobalDocumentDB'
  properties: {
    databaseAccountOfferType: 'Standard'
    locations: [{ locationName: location, failoverPriority: 0, isZoneRedundant: isZoneRedundant }]
    // A partition of a stream moves between instances: the new owner must read what the old one wrote.
    consistencyPolicy: { defaultConsistencyLevel: 'Strong' }
    capabilities: capacity == 'serverless' ? [{ name: 'EnableServerless' }] : []
    disableLocalAuth: true
    disableKeyBasedMetadataWriteAccess: true
    minimalTlsVersion: 'Tls12'
    publicNetworkAccess: publicNetworkAccess
    backupPolicy: { type: 'Continuous', continuousModeProperties: { tier: 'Continuous7Days' } }
  }
}

resource database 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases@2024-11-15' = {
  parent: account
  name: databaseName
  properties: {
    resource: { id: databaseName }
    options: capacity == 'serverless' ? {} : { autoscaleSettings: { maxThroughput: maximumRequestUnits } }
  }
}

resource collections 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers@2024-11-15' = [
  for definition in containers: {
    parent: database
    name: definition.id
    properties: { resource: definition }
  }
]

resource writes 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2024-11-15' = {
  parent: account
  name: guid(database.id, appPrincipalId, roles.cosmosDataContributor)
  properties: {
    roleDefinitionId: '${account.id}/sqlRoleDefinitions/${roles.cosmosDataContributor}'
    principalId: appPrincipalId
    scope: '${account.id}/dbs/${database.name}'
  }
}

resource reads 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2024-11-15' = if (!empty(readerPrincipalId)) {
  parent: account
  name: guid(database.id, readerPrincipalId, roles.cosmosDataReader)
  properties: {
    roleDefinitionId: '${account.id}/sqlRoleDefinitions/${roles.cosmosDataReader}'
    principalId: readerPrincipalId
    // The data explorer reads the account itself first.
    scope: account.id
  }
}

resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: account
  name: 'to-workspace'
  properties: {
    workspaceId: workspaceId
    logs: [{ category: 'ControlPlaneRequests', enabled: true }]
    metrics: [{ category: 'Requests', enabled: true }]
  }
}

output id string = account.id
output name string = account.name
output endpoint string = account.properties.documentEndpoint
