import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_FIELDS } from '../../../shared/goldengate/fieldNames.ts';
import { truncatesTable } from '../../../shared/goldengate/truncateStatement.ts';

const truncates = (statement: string) => truncatesTable({ ddl: { statement } }, DEFAULT_FIELDS);

describe('a statement', () => {
  const empties = [
    'TRUNCATE TABLE S.T',
    'truncate table "S"."T" drop storage cascade',
    '\n /* a */-- TRUNCATE CLUSTER\n\tTruncate/**/Table\r\nT REUSE STORAGE /* GOLDENGATE_DDL_REPLICATION */',
    '/*/ TABLE /*/TRUNCATE--\nTABLE"T"',
    'TRUNCATE TABLE',
  ];
  for (const statement of empties)
    test(`empties its table: ${JSON.stringify(statement)}`, () => assert.ok(truncates(statement)));

  const others = [
    'TRUNCATE CLUSTER S.C',
    'ALTER TABLE S.T TRUNCATE PARTITION P1',
    'TRUNCATE TABLESPACE',
    'TRUNCATE TABLE$',
    'TRUNCATE TABLEÄ',
    'TRUNCATETABLE T',
    'TRUNCATE "TABLE"',
    'DROP TABLE S.T /* TRUNCATE TABLE S.T */',
    '-- TRUNCATE TABLE S.T',
    '/*',
    '/*/ TRUNCATE TABLE S.T',
    'TRUNCATE /* TABLE S.T',
    'TRUNCATE',
    '',
  ];
  for (const statement of others)
    test(`does not: ${JSON.stringify(statement)}`, () => assert.ok(!truncates(statement)));

  test('that is missing, or no text, does not', () => {
    for (const ddl of [
      undefined,
      null,
      'TRUNCATE TABLE T',
      {},
      { statement: null },
      { statement: ['TRUNCATE TABLE T'] },
    ]) {
      assert.ok(!truncatesTable(ddl === undefined ? {} : { ddl }, DEFAULT_FIELDS));
    }
  });

  test('empties its table after a comment of any length', () => {
    const comment = `/*${'* '.repeat(5_000_000)}*/`;
    assert.ok(truncates(`${comment}TRUNCATE TABLE T`));
    assert.ok(!truncates(`${'/**/'.repeat(1_000_000)}DROP TABLE T`));
  });
});
