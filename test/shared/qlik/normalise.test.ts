import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { QlikColumn, QlikEvent } from '../../../local/samples/qlik/qlikEvent.ts';
import { dataJson, metadataOf } from '../../../local/samples/qlik/renderJson.ts';
import type { JsonValue } from '../../../shared/change/json.ts';
import { DEFAULT_QLIK_STREAM } from '../../../shared/config.ts';
import type { DataMessage } from '../../../shared/qlik/message.ts';
import { readMetadata } from '../../../shared/qlik/metadata.ts';
import { normalise } from '../../../shared/qlik/normalise.ts';
import { openJson } from '../../../shared/qlik/openRecord.ts';
import { readOperation } from '../../../shared/qlik/operations.ts';
import { VersionPlan } from '../../../shared/qlik/versionPlan.ts';
import { bareMessage, eventOf, NAME, PRICE, reasonOf, sequenceOf, tableOf } from './messages.ts';

const NOTES: QlikColumn = { name: 'NOTES', type: 'CLOB' };
const TABLE = tableOf('t', [NAME, PRICE, NOTES]);
const ROW = { ID: 1, NAME: 'a', PRICE: '1.00', NOTES: 'long' };

function messageOf(value: object | string): DataMessage {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const opened = openJson(JSON.parse(text) as JsonValue, DEFAULT_QLIK_STREAM.format);
  assert.ok(opened.kind === 'data');
  return opened;
}

/** A captured change by its metadata. */
function withMetadata(value: object | string) {
  const plan = new VersionPlan(readMetadata({ kind: 'metadata', schemaId: null, content: metadataOf(TABLE) }));
  const message = messageOf(value);
  const facts = { name: 'hr.t', plan, key: plan.key };
  return normalise('s', message, readOperation(message.headers), facts, { kind: 'captured', sequence: sequenceOf(5) });
}

/** A captured change of a table whose key is all that is known. */
function withoutMetadata(parts: Parameters<typeof bareMessage>[0], key: readonly string[] = ['ID']) {
  const message = messageOf(bareMessage(parts));
  const facts = { name: 'hr.t', plan: null, key };
  return normalise('s', message, readOperation(message.headers), facts, { kind: 'captured', sequence: sequenceOf(5) });
}

const render = (operation: QlikEvent['operation'], data: QlikEvent['data'], before: QlikEvent['beforeData'] = null) =>
  dataJson(eventOf(TABLE, operation, 5, data, before));

