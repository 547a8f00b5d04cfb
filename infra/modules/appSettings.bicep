// The app's settings in one place: where its services are, and every setting of infra/settings.json. None is a secret.

param appName string
param insightsName string
param clientId string
param hostStorageName string
param eventHubsNamespaceName string
param watchedStorageName string
param cosmosEndpoint string
param databaseName string
@description('The value of STREAMS.')
param streams object
param overrides object

resource app 'Microsoft.Web/sites@2024-04-01' existing = {
  name: appName
}

resource insights 'Microsoft.Insights/components@2020-02-02' existing = {
  name: insightsName
}

// Event Hubs has one suffix in every cloud but the sovereign ones.
var eventHubsSuffix = 'servicebus.windows.net'

var identity = { credential: 'managedidentity', clientId: clientId }

var services = {
  // Where telemetry goes. It opens nothing: the resource takes Entra identities alone.
  APPLICATIONINSIGHTS_CONNECTION_STRING: insights.properties.ConnectionString
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${clientId};Authorization=AAD'
  // Which identity the app's own clients take.
  AZURE_CLIENT_ID: clientId
  // No other way to sign in is tried, so that a failure says what is wrong with this one.
  AZURE_TOKEN_CREDENTIALS: 'ManagedIdentityCredential'
  AzureWebJobsStorage__accountName: hostStorageName
  AzureWebJobsStorage__credential: identity.credential
  AzureWebJobsStorage__clientId: identity.clientId
  COSMOS_ENDPOINT: cosmosEndpoint
  COSMOS_DATABASE: databaseName
  STREAMS: string(streams)
}

var events = empty(eventHubsNamespaceName)
  ? {}
  : {
      CES__fullyQualifiedNamespace: '${eventHubsNamespaceName}.${eventHubsSuffix}'
      CES__credential: identity.credential
      CES__clientId: identity.clientId
    }

var changeFeed = empty(watchedStorageName)
  ? {}
  : {
      CHANGEFEED__blobServiceUri: 'https://${watchedStorageName}.blob.${environment().suffixes.storage}'
      CHANGEFEED__credential: identity.credential
      CHANGEFEED__clientId: identity.clientId
    }

resource settings 'Microsoft.Web/sites/config@2024-04-01' = {
  parent: app
  name: 'appsettings'
  properties: union(loadJsonContent('../settings.json'), overrides, services, events, changeFeed)
}
