import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ConfigError, readConfig } from '../../shared/config.ts';
import { FIELDS } from '../../shared/goldengate/fieldNames.ts';

const REQUIRED = { COSMOS_ENDPOINT: 'http://127.0.0.1:8081', AzureWebJobsStorage: 'UseDevelopmentStorage=true' };
const DEFAULTS = {
  streams: {
    ces: [
      {
        stream: 'ces',
        eventHub: 'ces',
        connection: 'CES',
        consumerGroup: '$Default',
        epochs: [{ from: null, epoch: 0 }],
        databases: {},
      },
    ],
    blob: [{ stream: 'devstoreaccount1', connection: 'CHANGEFEED', mode: 'streaming', start: null, onGap: 'stop' }],
    goldengate: {},
    qlik: {},
  },
  cosmos: { endpoint: 'http://127.0.0.1:8081', key: undefined, database: 'tributary' },
  changesHistory: 'on',
  changesTtlSeconds: 604_800,
  tombstoneTtlSeconds: 7_776_000,
  segmentTimeoutMs: 86_400_000,
  parkedTimeoutMs: 86_400_000,
  storage: { connectionString: 'UseDevelopmentStorage=true' },
  limits: {
    segmentsPerEvent: 1024,
    bytesPerEvent: 67_108_864,
    bodyBytes: 25_165_824,
    decompressedBytes: 100_663_296,
    nestingLevels: 100,
    recordsPerRequest: 200_000,
  },
};

describe('settings', () => {
  test('have defaults for everything but the addresses of the stores', () => {
    assert.deepEqual(readConfig(REQUIRED), DEFAULTS);
  });

  test('in the sample file are the defaults', () => {
    const sample = JSON.parse(readFileSync(new URL('../../local.settings.sample.json', import.meta.url), 'utf8'));
    assert.deepEqual(readConfig(sample.Values), DEFAULTS);
  });

  test('that are wrong are named all together in one message', () => {
    const wrong = {
      COSMOS_ENDPOINT: 'nonsense',
      CHANGES_TTL_DAYS: '-1',
      CHANGES_HISTORY: 'maybe',
      STREAMS: '{"ces":[{"stream":"a/b","eventHub":"h","epoch":1}]}',
    };
    assert.throws(
      () => readConfig(wrong),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError);
        for (const name of [
          'COSMOS_ENDPOINT',
          'CHANGES_TTL_DAYS',
          'CHANGES_HISTORY',
          'STREAMS.ces.0.stream',
          'epoch',
        ]) {
          assert.ok(error.message.includes(name), `${name} in ${error.message}`);
        }
        return true;
      },
    );
  });

  test('say how to reach the storage account by connection string, by service address or by account name', () => {
    const { AzureWebJobsStorage: _, ...cosmos } = REQUIRED;
    const serviceUri = 'https://acct.blob.core.windows.net';
    assert.deepEqual(readConfig({ ...cosmos, AzureWebJobsStorage__accountName: 'acct' }).storage, { serviceUri });
    assert.deepEqual(readConfig({ ...cosmos, AzureWebJobsStorage__blobServiceUri: serviceUri }).storage, {
      serviceUri,
    });
    assert.throws(() => readConfig(cosmos), { name: 'ConfigError', message: /AzureWebJobsStorage/ });
  });

  test('of a GoldenGate stream rename fields that there are, and name them all where there is no such field', () => {
    const withFields = (fields: object) =>
      readConfig({ ...REQUIRED, STREAMS: JSON.stringify({ goldengate: { pos: { fields } } }) });
    const renamed = Object.fromEntries(FIELDS.map((field) => [field, `their ${field}`]));
    assert.deepEqual(withFields(renamed).streams.goldengate.pos?.fields, renamed);
    assert.throws(() => withFields({ op_type: 'op', optype: 'op', op_tz: 'when' }), {
      name: 'ConfigError',
      message: `These settings need attention:
  STREAMS.goldengate.pos.fields: there is no field optype, op_tz: the fields are ${FIELDS.join(', ')}`,
    });
  });

  test('of a Qlik stream say how its messages are laid out, and what they do not tell', () => {
    const STREAMS = JSON.stringify({
      qlik: { hr: { format: { headers: '', data: 'Row' }, table: 'hr.salary', keys: { 'hr.salary': ['emp_no'] } } },
    });
    const format = {
      message: 'message',
      data: 'Row',
      beforeData: 'beforeData',
      headers: '',
      schema: 'schema',
      table: 'table',
    };
    assert.deepEqual(readConfig({ ...REQUIRED, STREAMS }).streams.qlik, {
      hr: { format, table: 'hr.salary', keys: { 'hr.salary': ['emp_no'] } },
    });
    assert.throws(() => readConfig({ ...REQUIRED, STREAMS: '{"qlik":{"a/b":{"key":["x"]}}}' }), {
      name: 'ConfigError',
    });
  });

  test('of a change feed say where it begins: at a time, or at the continuation token of an SDK', () => {
    const token = { CursorVersion: 1, UrlHost: 'acct.blob.core.windows.net' };
    for (const start of ['2026-08-07T10:00:00Z', token]) {
      const STREAMS = JSON.stringify({ blob: [{ stream: 'acct', connection: 'ACCT', mode: 'finalized', start }] });
      assert.deepEqual(readConfig({ ...REQUIRED, STREAMS }).streams.blob, [
        { stream: 'acct', connection: 'ACCT', mode: 'finalized', start, onGap: 'stop' },
      ]);
    }
    for (const wrong of [{ start: 'yesterday' }, { mode: 'batch' }, { onGap: 'maybe' }]) {
      const STREAMS = JSON.stringify({ blob: [{ stream: 'acct', ...wrong }] });
      assert.throws(() => readConfig({ ...REQUIRED, STREAMS }), { name: 'ConfigError', message: /STREAMS\.blob\.0/ });
    }
  });

  test('STREAMS that is not JSON is refused, and so are two streams of one name', () => {
    assert.throws(() => readConfig({ ...REQUIRED, STREAMS: '{' }), {
      name: 'ConfigError',
      message: /STREAMS: is not JSON/,
    });
    const twice = JSON.stringify({
      ces: [
        { stream: 'a', eventHub: 'x' },
        { stream: 'a', eventHub: 'y' },
      ],
    });
    assert.throws(() => readConfig({ ...REQUIRED, STREAMS: twice }), {
      name: 'ConfigError',
      message: /two streams are named a/,
    });
  });
});
