import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { renderJson } from '../../local/samples/render.ts';
import { shopEvents } from '../../local/samples/shop.ts';
import { startFunction } from '../../local/sampleTraffic.ts';
import type { DeadLetterDocument } from '../../shared/store/deadLetters.ts';
import { findChromium, startChromium } from './browser/chromium.ts';
import type { BrowserTab } from './browser/tab.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';

const chromium = findChromium();
const MARKUP = '<img src=x onerror="window.pwned=1">';
const NAME = 'SALES.<i>RECEIPTS</i>';
const TABLE = `goldengate/pos/${NAME}`;
const SETTINGS = {
  STREAMS: JSON.stringify({ ces: [{ stream: 'ces', eventHub: 'ces' }], goldengate: { pos: {} } }),
  // Two seconds: records that wait for their table's key become dead letters while the test looks on.
  PARKED_TIMEOUT_HOURS: String(2 / 3_600),
};
/** A record of a table whose key nobody knows, and what makes it known. */
const RECORD = {
  qual_table: NAME,
  op_type: 'I',
  op_ts: new Date().toISOString(),
  pos: 'G-AAAAAJcRAAAAAAAAAAAAAAAAAAAHAAoAAA==10001',
  after: { ID: 7, '<b>NOTE</b>': MARKUP },
};
const METADATA = {
  qual_table: NAME,
  op_type: 'OBJECT_METADATA',
  columns: { ID: { type: 'integer', key: true }, '<b>NOTE</b>': { type: 'string' } },
};
const BAD_EVENTS = [Buffer.from('not JSON'), Buffer.from('{"hello":"<i>world</i>"}')];
const EVENT_EVERY_MS = 50;

