// Private networking: a network for the app, and name resolution that leads to private endpoints.

param location string
param tags object
param name string
param addressPrefix string

// Flex Consumption runs in subnets that are delegated so, with names that have no underscore.
var appDelegation = 'Microsoft.App/environments'

var zoneNames = {
  blob: 'privatelink.blob.${environment().suffixes.storage}'
  queue: 'privatelink.queue.${environment().suffixes.storage}'
  table: 'privatelink.table.${environment().suffixes.storage}'
  namespace: 'privatelink.servicebus.windows.net'
  Sql: 'privatelink.documents.azure.com'
}

resource network 'Microsoft.Network/virtualNetworks@2024-05-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressPrefix] }
    subnets: [
      {
        name: 'app'
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 26, 0)
          delegations: [{ name: 'app', properties: { serviceName: appDelegation } }]
        }
      }
      {
        name: 'endpoints'
        properties: { addressPrefix: cidrSubnet(addressPrefix, 26, 1) }
      }
    ]
  }

  resource app 'subnets' existing = {
    name: 'app'
  }

  resource endpoints 'subnets' existing = {
    name: 'endpoints'
  }
}

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for zone in items(zoneNames): {
    name: zone.value
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (zone, index) in items(zoneNames): {
    parent: zones[index]
    name: 'to-network'
    location: 'global'
    tags: tags
    properties: { registrationEnabled: false, virtualNetwork: { id: network.id } }
  }
]

output appSubnetId string = network::app.id
output endpointSubnetId string = network::endpoints.id
@description('Kind of service, as private endpoints call it, to the id of its zone.')
output zoneIds object = toObject(
  items(zoneNames),
  zone => zone.key,
  zone => resourceId('Microsoft.Network/privateDnsZones', zone.value)
)
