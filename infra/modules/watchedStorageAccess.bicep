// What the app needs of a watched account, new or existing: to read blobs, the change feed being blobs too.

param accountName string
param appPrincipalId string

var roles = loadJsonContent('../roles.json')

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' existing = {
  name: accountName
}

resource reads 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: account
  name: guid(account.id, appPrincipalId, roles.storageBlobDataReader)
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.storageBlobDataReader)
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
  }
}
