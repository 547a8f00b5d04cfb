// What the app needs of a hub, new or existing: a consumer group that nobody else reads, and the right to read.

param namespaceName string
param hubName string
param consumerGroup string
param appPrincipalId string
@description('Who may send: the identities of the SQL servers, and of the operator for a first test event.')
param senderPrincipalIds string[]

var roles = loadJsonContent('../roles.json')

resource namespace 'Microsoft.EventHub/namespaces@2024-01-01' existing = {
  name: namespaceName
}

resource hub 'Microsoft.EventHub/namespaces/eventhubs@2024-01-01' existing = {
  parent: namespace
  name: hubName
}

resource group 'Microsoft.EventHub/namespaces/eventhubs/consumergroups@2024-01-01' = {
  parent: hub
  name: consumerGroup
}

// The whole hub, for the scale controller asks for its partitions too.
resource reads 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: hub
  name: guid(hub.id, appPrincipalId, roles.eventHubsDataReceiver)
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.eventHubsDataReceiver)
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
  }
}

resource sends 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for principalId in senderPrincipalIds: {
    scope: hub
    name: guid(hub.id, principalId, roles.eventHubsDataSender)
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.eventHubsDataSender)
      principalId: principalId
    }
  }
]
