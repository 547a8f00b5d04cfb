// What an operator is woken for. The numbers are those that the app counts (shared/telemetry), read from the workspace;
// throttling is the database's own. A query that finds nothing wrong gives no row.

param location string
param tags object
param workspaceId string
param cosmosId string
@description('Empty: alerts show in the portal alone.')
param email string
@description('Whether the hub sends its metrics to the workspace, as one made here does.')
param watchesHub bool
param watchesChangeFeed bool
param lagSeconds int
param incompleteEventSeconds int
param throttledRequests int

var critical = 1
var warning = 2

// A gauge comes once a minute from one instance, so its sum over its count is its value.
var gauge = 'extend Stream = strcat(Properties.source, "/", Properties.stream), Value = Sum / ItemCount'

var queryAlerts = union(
  [
    {
      name: 'lag'
      severity: critical
      title: 'A stream lags behind its source'
      description: 'The newest change of a stream was old when it was applied, all through the window. docs/deploy.md, "When an alert fires".'
      window: 'PT10M'
      query: 'AppMetrics | where Name == "tributary.lag" | ${gauge} | summarize Lowest = min(Value) by Stream | where Lowest > ${lagSeconds}'
    }
    {
      name: 'dead-letters'
      severity: warning
      title: 'Records could not be processed'
      description: 'Records were put into the container deadletters, each with its reason. Their neighbours were applied.'
      window: 'PT15M'
      query: 'AppMetrics | where Name == "tributary.records" and tostring(Properties.outcome) == "deadLettered" | summarize Records = sum(Sum) by Stream = strcat(Properties.source, "/", Properties.stream) | where Records > 0'
    }
    {
      name: 'incomplete-events'
      severity: warning
      title: 'Split events lack segments'
      description: 'A split event has waited for its missing segments too long. It becomes a dead letter after SEGMENT_TIMEOUT_HOURS.'
      window: 'PT15M'
      query: 'AppMetrics | where Name == "tributary.oldest_incomplete" | ${gauge} | summarize Oldest = max(Value) by Stream | where Oldest > ${incompleteEventSeconds}'
    }
    {
      name: 'dead-timer-sweep'
      severity: critical
      title: 'The timer sweep does not run'
      description: 'The minute timer sweep has not ended a run in 15 minutes, or the app sends no telemetry at all.'
      window: 'PT15M'
      query: 'AppMetrics | where Name == "tributary.invocations" and tostring(Properties.function) == "sweep" | summarize Runs = sum(Sum) | where Runs < 1'
    }
    {
      name: 'failures'
      severity: critical
      title: 'Functions fail'
      description: 'Function runs threw. Bad records never make a run throw, so the store or the storage account is in trouble.'
      window: 'PT15M'
      query: 'AppMetrics | where Name == "tributary.invocations" and tostring(Properties.outcome) == "failed" | summarize Failures = sum(Sum) by Function = tostring(Properties.function) | where Failures > 3'
    }
    {
      name: 'stream-stopped'
      severity: critical
      title: 'A stream cannot go on'
      description: 'A stream reports what keeps it from moving, for instance a gap in the change feed. GET /api/status says what.'
      window: 'PT15M'
      query: 'AppMetrics | where Name == "tributary.blocked" | ${gauge} | summarize Blocked = min(Value) by Stream | where Blocked > 0'
    }
  ],
  watchesChangeFeed
    ? [
        {
          name: 'dead-timer-change-feed'
          severity: critical
          title: 'The timer changeFeed does not run'
          description: 'The minute timer changeFeed has not ended a run in 30 minutes; a run may take five.'
          window: 'PT30M'
          query: 'AppMetrics | where Name == "tributary.invocations" and tostring(Properties.function) == "changeFeed" | summarize Runs = sum(Sum) | where Runs < 1'
        }
      ]
    : [],
  watchesHub
    ? [
        {
          name: 'hub-unread'
          severity: critical
          title: 'Events arrive and nobody reads them'
          description: 'The Event Hubs namespace took events in and gave none out: the trigger has stopped.'
          window: 'PT15M'
          query: 'AzureMetrics | where ResourceProvider == "MICROSOFT.EVENTHUB" | summarize Taken = sumif(Total, MetricName == "IncomingMessages"), Given = sumif(Total, MetricName == "OutgoingMessages") | where Taken > 0 and Given == 0'
        }
      ]
    : []
)

resource receivers 'Microsoft.Insights/actionGroups@2023-01-01' = if (!empty(email)) {
  name: 'ag-tributary'
  location: 'global'
  tags: tags
  properties: {
    groupShortName: 'tributary'
    enabled: true
    emailReceivers: [{ name: 'operator', emailAddress: email, useCommonAlertSchema: true }]
  }
}

resource rules 'Microsoft.Insights/scheduledQueryRules@2022-06-15' = [
  for alert in queryAlerts: {
    name: 'alert-${alert.name}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: 'Tributary: ${alert.title}'
      description: alert.description
      severity: alert.severity
      enabled: true
      scopes: [workspaceId]
      evaluationFrequency: 'PT5M'
      windowSize: alert.window
      // A new workspace has none of the tables until the first telemetry comes.
      skipQueryValidation: true
      autoMitigate: true
      criteria: {
        allOf: [
          {
            query: alert.query
            timeAggregation: 'Count'
            operator: 'GreaterThan'
            threshold: 0
            failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
          }
        ]
      }
      actions: { actionGroups: empty(email) ? [] : [receivers.id] }
    }
  }
]

resource throttling 'Microsoft.Insights/metricAlerts@2018-03-01' = {
  name: 'alert-throttling'
  location: 'global'
  tags: tags
  properties: {
    description: 'Cosmos DB throttles: nothing is lost, but the streams fall behind. Raise cosmosMaximumRequestUnits.'
    severity: warning
    enabled: true
    scopes: [cosmosId]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    autoMitigate: true
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
      allOf: [
        {
          name: 'throttled'
          criterionType: 'StaticThresholdCriterion'
          metricNamespace: 'Microsoft.DocumentDB/databaseAccounts'
          metricName: 'TotalRequests'
          dimensions: [{ name: 'StatusCode', operator: 'Include', values: ['429'] }]
          timeAggregation: 'Count'
          operator: 'GreaterThan'
          threshold: throttledRequests
        }
      ]
    }
    actions: empty(email) ? [] : [{ actionGroupId: receivers.id }]
  }
}
