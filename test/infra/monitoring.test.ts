import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { TIMERS } from '../../shared/operate/timers.ts';
import { METRICS } from '../../shared/telemetry/metricNames.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const mentioned = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name ?? '');

/** Names that queries ask for and nobody sends. */
function unknownMetrics(queries: string, sent: readonly string[]): string[] {
  return mentioned(queries, /(tributary\.[a-z_]+)/g).filter((name) => !sent.includes(name));
}

describe('what the alerts and the workbook ask for', () => {
  const alerts = read('infra/modules/alerts.bicep');
  const workbook = read('infra/workbook.json');
  const sent: readonly string[] = Object.values(METRICS);

  test('are metrics that the app sends, and a change of either name shows', () => {
    assert.ok(mentioned(alerts, /(tributary\.[a-z_]+)/g).length > 5);
    assert.deepEqual(unknownMetrics(alerts + workbook, sent), []);
    assert.deepEqual(unknownMetrics('where Name == "tributary.late"', sent), ['tributary.late']);
    const renamed = sent.map((name) => name.replace('lag', 'delay'));
    assert.ok(unknownMetrics(alerts, renamed).includes(METRICS.lag));
  });

  test('are timers that there are, each with an alert', () => {
    const timers = mentioned(alerts, /Properties\.function\) == "([A-Za-z]+)"/g);
    assert.deepEqual(timers.sort(), Object.keys(TIMERS).sort());
  });

  test('a workbook is JSON whose queries name no metric of their own making', () => {
    assert.equal(JSON.parse(workbook).version, 'Notebook/1.0');
  });

  test('the function that is always ready is one that the app has', () => {
    const [name] = mentioned(read('infra/modules/functionApp.bicep'), /var eventFunction = '([A-Za-z]+)'/g);
    assert.ok(globSync('functions/*.ts', { cwd: ROOT }).includes(`functions/${name}.ts`));
  });
});