describe('the page on the whole stack', { skip: chromium === undefined && 'Chromium is not on PATH' }, () => {
  let stack: TestStack;
  let tab: BrowserTab;
  /** Of what has started: a test that cannot begin must end all the same. */
  const closers: (() => Promise<void>)[] = [];
  let isOver = false;
  let traffic: Promise<void> | undefined;

  before(async () => {
    stack = await startTestStack(SETTINGS);
    closers.push(() => stack.close());
    const browser = await startChromium(chromium ?? '');
    closers.push(() => browser.close());
    tab = await browser.open();
    await tab.resize(1280, 900);
    await tab.media({ motion: 'reduce' });
    traffic = sendTraffic();
  });
  after(async () => {
    isOver = true;
    await traffic;
    for (const close of closers.reverse()) await close();
  });

  /** Event after event, for as long as the tests run. */
  async function sendTraffic(): Promise<void> {
    for (const event of shopEvents({ seed: 7, changes: 10_000 })) {
      if (isOver) return;
      await stack.send([renderJson(event)]);
      await delay(EVENT_EVERY_MS);
    }
  }

  const post = async (record: object) => {
    const response = await fetch(`${stack.description.functionsUrl}/api/goldengate/pos`, {
      method: 'POST',
      headers: { 'x-functions-key': stack.description.functionKey, 'content-type': 'application/json' },
      body: JSON.stringify(record),
    });
    assert.equal(response.status, 200, await response.text());
  };
  const letters = () => stack.documents<DeadLetterDocument>('deadletters');

  test('is there for everybody, and nothing else but health is', async () => {
    const url = stack.description.functionsUrl;
    const ask = async (method: string, path: string) => [
      path,
      (await fetch(`${url}/api/${path}`, { method, ...(method === 'POST' ? { body: '{}' } : {}) })).status,
    ];
    const answers = await Promise.all([
      ask('GET', 'ui'),
      ask('GET', 'health'),
      ask('GET', 'status'),
      ask('GET', 'tables'),
      ask('GET', 'rows?table=t'),
      ask('GET', 'deadletters'),
      ask('DELETE', 'deadletters?stream=ces'),
      ask('GET', 'deadletters/x?stream=ces'),
      ask('DELETE', 'deadletters/x?stream=ces'),
      ask('POST', 'deadletters/replay'),
      ask('POST', 'goldengate/pos'),
      ask('POST', 'qlik/hr'),
    ]);
    const open = answers.filter(([, status]) => status !== 401);
    assert.deepEqual(open, [
      ['ui', 200],
      ['health', 200],
    ]);
  });

  test('comes with its policy, and is not sent again to whoever has it', async () => {
    const url = `${stack.description.functionsUrl}/api/ui`;
    const first = await fetch(url);
    const etag = first.headers.get('etag') ?? '';
    assert.match(first.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'sha256-/);
    assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304);
  });

  test('refuses a wrong key, and with the right one shows rates that move', async () => {
    await tab.goto(`${stack.description.functionsUrl}/api/ui`);
    for (const key of ['wrong', stack.description.functionKey]) {
      await tab.until("document.querySelector('#key-dialog').open && document.activeElement.id === 'key'");
      await tab.type(key);
      await tab.press('Enter');
      if (key === 'wrong') await tab.untilText('#key-problem', 'does not accept this key');
    }
    await tab.until("parseFloat(document.querySelector('.source-ces .flow-number')?.textContent) > 1");
    await tab.untilText('.flow', 'flowing');
    const received = () => tab.evaluate<string>(`document.querySelector('[data-title="Received"]').textContent`);
    const before = await received();
    await tab.until(`document.querySelector('[data-title="Received"]').textContent !== ${JSON.stringify(before)}`);
    await tab.untilText('.readout', 'applied');
    await tab.untilText('.flow', 'rows');
  });

  test('shows records that wait, and the dead letters that bad events and a table without a key become', async () => {
    await post(RECORD);
    await stack.send(BAD_EVENTS);
    await tab.untilText('#waiting-lines', '1 record parked until the table is known');
    await delay(2_000);
    await startFunction(stack.description, 'sweep');
    await tab.untilText('#dead-letter-count', String(1 + BAD_EVENTS.length));
    await tab.click('nav [data-view=deadletters]');
    for (const reason of ['undecodable', 'invalid-envelope', 'no-key']) await tab.untilText('.list', reason);
  });

  test('replays one after the catalog knows the key: it is gone, and the row is there with its history', async () => {
    await post(METADATA);
    await tab.until(`[...document.querySelectorAll('.list a')].find((link) => link.innerText.startsWith('no-key'))`);
    await tab.evaluate(
      `[...document.querySelectorAll('.list a')].find((link) => link.innerText.startsWith('no-key')).click()`,
    );
    await tab.untilText('.detail', 'Decoded as far as it goes');
    await tab.untilText('.detail', MARKUP.slice(0, 10));
    await tab.click('#replay-letter');
    await tab.untilText('#ask-title', 'Replay this record?');
    assert.equal((await letters()).length, 3);
    await tab.click('#ask-yes');
    await tab.untilText('#announcement', 'Replayed 1 record: 1 applied.');
    await tab.until("!document.querySelector('.list').innerText.includes('no-key')");
    const reasons = (await letters()).map(({ reason }) => reason).sort();
    assert.deepEqual(reasons, ['invalid-envelope', 'undecodable']);

    await tab.click('nav [data-view=tables]');
    await tab.untilText('.list.tables', NAME);
    await tab.evaluate(
      `[...document.querySelectorAll('.list.tables a')].find((link) => link.innerText.includes('RECEIPTS')).click()`,
    );
    await tab.untilText('.rows', 'ID 7');
    await tab.untilText('.rows', MARKUP);
    await tab.click('.rows tbody a');
    await tab.untilText('.timeline', 'Insert');
    await tab.untilText('.timeline', '<b>NOTE</b>');
    const rows = (await stack.rows()).filter(({ table }) => table === TABLE);
    assert.deepEqual(
      rows.map(({ id, row }) => [id, row]),
      [['7', RECORD.after]],
    );
  });

  test('replays everything that matches, says what stays dead and why, and deletes what nobody wants', async () => {
    await tab.click('nav [data-view=deadletters]');
    await tab.untilText('.list', 'undecodable');
    await tab.click('#replay-letters');
    await tab.click('#ask-yes');
    await tab.untilText('#announcement', '2 still dead');
    await tab.untilText('.list', '1 replay failed');
    await tab.click('.list li:nth-child(1) input');
    await tab.click('.list li:nth-child(2) input');
    await tab.click('#delete-letters');
    await tab.click('#ask-yes');
    await tab.untilText('main', 'No dead letters here');
    assert.deepEqual(await eventually(letters, (all) => all.length === 0), []);
  });

  test('ran nothing of what the rows contain, and complained about nothing but the wrong key', async () => {
    assert.equal(await tab.evaluate('typeof window.pwned'), 'undefined');
    // The browser itself reports each answer that is no success: of the wrong key, and of a letter that was open as it went.
    const isExpected = (complaint: string) =>
      complaint.includes('status of 401') ||
      (complaint.includes('status of 404') && complaint.includes('/api/deadletters/'));
    const complaints = tab.complaints.filter((complaint) => !isExpected(complaint));
    assert.deepEqual(complaints, []);
  });
});