describe('a change', () => {
  test('carries what its message said, and nothing of its own', () => {
    assert.deepEqual(withMetadata(render('UPDATE', { ...ROW, NAME: 'b' }, ROW)), {
      source: 'qlik',
      stream: 's',
      table: 'qlik/s/hr.t',
      identity: `qlik/s/${sequenceOf(5)}/UPDATE/hr.t/1`,
      op: 'update',
      image: 'partial',
      keys: { ID: 1 },
      key: '1',
      before: ROW,
      after: { ...ROW, NAME: 'b' },
      token: `${sequenceOf(5)}:0`,
      committedAt: '2024-05-01T10:20:30.000Z',
      transaction: { id: '00000000000000000000000000060008', sequence: 1, last: true },
      origin: {
        operation: 'UPDATE',
        changeSequence: sequenceOf(5),
        timestamp: '2024-05-01T10:20:30.000',
        streamPosition: 'mysql-bin.000004:4998:18:5373:000005',
        transactionId: '00000000000000000000000000060008',
        changeMask: '02',
        columnMask: '0F',
        externalSchemaId: null,
        transactionEventCounter: 1,
        transactionLastEvent: true,
        messageSchemaId: TABLE.schemaId,
      },
    });
  });

  test('of an INSERT is the whole row, unless a column could not be captured', () => {
    const event = eventOf(TABLE, 'INSERT', 5, ROW);
    const whole = withMetadata(dataJson(event));
    const masked = withMetadata(dataJson({ ...event, uncaptured: new Set(['PRICE']) }));
    const { PRICE: _, ...known } = ROW;
    assert.deepEqual([whole.image, whole.after, masked.image, masked.after], ['full', ROW, 'partial', known]);
  });

  test('of a DELETE is found in data, in beforeData, or in the key alone', () => {
    const expected = { op: 'delete', image: 'none', keys: { ID: 1 }, after: null };
    const deletes = [
      render('DELETE', ROW),
      render('DELETE', { ID: 1 }),
      bareMessage({ data: null, beforeData: ROW, headers: { operation: 'DELETE' } }),
      bareMessage({ data: { ID: 1 }, beforeData: ROW, headers: { operation: 'delete' } }),
      bareMessage({ data: { NAME: null }, beforeData: { ID: 1 }, headers: { operation: 'DELETE' } }),
    ];
    for (const value of deletes) {
      const { op, image, keys, after } = withMetadata(value);
      assert.deepEqual({ op, image, keys, after }, expected);
    }
  });

  test('that gives a row another key moves it, where it tells the old one', () => {
    const moved = withMetadata(render('UPDATE', { ...ROW, ID: 2 }, ROW));
    assert.deepEqual([moved.key, moved.movedFrom], ['2', { key: '1', keys: { ID: 1 } }]);
    const headers = { changeMask: '01', columnMask: '0F' };
    const alone = withMetadata(bareMessage({ data: { ...ROW, ID: 2 }, headers }));
    assert.deepEqual([alone.key, alone.movedFrom, alone.origin.oldKeyUnknown], ['2', undefined, true]);
    const spelling = withMetadata(render('UPDATE', { ...ROW, ID: '01' }, ROW));
    assert.deepEqual([spelling.key, spelling.movedFrom], ['1', undefined]);
  });

  test('of a large object that an update did not touch says nothing about it', () => {
    const nulled = { ...ROW, NOTES: null };
    const { NOTES: _, ...known } = ROW;
    const untold = withMetadata(bareMessage({ data: nulled, headers: { changeMask: '07' } }));
    const absent = withMetadata(bareMessage({ data: nulled, headers: { columnMask: '07' } }));
    const present = withMetadata(bareMessage({ data: nulled, headers: { columnMask: '0F' } }));
    const inserted = withMetadata(bareMessage({ data: nulled, headers: { operation: 'INSERT' } }));
    assert.deepEqual([untold.after, absent.after, present.after, inserted.after], [known, known, nulled, nulled]);
  });

  test('names values that are not of their type, and keeps them', () => {
    const { after, origin } = withMetadata(bareMessage({ data: { ...ROW, PRICE: 'much' } }));
    assert.deepEqual([after, origin.valueErrors], [{ ...ROW, PRICE: 'much' }, ['PRICE']]);
  });

  test('whose mask contradicts its columns is kept, with its nulls, and says so', () => {
    const headers = { changeMask: '02', columnMask: '05' };
    const { after, image, origin } = withoutMetadata({ data: { ID: 1, NAME: 'a', PRICE: null }, headers });
    assert.deepEqual(
      [after, image, origin.ignoredMasks, origin.columnMask],
      [{ ID: 1, NAME: 'a', PRICE: null }, 'partial', ['columnMask', 'changeMask'], '05'],
    );
    assert.deepEqual(withoutMetadata({ data: { ID: 1 }, headers: { columnMask: 'all' } }).origin.ignoredMasks, [
      'columnMask',
    ]);
  });

  test('without metadata counts columns in the order in which they stand, and says so', () => {
    const headers = { changeMask: '00', columnMask: '05' };
    const { after, origin } = withoutMetadata({ data: { ID: 1, NAME: null, PRICE: null }, headers });
    assert.deepEqual([after, origin.ordinals, origin.metadata], [{ ID: 1, PRICE: null }, 'inferred', 'none']);
    const numbered = withoutMetadata({ data: { ID: 1, 7: null }, headers: { columnMask: '01' } });
    assert.deepEqual(numbered.after, { 7: null, ID: 1 });
  });

  test('is refused where it lacks its row or its key', () => {
    const reasons = [
      () => withMetadata(bareMessage({ data: null })),
      () => withMetadata(bareMessage({ headers: { operation: 'DELETE' } })),
      () => withMetadata(bareMessage({ data: { NAME: 'a' } })),
      () => withoutMetadata({ data: { ID: null, A: 1 }, headers: { columnMask: '02' } }),
      () => withMetadata(bareMessage({ headers: { operation: 'READ' } })),
    ].map(reasonOf);
    assert.deepEqual(reasons, ['invalid-envelope', 'invalid-envelope', 'no-key', 'no-key', 'unknown-operation']);
  });

  test('has a null in its key as a key of its own', () => {
    const keys = withoutMetadata({ data: { ID: null, A: 'x' } }, ['ID', 'A']);
    assert.deepEqual([keys.key, keys.keys], ['%null,x', { ID: null, A: 'x' }]);
  });
});
