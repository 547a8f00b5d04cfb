import { Api, ApiError } from './api.ts';
import { Connection } from './connection.ts';
import { askForKey } from './dialogs.ts';
import { byId, setText } from './dom.ts';
import { count } from './format.ts';
import { Poller } from './poller.ts';
import { hrefOf, parseRoute, type ViewName } from './route.ts';
import { forgetKey, keepKey, readKey } from './session.ts';
import type { Snapshot } from './snapshot.ts';
import { startTheme } from './theme.ts';
import type { Context, View } from './view.ts';
import { DeadLettersView } from './views/deadLetters.ts';
import { OverviewView } from './views/overview.ts';
import { TablesView } from './views/tables.ts';
import { Watch } from './watch.ts';

const ANNOUNCEMENT_MS = 6_000;
const KEY_REFUSED = 'The app does not accept this key.';

const connection = new Connection(byId('connection'), byId('trouble'));
const api = new Api(readKey);
const watch = new Watch(api);
let isAskingForKey = false;
let announcementTimer: ReturnType<typeof setTimeout> | undefined;

const context: Context = {
  api,
  announce,
  report(doing, error) {
    if (error instanceof ApiError && error.isKeyRefused) void unlock(KEY_REFUSED);
    else announce(`${doing}: ${error instanceof Error ? error.message : String(error)}`);
  },
  refresh: () => poller.pollNow(),
};

const views: Readonly<Record<ViewName, View>> = {
  overview: new OverviewView(),
  deadletters: new DeadLettersView(context),
  tables: new TablesView(context),
};
let current: View | undefined;

const poller = new Poller<Snapshot>({
  ask: () => watch.read(),
  onAnswer(snapshot) {
    connection.answered();
    showDeadLetterCount(snapshot.status.deadLettersTotal);
    if (current === undefined) openRoute();
    else current.update(snapshot);
  },
  onFailure(error) {
    if (error instanceof ApiError && error.isKeyRefused) {
      void unlock(KEY_REFUSED);
      return 0;
    }
    connection.failed(error);
    return error instanceof ApiError ? error.retryAfterMs : 0;
  },
  onPause() {
    watch.pause();
    connection.paused();
  },
});

/** Nothing is shown and nothing asked for while there is no key; the view opens again with the first answer. */
async function unlock(problem: string): Promise<void> {
  if (isAskingForKey) return;
  isAskingForKey = true;
  poller.stop();
  forgetKey();
  watch.forget();
  current = undefined;
  byId('main').replaceChildren();
  connection.locked();
  keepKey(await askForKey(problem));
  isAskingForKey = false;
  connection.waiting();
  poller.start();
}

/** Before the first answer there is nothing to show: empty lists would say that all is well. */
function openRoute(): void {
  if (watch.latest === undefined) return;
  const { view, parameters } = parseRoute(location.hash);
  for (const link of document.querySelectorAll<HTMLElement>('nav [data-view]')) {
    if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const next = views[view];
  if (next !== current) {
    current = next;
    byId('main').replaceChildren(next.element);
    document.title = `${next.title} – Tributary`;
    next.update(watch.latest);
  }
  next.open(parameters);
}

function announce(text: string): void {
  clearTimeout(announcementTimer);
  setText(byId('announcement'), text);
  announcementTimer = setTimeout(() => setText(byId('announcement'), ''), ANNOUNCEMENT_MS);
}

function showDeadLetterCount(total: number): void {
  const badge = byId('dead-letter-count');
  badge.hidden = total === 0;
  setText(badge, count(total));
}

startTheme(byId('theme'));
byId('skip').addEventListener('click', () => byId('main').focus());
byId('forget-key').addEventListener('click', () => void unlock(''));
addEventListener('hashchange', openRoute);
if (location.hash === '') history.replaceState(null, '', hrefOf('overview'));
if (readKey() === '') void unlock('');
else poller.start();
