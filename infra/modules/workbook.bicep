// A workbook with the numbers of the status page over time. Its content is infra/workbook.json.

param location string
param tags object
param workspaceId string
param cosmosId string

var content = replace(
  replace(loadTextContent('../workbook.json'), '{workspaceId}', workspaceId),
  '{cosmosId}',
  cosmosId
)

resource workbook 'Microsoft.Insights/workbooks@2022-04-01' = {
  name: guid(resourceGroup().id, 'tributary')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'Tributary'
    category: 'workbook'
    sourceId: workspaceId
    serializedData: content
  }
}
