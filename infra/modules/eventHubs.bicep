// A namespace of its own for SQL Server change event streaming. Left out where an existing namespace is used.

param location string
param tags object
param name string
param hubName string
@description('Cannot be raised later without breaking the order of events per key: choose with room to grow.')
@minValue(1)
@maxValue(32)
param partitionCount int
@description('How long events stay in the hub: the time an outage may last.')
@minValue(1)
@maxValue(168)
param retentionHours int
@minValue(1)
@maxValue(40)
param throughputUnits int
@description('Throughput units grow by themselves up to here.')
@minValue(1)
@maxValue(40)
param maximumThroughputUnits int
@description('Closed: only the private endpoint and the addresses in sourceIpRanges get in.')
param isPrivate bool
@description('Public addresses of the SQL servers that stream: change event streaming knows public endpoints alone.')
param sourceIpRanges string[]
param workspaceId string

resource namespace 'Microsoft.EventHub/namespaces@2024-01-01' = {
  name: name
  location: location
  tags: tags
  sku: { name: 'Standard', tier: 'Standard', capacity: throughputUnits }
  properties: {
    disableLocalAuth: true
    minimumTlsVersion: '1.2'
    isAutoInflateEnabled: maximumThroughputUnits > throughputUnits
    maximumThroughputUnits: maximumThroughputUnits > throughputUnits ? maximumThroughputUnits : 0
    publicNetworkAccess: isPrivate && empty(sourceIpRanges) ? 'Disabled' : 'Enabled'
  }
}

resource addresses 'Microsoft.EventHub/namespaces/networkRuleSets@2024-01-01' = if (isPrivate && !empty(sourceIpRanges)) {
  parent: namespace
  name: 'default'
  properties: {
    publicNetworkAccess: 'Enabled'
    defaultAction: 'Deny'
    ipRules: [for range in sourceIpRanges: { ipMask: range, action: 'Allow' }]
  }
}

resource hub 'Microsoft.EventHub/namespaces/eventhubs@2024-01-01' = {
  parent: namespace
  name: hubName
  properties: {
    partitionCount: partitionCount
    retentionDescription: { cleanupPolicy: 'Delete', retentionTimeInHours: retentionHours }
  }
}

resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: namespace
  name: 'to-workspace'
  properties: {
    workspaceId: workspaceId
    logs: [{ category: 'OperationalLogs', enabled: true }]
    metrics: [{ category: 'AllMetrics', enabled: true }]
  }
}

output id string = namespace.id
