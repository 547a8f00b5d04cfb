import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { findBicep } from '../../local/infra/bicep.ts';
import { readConfig, SETTING_NAMES, type Streams } from '../../shared/config.ts';
import { CONTAINERS } from '../../shared/store/containers.ts';
import { VALUES_CONTAINER } from '../../shared/store/valueStore.ts';
import { type Deployment, ofType, only, predict } from './predicted.ts';
import { containerProblems, flexProblems, keyProblems, secretProblems, settingProblems } from './rules.ts';

const SOMEONE = '11111111-1111-1111-1111-111111111111';
const HUB =
  '/subscriptions/aaaaaaaa-0000-4000-8000-000000000002/resourceGroups/rg-hub/providers/Microsoft.EventHub/namespaces/theirs';
const ACCOUNT =
  '/subscriptions/aaaaaaaa-0000-4000-8000-000000000003/resourceGroups/rg-st/providers/Microsoft.Storage/storageAccounts/theirs';
/** As published in Microsoft's list of built-in roles, and in Cosmos DB's list of its own. */
const PUBLISHED_ROLES = {
  storageBlobDataOwner: 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b',
  storageBlobDataReader: '2a2b9908-6ea1-4ae2-8e65-a410df84e7d1',
  storageQueueDataContributor: '974c5e8b-45b9-4653-ba55-5f855dd0fb88',
  storageTableDataContributor: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3',
  eventHubsDataReceiver: 'a638d3c7-ab3a-418d-83e6-5f17a39d4fde',
  eventHubsDataSender: '2b629674-e913-4c01-ae53-ef4638d8f975',
  monitoringMetricsPublisher: '3913510d-42f4-4e42-8a64-420c390055eb',
  cosmosDataReader: '00000000-0000-0000-0000-000000000001',
  cosmosDataContributor: '00000000-0000-0000-0000-000000000002',
};

const bicep = await findBicep();
const skip =
  bicep === undefined ? 'skipped: bicep snapshot (there is no Bicep compiler here; npm run infra fetches it)' : false;

