// Logs, metrics and traces. Ingestion takes Entra identities alone.

param location string
param tags object
param workspaceName string
param insightsName string
@description('How long telemetry is kept.')
param retentionDays int
@description('Upper end of what telemetry may cost: ingestion stops for the day beyond it. -1: no end.')
param dailyQuotaGb int
param appPrincipalId string

var roles = loadJsonContent('../roles.json')

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: retentionDays
    features: { disableLocalAuth: true, enableLogAccessUsingOnlyResourcePermissions: true }
    workspaceCapping: { dailyQuotaGb: dailyQuotaGb }
  }
}

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: insightsName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    DisableLocalAuth: true
  }
}

resource publishes 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: insights
  name: guid(insights.id, appPrincipalId, roles.monitoringMetricsPublisher)
  properties: {
    roleDefinitionId: subscriptionResourceId(
      'Microsoft.Authorization/roleDefinitions',
      roles.monitoringMetricsPublisher
    )
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
  }
}

output workspaceId string = workspace.id
