import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import rhea from 'rhea';
import { ClientConnection } from './clientConnection.ts';
import { type HubConfig, Hubs } from './hub.ts';
import type { Retention } from './partition.ts';

/** Where the broker listens: local connections only. */
const HOST = '127.0.0.1';
/** Clients get this long to answer the goodbye before their sockets are ended. */
const CLOSE_GRACE_MS = 300;

const DEFAULT_RETENTION: Retention = { maxEvents: 1_000_000, maxBytes: 512 * 1024 * 1024 };

/** What `startBroker` needs to know. */
export interface BrokerOptions {
  /** TCP port on 127.0.0.1; 0 (the default) takes a free one. */
  readonly port?: number;
  readonly hubs: readonly HubConfig[];
  /** Bound of each partition, beyond which its oldest events are dropped: a million events and 512 MiB unless told otherwise. */
  readonly retention?: Partial<Retention>;
}

/** A running broker. */
export interface Broker {
  readonly port: number;
  /** For the Azure SDKs; without an entity path, so the client is told the hub by name. */
  readonly connectionString: string;
  /** @throws HubConfigError when there is a hub of this name already or the hub cannot exist. */
  addHub(hub: HubConfig): void;
  /** Ends all connections and frees the port; events are gone. */
  close(): Promise<void>;
}

/** Thrown when the broker cannot listen, for instance because the port is taken. */
export class BrokerStartError extends Error {
  override readonly name = 'BrokerStartError';
}

/**
 * Starts an Event Hubs broker that speaks AMQP 1.0 without TLS, for the unmodified Azure clients. Events live in memory. Any key or token
 * is accepted.
 * @throws HubConfigError when one of the hubs cannot exist; BrokerStartError when the port cannot be had.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const hubs = new Hubs({ ...DEFAULT_RETENTION, ...options.retention });
  for (const hub of options.hubs) {
    hubs.add(hub);
  }
  const container = rhea.create_container({ id: 'tributary-local-event-hubs' });
  const mechanisms = container.sasl_server_mechanisms;
  mechanisms.enable_anonymous();
  // Clients that authenticate by claims may ask for the mechanism of that name; it is the anonymous one.
  mechanisms.MSSBCBS = mechanisms.ANONYMOUS;

  const clients = new Set<ClientConnection>();
  const server = createServer({ noDelay: true }, (socket) => {
    const client = new ClientConnection(container, socket, hubs);
    clients.add(client);
    socket.on('close', () => clients.delete(client));
  });
  const port = await listen(server, options.port ?? 0);
  return {
    port,
    connectionString: `Endpoint=sb://${HOST}:${port};SharedAccessKeyName=local;SharedAccessKey=local;UseDevelopmentEmulator=true`,
    addHub: (hub) => hubs.add(hub),
    close: () => closeAll(server, clients),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new BrokerStartError(`the Event Hubs broker cannot listen on ${HOST}:${port}`, { cause }));
    });
    server.listen({ host: HOST, port }, () => {
      const address: AddressInfo | string | null = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function closeAll(server: Server, clients: ReadonlySet<ClientConnection>): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => {
      for (const client of clients) {
        client.destroy();
      }
    }, CLOSE_GRACE_MS);
    server.close(() => {
      clearTimeout(impatience);
      resolve();
    });
    for (const client of clients) {
      client.close();
    }
  });
}
