import { setTimeout as delay } from 'node:timers/promises';
import { type DevTools, DevToolsError, type DevToolsEvent } from './devTools.ts';

const POLL_MS = 50;
const PATIENCE_MS = 20_000;

interface Evaluated {
  readonly result?: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
}

export interface Media {
  readonly colours?: 'light' | 'dark';
  readonly motion?: 'no-preference' | 'reduce';
}

const KEYS: { readonly [key: string]: { readonly code: number; readonly text?: string } } = {
  Tab: { code: 9 },
  Enter: { code: 13, text: '\r' },
  Escape: { code: 27 },
  End: { code: 35 },
  Home: { code: 36 },
  ArrowLeft: { code: 37 },
  ArrowUp: { code: 38 },
  ArrowRight: { code: 39 },
  ArrowDown: { code: 40 },
};

/** One page in the browser, used as a person would: by what it shows, the pointer and the keyboard. */
export class BrowserTab {
  /** What the page complained about: exceptions, violated policies, `console.error`. */
  readonly complaints: string[] = [];
  /** Every address that the page asked for. */
  readonly requests: string[] = [];
  readonly #devTools: DevTools;
  readonly #session: string;
  readonly #browserContextId: unknown;

  private constructor(devTools: DevTools, session: string, browserContextId: unknown) {
    this.#devTools = devTools;
    this.#session = session;
    this.#browserContextId = browserContextId;
    devTools.listen((event) => event.sessionId === session && this.#note(event));
  }

  /** A tab in a context of its own: it shares no storage with others. */
  static async open(devTools: DevTools): Promise<BrowserTab> {
    const { browserContextId } = await devTools.send('Target.createBrowserContext');
    const { targetId } = await devTools.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await devTools.send('Target.attachToTarget', { targetId, flatten: true });
    const tab = new BrowserTab(devTools, String(sessionId), browserContextId);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await tab.send(`${domain}.enable`);
    return tab;
  }

  /** Also forgets what the page has stored. */
  async close(): Promise<void> {
    await this.#devTools.send('Target.disposeBrowserContext', { browserContextId: this.#browserContextId });
  }

  send(method: string, params: { readonly [name: string]: unknown } = {}) {
    return this.#devTools.send(method, params, this.#session);
  }

  async goto(url: string): Promise<void> {
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText !== undefined) throw new DevToolsError(`${url}: ${errorText}`);
    await this.until("document.readyState === 'complete'");
  }

  async resize(width: number, height: number): Promise<void> {
    const isPhone = width < 500;
    const metrics = { width, height, deviceScaleFactor: isPhone ? 2 : 1, mobile: isPhone };
    await this.send('Emulation.setDeviceMetricsOverride', metrics);
  }

  async media({ colours = 'light', motion = 'no-preference' }: Media): Promise<void> {
    const features = [
      { name: 'prefers-color-scheme', value: colours },
      { name: 'prefers-reduced-motion', value: motion },
    ];
    await this.send('Emulation.setEmulatedMedia', { features });
  }

  /** The value of an expression, as JSON carries it. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const parameters = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails }: Evaluated = await this.send('Runtime.evaluate', parameters);
    if (exceptionDetails !== undefined) {
      throw new DevToolsError(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    }
    return result?.value as Value;
  }

  /** Waits until `expression` is truthy and returns its value. Throws DevToolsError with what the page shows instead. */
  async until<Value>(expression: string, patienceMs = PATIENCE_MS): Promise<Value> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const value = await this.evaluate<Value>(expression);
      if (value) return value;
      if (Date.now() > deadline) {
        throw new DevToolsError(`waited in vain for ${expression}; the page says: ${await this.text('body')}`);
      }
      await delay(POLL_MS);
    }
  }

  /** The text in sight of the first element that matches. */
  text(selector: string): Promise<string> {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`);
  }

  untilText(selector: string, part: string, patienceMs = PATIENCE_MS): Promise<boolean> {
    const found = `(document.querySelector(${JSON.stringify(selector)})?.innerText ?? '')`;
    return this.until(`${found}.includes(${JSON.stringify(part)})`, patienceMs);
  }

  /** Presses the pointer in the middle of the first element that matches, once it is there. */
  async click(selector: string): Promise<void> {
    const find = `document.querySelector(${JSON.stringify(selector)})`;
    const { x, y } = await this.until<{ x: number; y: number }>(`(() => {
      const element = ${find};
      if (element === null || element.disabled) return null;
      element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const { x, y, width, height } = element.getBoundingClientRect();
      return width === 0 ? null : { x: x + width / 2, y: y + height / 2 };
    })()`);
    const pointer = { x, y, button: 'left', clickCount: 1 };
    await this.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...pointer });
    await this.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...pointer });
  }

  async type(text: string): Promise<void> {
    await this.send('Input.insertText', { text });
  }

  async press(key: string): Promise<void> {
    const { code = 0, text } = KEYS[key] ?? {};
    const event = { key, code: key, windowsVirtualKeyCode: code };
    await this.send('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...event, text });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  /** PNG of what is in sight, or of the whole page. */
  async screenshot({ isWhole = false } = {}): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: isWhole });
    return Buffer.from(String(data), 'base64');
  }

  #note({ method, params }: DevToolsEvent): void {
    if (method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded')
      this.complaints.push(JSON.stringify(params));
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') this.complaints.push(JSON.stringify(params));
    if (method === 'Network.requestWillBeSent') {
      const { request } = params as { readonly request?: { readonly url: string } };
      this.requests.push(request?.url ?? '');
    }
  }
}
