import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, findChromium, startChromium } from '../stack/browser/chromium.ts';
import type { BrowserTab } from '../stack/browser/tab.ts';
import { FIXTURE_KEY, type FixtureApi, startFixtureApi } from './fixtureApi.ts';
import { change, letter, MARKUP, row, status, TABLES, table } from './fixtureData.ts';

const TABLE = 'ces/sales/Shop.dbo.Orders';
const HOSTILE_TABLE = `ces/sales/${MARKUP}`;
const TWO_POLLS_MS = 4_000;
const chromium = findChromium();

function calm() {
  let moved = 0;
  return {
    status: () => {
      moved += 50;
      return status(moved, 2);
    },
    tables: TABLES,
    rows: [row(TABLE, '7', { Id: 7 }), row(TABLE, '8', { Id: 8, Name: 'a' })],
    changes: [change(TABLE, { op: 'insert', image: 'full', after: { Id: 8, Name: 'a' } })],
    letters: [letter('first'), letter('second', { reason: 'undecodable' })],
    failure: undefined,
  };
}

function hostile() {
  const columns = JSON.parse(
    JSON.stringify({ Id: 8, [MARKUP]: MARKUP, nested: { [MARKUP]: [MARKUP] }, plain: MARKUP }),
  );
  return {
    ...calm(),
    status: () => status(0, 1, MARKUP),
    tables: [table(HOSTILE_TABLE, 1, 0)],
    rows: [row(HOSTILE_TABLE, MARKUP, columns)],
    changes: [
      change(HOSTILE_TABLE, { before: columns, after: { ...columns, plain: 'b' }, transaction: { id: MARKUP } }),
      change(HOSTILE_TABLE, { op: MARKUP, image: 'full', after: columns, key: MARKUP, flag: MARKUP }),
    ],
    letters: [
      letter(MARKUP, {
        stream: MARKUP,
        reason: MARKUP,
        explanation: MARKUP,
        detail: MARKUP,
        text: MARKUP,
        position: { [MARKUP]: MARKUP },
        decoded: {
          changes: [change(HOSTILE_TABLE, { after: columns, keys: { [MARKUP]: MARKUP } })],
          error: { reason: MARKUP, detail: MARKUP },
        },
      }),
    ],
  };
}

