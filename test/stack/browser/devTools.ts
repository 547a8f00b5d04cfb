type Parameters = { readonly [name: string]: unknown };

export interface DevToolsEvent {
  readonly method: string;
  readonly params: Parameters;
  readonly sessionId?: string;
}

interface Answer {
  readonly id?: number;
  readonly result?: Parameters;
  readonly error?: { readonly message: string };
}

interface Pending {
  readonly method: string;
  resolve(result: Parameters): void;
  reject(error: Error): void;
}

/** Thrown when the browser refuses a command, or is gone. */
export class DevToolsError extends Error {
  override readonly name = 'DevToolsError';
}

/** The Chrome DevTools protocol over one WebSocket: numbered commands and their answers, and events. */
export class DevTools {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<(event: DevToolsEvent) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data))));
    socket.addEventListener('close', () => {
      for (const { method, reject } of this.#pending.values())
        reject(new DevToolsError(`${method}: the browser is gone`));
      this.#pending.clear();
    });
  }

  static async connect(url: string): Promise<DevTools> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', () => reject(new DevToolsError(`no connection to ${url}`)), { once: true });
    });
    return new DevTools(socket);
  }

  /** Rejects with DevToolsError. */
  send(method: string, params: Parameters = {}, sessionId?: string): Promise<Parameters> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) throw new DevToolsError(`${method}: the browser is gone`);
      this.#pending.set(id, { method, resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    });
  }

  listen(listener: (event: DevToolsEvent) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#socket.close();
  }

  #take(message: Answer & DevToolsEvent): void {
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error === undefined) pending?.resolve(message.result ?? {});
    else pending?.reject(new DevToolsError(`${pending.method}: ${message.error.message}`));
  }
}
