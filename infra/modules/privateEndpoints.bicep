// A private endpoint for each kind of service of one resource.

param location string
param tags object
param name string
param targetId string
@description('As private endpoints call them: blob, queue, table, namespace, Sql.')
param kinds string[]
param subnetId string
@description('Kind of service to the id of its zone.')
param zoneIds object

resource endpoints 'Microsoft.Network/privateEndpoints@2024-05-01' = [
  for kind in kinds: {
    name: 'pep-${name}-${toLower(kind)}'
    location: location
    tags: tags
    properties: {
      subnet: { id: subnetId }
      privateLinkServiceConnections: [
        { name: kind, properties: { privateLinkServiceId: targetId, groupIds: [kind] } }
      ]
    }
  }
]

resource names 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-05-01' = [
  for (kind, index) in kinds: {
    parent: endpoints[index]
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [{ name: toLower(kind), properties: { privateDnsZoneId: zoneIds[kind] } }]
    }
  }
]