describe('the page in a browser', { skip: chromium === undefined && 'Chromium is not on PATH' }, () => {
  let browser: Browser;
  let api: FixtureApi;
  let tab: BrowserTab;

  before(async () => {
    browser = await startChromium(chromium ?? '');
    api = await startFixtureApi(calm());
  });
  after(async () => {
    await browser.close();
    await api.close();
  });
  beforeEach(async () => {
    Object.assign(api.state, calm());
    tab = await browser.open();
    await tab.resize(1280, 900);
    await tab.media({ motion: 'reduce' });
  });
  afterEach(() => tab.close());

  const enterKey = async (key: string) => {
    await tab.until("document.querySelector('#key-dialog').open && document.activeElement.id === 'key'");
    await tab.type(key);
    await tab.press('Enter');
  };
  const openAt = async (address: string) => {
    await tab.goto(`${api.url}${address}`);
    await enterKey(FIXTURE_KEY);
    await tab.untilText('#connection', 'Live');
  };
  /** What has the focus: its text, or else its name. */
  const focused = () => tab.evaluate<string>('document.activeElement.innerText || document.activeElement.id');

  test('asks for the key once, says when it is refused, keeps it for the tab alone, and forgets it', async () => {
    await tab.goto(api.url);
    await tab.until("document.querySelector('#key-dialog').open");
    await tab.press('Escape');
    await tab.press('Escape');
    await enterKey('wrong');
    await tab.untilText('#key-problem', 'does not accept this key');
    assert.deepEqual(await tab.evaluate("[document.querySelector('main').innerText, sessionStorage.length]"), ['', 0]);
    await enterKey(FIXTURE_KEY);
    await tab.untilText('.flow', '88,120 rows');
    await tab.goto(`${api.url}?again`);
    await tab.untilText('#connection', 'Live');
    assert.equal(await tab.evaluate('JSON.stringify(localStorage).includes("fixture-key")'), false);
    await tab.click('#forget-key');
    await tab.until("document.querySelector('#key-dialog').open");
    assert.deepEqual(await tab.evaluate("[document.querySelector('main').innerText, sessionStorage.length]"), ['', 0]);
  });

  test('asks nobody but the API, and nobody at all before there is a key', async () => {
    await tab.goto(api.url);
    await tab.until("document.querySelector('#key-dialog').open");
    assert.deepEqual(new Set(tab.requests.filter((url) => !url.startsWith('data:'))), new Set([api.url]));
    await enterKey(FIXTURE_KEY);
    await tab.untilText('.flow', 'rows');
    assert.deepEqual(
      tab.requests.filter((url) => !url.startsWith('data:') && !url.startsWith(new URL(api.url).origin)),
      [],
    );
    assert.deepEqual(tab.complaints, []);
  });

  test('shows markup in names and values as the text that it is', async () => {
    Object.assign(api.state, hostile());
    await openAt('#/overview');
    await tab.untilText('.stacked', MARKUP);
    await tab.untilText('#waiting-lines', MARKUP);
    const parameters = new URLSearchParams({ table: HOSTILE_TABLE, id: MARKUP });
    await tab.evaluate(`location.hash = ${JSON.stringify(`#/tables?${parameters}`)}`);
    await tab.untilText('.timeline', MARKUP);
    assert.equal(await tab.evaluate("document.querySelector('.rows tbody td:last-of-type').innerText"), MARKUP);
    const ofLetter = new URLSearchParams({ of: MARKUP, id: MARKUP });
    await tab.evaluate(`location.hash = ${JSON.stringify(`#/deadletters?${ofLetter}`)}`);
    await tab.untilText('.detail .explanation', MARKUP);
    await tab.untilText('.detail .columns', MARKUP);
    assert.deepEqual(
      await tab.evaluate("[typeof window.pwned, document.querySelectorAll('main img, main script').length]"),
      ['undefined', 0],
    );
    assert.deepEqual(tab.complaints, []);
  });

  test('says that its numbers are stale while the API does not answer, and recovers', async () => {
    await openAt('#/overview');
    await tab.untilText('.flow', '88,120 rows');
    api.state.failure = { status: 503, error: 'the counters could not be read' };
    await tab.untilText('#connection', 'Stale since');
    await tab.untilText('#trouble', 'the counters could not be read (status 503)');
    assert.match(await tab.text('.flow'), /88,120 rows/);
    api.state.failure = undefined;
    await tab.untilText('#connection', 'Live');
    assert.equal(await tab.evaluate("document.querySelector('#trouble').hidden"), true);
  });

  test('asks for nothing while it is hidden, and goes on when it is seen again', async () => {
    const turn = async (isHidden: boolean) => {
      await tab.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })`);
      await tab.evaluate("document.dispatchEvent(new Event('visibilitychange')), true");
    };
    await openAt('#/overview');
    await turn(true);
    await tab.untilText('#connection', 'Paused');
    const asked = tab.requests.length;
    await delay(TWO_POLLS_MS);
    assert.equal(tab.requests.length, asked);
    await turn(false);
    await tab.untilText('#connection', 'Live');
  });

  test('is used with the keyboard alone: list, detail, question, Escape back to where one was', async () => {
    await openAt('#/deadletters');
    await tab.untilText('.list', 'undecodable');
    await tab.evaluate("document.querySelector('.list a').focus()");
    await tab.press('ArrowDown');
    assert.match(await focused(), /^undecodable/);
    await tab.press('Enter');
    await tab.untilText('.detail', 'Decoded as far as it goes');
    await tab.until("document.activeElement.classList.contains('detail')");
    await tab.press('Tab');
    await tab.press('Tab');
    assert.equal(await focused(), 'Replay …');
    await tab.press('Enter');
    await tab.until("document.querySelector('#ask-dialog').open");
    await tab.press('Escape');
    await tab.until("!document.querySelector('#ask-dialog').open");
    assert.deepEqual([api.commands, await focused()], [[], 'Replay …']);
    await tab.press('Escape');
    await tab.until("document.querySelector('.detail').hidden");
    assert.match(await focused(), /^undecodable/);
  });

  test('replays and deletes only what was chosen, and only after it has asked', async () => {
    await openAt('#/deadletters');
    await tab.click('.list li:nth-child(2) input');
    await tab.click('#delete-letters');
    await tab.untilText('#ask-title', 'Delete 1 record?');
    await tab.click('#ask-yes');
    await tab.untilText('#announcement', 'Deleted 1 record.');
    await tab.click('.list li:nth-child(1) a');
    await tab.click('#replay-letter');
    await tab.click('#ask-yes');
    await tab.untilText('#announcement', 'Replayed 1 record: 1 applied.');
    await tab.untilText('main', 'No dead letters here');
    assert.deepEqual(api.commands, [
      'DELETE deadletters/second ',
      'POST deadletters/replay {"ids":[{"stream":"sales","id":"first"}],"force":false,"continuation":null}',
    ]);
  });

  test('tells the minutes of the chart apart by arrow keys, in words', async () => {
    await openAt('#/overview');
    await tab.untilText('.readout', 'This minute: ');
    await tab.evaluate("document.querySelector('.plot').focus()");
    await tab.press('ArrowLeft');
    await tab.until("/^\\d\\d:\\d\\d: .*applied/.test(document.querySelector('.readout').innerText)");
  });

  test('is dark when the system is, and otherwise when one wants', async () => {
    const ground = () => tab.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await tab.media({ colours: 'light', motion: 'reduce' });
    await openAt('#/overview');
    const light = await ground();
    await tab.media({ colours: 'dark', motion: 'reduce' });
    const dark = await ground();
    assert.notEqual(dark, light);
    await tab.click('#theme');
    assert.deepEqual([await tab.text('#theme'), await ground()], ['Theme: light', light]);
    await tab.media({ colours: 'light', motion: 'reduce' });
    await tab.click('#theme');
    assert.deepEqual([await tab.text('#theme'), await ground()], ['Theme: dark', dark]);
  });

  test('moves nothing for those who want no motion', async () => {
    const animation = () => tab.until<string>("getComputedStyle(document.querySelector('.current')).animationName");
    await openAt('#/overview');
    await tab.until("document.querySelector('[data-moving] .current')");
    await tab.media({ motion: 'no-preference' });
    assert.equal(await animation(), 'drift');
    await tab.media({ motion: 'reduce' });
    assert.equal(await animation(), 'none');
  });

  for (const [width, height] of [
    [1024, 768],
    [390, 844],
  ] as const) {
    test(`fits into ${width} pixels, whatever it shows`, async () => {
      Object.assign(api.state, hostile());
      await tab.resize(width, height);
      await openAt('#/overview');
      const addresses = [
        '#/overview',
        '#/deadletters',
        `#/deadletters?${new URLSearchParams({ of: MARKUP, id: MARKUP })}`,
        '#/tables',
        `#/tables?${new URLSearchParams({ table: HOSTILE_TABLE })}`,
        `#/tables?${new URLSearchParams({ table: HOSTILE_TABLE, id: MARKUP })}`,
      ];
      for (const address of addresses) {
        await tab.evaluate(`location.hash = ${JSON.stringify(address)}`);
        await tab.until("document.querySelector('main').innerText.includes('onerror')");
        const excess = await tab.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.equal(excess, 0, address);
      }
    });
  }
});
