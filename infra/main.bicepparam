using 'main.bicep'

// azd fills these in from its environment (`azd env set NAME value`); what is not set keeps the default of main.bicep.
param environmentName = readEnvironmentVariable('AZURE_ENV_NAME', 'tributary')
param location = readEnvironmentVariable('AZURE_LOCATION', 'westeurope')
param operatorPrincipalId = readEnvironmentVariable('AZURE_PRINCIPAL_ID', '')
param alertEmail = readEnvironmentVariable('ALERT_EMAIL', '')
param existingEventHubsNamespaceId = readEnvironmentVariable('EXISTING_EVENT_HUBS_NAMESPACE_ID', '')
param existingWatchedStorageId = readEnvironmentVariable('EXISTING_WATCHED_STORAGE_ID', '')
param eventSenderPrincipalIds = json(readEnvironmentVariable('EVENT_SENDER_PRINCIPAL_IDS', '[]'))
param cosmosCapacity = readEnvironmentVariable('COSMOS_CAPACITY', 'autoscale') == 'serverless' ? 'serverless' : 'autoscale'
param cosmosMaximumRequestUnits = int(readEnvironmentVariable('COSMOS_MAXIMUM_REQUEST_UNITS', '4000'))
param privateNetworking = bool(readEnvironmentVariable('PRIVATE_NETWORKING', 'false'))
param sourceIpRanges = json(readEnvironmentVariable('SOURCE_IP_RANGES', '[]'))