describe('the deployment', { skip }, () => {
  let plain: Deployment;
  let closed: Deployment;
  let joined: Deployment;
  before(async () => {
    if (bicep === undefined) return;
    [plain, [closed, joined]] = await Promise.all([
      predict(bicep, { settings: "{ CHANGES_TTL_DAYS: '14' }", qlikStreams: "{ hr: { table: 'hr.salary' } }" }),
      predict(bicep, {
        privateNetworking: 'true',
        sourceIpRanges: "['203.0.113.7']",
        cosmosCapacity: "'serverless'",
        operatorPrincipalId: `'${SOMEONE}'`,
        alertEmail: "'operator@example.com'",
      }).then(
        async (first) =>
          [
            first,
            await predict(bicep, {
              existingEventHubsNamespaceId: `'${HUB}'`,
              existingWatchedStorageId: `'${ACCOUNT}'`,
            }),
          ] as const,
      ),
    ]);
  });

  const settingsOf = (deployment: Deployment) => only(deployment, 'Microsoft.Web/sites/config').properties;
  const connectionsOf = ({ ces, blob }: Streams) => [
    ...new Set(['AzureWebJobsStorage', ...[...ces, ...blob].map(({ connection }) => connection)]),
  ];
  /** The settings as the app would see them: what only the deployment knows is made up. */
  const environmentOf = (deployment: Deployment) => ({
    ...(settingsOf(deployment) as Record<string, string>),
    COSMOS_ENDPOINT: 'https://made-up.documents.azure.com:443/',
  });

  test('has the containers of the code, and notices a change on either side', () => {
    const deployed = ofType(plain, 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers');
    assert.deepEqual(containerProblems(Object.values(CONTAINERS), deployed), []);
    const inCode = { ...CONTAINERS.rows, indexed: [...CONTAINERS.rows.indexed, '/source/?'] };
    assert.deepEqual(containerProblems(Object.values({ ...CONTAINERS, rows: inCode }), deployed), ['rows']);
    assert.deepEqual(containerProblems([...Object.values(CONTAINERS), { ...inCode, id: 'new' }], deployed), ['new']);
    for (const [index, container] of deployed.entries()) {
      const resource = { ...(container.properties.resource as object), defaultTtl: 60 };
      const changed = deployed.with(index, { ...container, properties: { resource } });
      assert.equal(containerProblems(Object.values(CONTAINERS), changed).length, 1, container.name);
    }
  });

  test('sets what the code reads and nothing else, and notices a change on either side', () => {
    for (const deployment of [plain, closed, joined]) {
      const settings = settingsOf(deployment);
      const connections = connectionsOf(readConfig(environmentOf(deployment)).streams);
      assert.deepEqual(settingProblems(settings, SETTING_NAMES, connections), []);
      assert.deepEqual(settingProblems({ ...settings, CHANGES_TTL: '7' }, SETTING_NAMES, connections), [
        'nobody reads CHANGES_TTL',
      ]);
      assert.deepEqual(settingProblems(settings, [...SETTING_NAMES, 'NEW_SETTING'], connections), [
        'NEW_SETTING is not set',
      ]);
      assert.deepEqual(settingProblems(settings, SETTING_NAMES, [...connections, 'OTHER']), [
        'the connection OTHER leads nowhere',
      ]);
    }
  });

  test('gives the app a configuration that it accepts, without a key', () => {
    const config = readConfig(environmentOf(plain));
    const watched = only(plain, 'Microsoft.Web/sites').name.replace('func-', 'stwatched');
    const defaults = readConfig({
      COSMOS_ENDPOINT: config.cosmos.endpoint,
      AzureWebJobsStorage__accountName: watched.replace('watched', 'host'),
      STREAMS: JSON.stringify({
        ces: [{ stream: 'ces', eventHub: 'ces', consumerGroup: 'tributary' }],
        blob: [{ stream: watched }],
        qlik: { hr: { table: 'hr.salary' } },
      }),
      CHANGES_TTL_DAYS: '14',
    });
    assert.deepEqual(config, defaults);
    assert.equal(config.cosmos.key, undefined);
    assert.deepEqual(
      readConfig(environmentOf(joined)).streams.blob.map(({ stream }) => stream),
      ['theirs'],
    );
  });

  test('has nothing that Flex Consumption forbids', () => {
    const site = only(plain, 'Microsoft.Web/sites');
    assert.deepEqual(flexProblems(settingsOf(plain), site), []);
    for (const name of ['FUNCTIONS_WORKER_RUNTIME', 'WEBSITE_RUN_FROM_PACKAGE', 'WEBSITE_CONTENTSHARE']) {
      assert.deepEqual(flexProblems({ ...settingsOf(plain), [name]: 'x' }, site), [name]);
    }
    const siteConfig = { linuxFxVersion: 'Node|24' };
    assert.deepEqual(flexProblems({}, { ...site, properties: { siteConfig } }), ['linuxFxVersion']);
  });

  test('runs on Node 24, and every connection signs in as the one identity', () => {
    const site = only(plain, 'Microsoft.Web/sites');
    const config = JSON.stringify(site.properties.functionAppConfig);
    assert.match(config, /"runtime":\{"name":"node","version":"24"\}/);
    assert.match(config, /"type":"UserAssignedIdentity"/);
    const settings = settingsOf(plain);
    const names = Object.keys(settings).filter((name) => name === 'AZURE_CLIENT_ID' || name.endsWith('__clientId'));
    assert.deepEqual(names.sort(), [
      'AZURE_CLIENT_ID',
      'AzureWebJobsStorage__clientId',
      'CES__clientId',
      'CHANGEFEED__clientId',
    ]);
    const identities = new Set(names.map((name) => settings[name]));
    assert.equal(identities.size, 1);
    assert.match(String([...identities][0]), /identity-.*outputs\.clientId/);
  });

  test('has no key, connection string or SAS in any resource, setting or output, and would notice one', () => {
    for (const deployment of [plain, closed, joined]) {
      assert.deepEqual(secretProblems(deployment), []);
      assert.deepEqual(keyProblems(deployment), []);
    }
    const leaks = [
      "[listKeys('x', '2024-01-01').keys[0].value]",
      'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b',
      'Endpoint=sb://x;SharedAccessKeyName=a;SharedAccessKey=b',
      'https://a.blob.core.windows.net/c?sv=1&sig=abc',
      "[reference('x').primaryMasterKey]",
    ];
    for (const leak of leaks) {
      assert.deepEqual(secretProblems({ ...plain, outputs: { LEAK: leak } }), ['output.LEAK'], leak);
      const setting = { id: '', type: 'Microsoft.Web/sites/config', name: 'x', properties: { COSMOS_KEY: leak } };
      assert.deepEqual(
        secretProblems({ predictedResources: [setting], outputs: {} }),
        ['resource.0.properties.COSMOS_KEY'],
        leak,
      );
    }
  });

  test('leaves no resource open to keys, and would notice one', () => {
    for (const type of [
      'Microsoft.DocumentDB/databaseAccounts',
      'Microsoft.EventHub/namespaces',
      'Microsoft.Insights/components',
      'Microsoft.Storage/storageAccounts',
    ]) {
      assert.ok(ofType(plain, type).length > 0, type);
      const opened = ofType(plain, type).map((each) => ({ ...each, properties: {} }));
      assert.equal(keyProblems({ predictedResources: opened }).length, opened.length, type);
    }
  });

  test('grants the app what it needs and no more, by the published role ids', () => {
    const roles: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../infra/roles.json'), 'utf8'));
    assert.deepEqual(roles, PUBLISHED_ROLES);
    assert.deepEqual(grantsOf(plain), [
      'Microsoft.EventHub/namespaces/eventhubs: eventHubsDataReceiver',
      'Microsoft.Insights/components: monitoringMetricsPublisher',
      'Microsoft.Storage/storageAccounts: storageBlobDataOwner',
      'Microsoft.Storage/storageAccounts: storageBlobDataReader',
      'Microsoft.Storage/storageAccounts: storageQueueDataContributor',
      'Microsoft.Storage/storageAccounts: storageTableDataContributor',
      'database: cosmosDataContributor',
    ]);
    // With an operator: test events may be sent, rows may be read.
    const more = grantsOf(closed).filter((grant) => !grantsOf(plain).includes(grant));
    assert.deepEqual(more, [
      'Microsoft.EventHub/namespaces/eventhubs: eventHubsDataSender',
      'account: cosmosDataReader',
    ]);
    assert.deepEqual(grantsOf(joined), grantsOf(plain));
  });

  test('keeps large values where the code looks for them', () => {
    const names = ofType(plain, 'Microsoft.Storage/storageAccounts/blobServices/containers').map(({ name }) =>
      name.split('/').at(-1),
    );
    assert.deepEqual(names, ['app-package', VALUES_CONTAINER]);
  });

  test('makes no hub and no account where existing ones are used, but a consumer group of its own', () => {
    assert.deepEqual(ofType(joined, 'Microsoft.EventHub/namespaces'), []);
    assert.equal(ofType(joined, 'Microsoft.Storage/storageAccounts').length, 1);
    assert.equal(only(joined, 'Microsoft.EventHub/namespaces/eventhubs/consumergroups').name, 'theirs/ces/tributary');
  });

  test('closes every service but the app when networking is private', () => {
    const access = (type: string) => ofType(closed, type).map(({ properties }) => properties.publicNetworkAccess);
    assert.deepEqual(access('Microsoft.Storage/storageAccounts'), ['Disabled', 'Disabled']);
    assert.deepEqual(access('Microsoft.DocumentDB/databaseAccounts'), ['Disabled']);
    assert.equal(ofType(closed, 'Microsoft.Network/privateEndpoints').length, 6);
    const { defaultAction, ipRules } = only(closed, 'Microsoft.EventHub/namespaces/networkRuleSets').properties;
    assert.deepEqual(
      { defaultAction, ipRules },
      { defaultAction: 'Deny', ipRules: [{ ipMask: '203.0.113.7', action: 'Allow' }] },
    );
    assert.equal(ofType(plain, 'Microsoft.Network/virtualNetworks').length, 0);
  });

  test('watches the change feed and keeps it longer than an outage lasts', () => {
    const feeds = ofType(plain, 'Microsoft.Storage/storageAccounts/blobServices').map(
      ({ properties }) => properties.changeFeed,
    );
    assert.deepEqual(feeds, [undefined, { enabled: true, retentionInDays: 30 }]);
  });
});

/** Roles by the kind of resource that they are granted on. */
function grantsOf(deployment: Deployment): string[] {
  const nameOf = (id: unknown) =>
    Object.entries(PUBLISHED_ROLES).find(([, role]) => String(id).includes(role))?.[0] ?? `unknown role ${id}`;
  const arm = ofType(deployment, 'Microsoft.Authorization/roleAssignments').map(({ id, properties }) => {
    const [target = ''] = id.split('/providers/Microsoft.Authorization');
    const scope = /providers\/(Microsoft\.[A-Za-z]+(?:\/[a-zA-Z]+\/[^/']+)+)/.exec(target)?.[1] ?? id;
    const [provider, ...parts] = scope.split('/');
    const types = parts.filter((_, index) => index % 2 === 0);
    return `${[provider, ...types].join('/')}: ${nameOf(properties.roleDefinitionId)}`;
  });
  const native = ofType(deployment, 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments').map(
    ({ properties }) =>
      `${/\/dbs\/tributary/.test(String(properties.scope)) ? 'database' : 'account'}: ${nameOf(properties.roleDefinitionId)}`,
  );
  return [...new Set([...arm, ...native])].sort();
}
