import { z } from 'zod';
import { HostConfigurationError, InvalidRegistrationError } from './errors.ts';
import { type NcrontabSchedule, parseNcrontab } from './ncrontab.ts';
import { type RetryPolicy, readRetryPolicy } from './retryPolicy.ts';
import { parseRoute, type RouteTemplate } from './routes.ts';
import type { FunctionDeclaration } from './rpc.ts';
import { expandSettings, type Settings } from './settings.ts';

interface FunctionBase {
  readonly name: string;
  /** Name of the trigger's binding, as the library generated it. */
  readonly bindingName: string;
}

export type AuthLevel = 'anonymous' | 'function' | 'admin';

export interface HttpFunction extends FunctionBase {
  readonly kind: 'http';
  readonly route: RouteTemplate;
  /** Upper case. */
  readonly methods: readonly string[];
  readonly authLevel: AuthLevel;
}

export interface EventHubFunction extends FunctionBase {
  readonly kind: 'eventHub';
  readonly eventHubName: string;
  /** Name of the setting that holds the connection string. */
  readonly connection: string;
  readonly consumerGroup: string;
  readonly retry: RetryPolicy | undefined;
}

export interface TimerFunction extends FunctionBase {
  readonly kind: 'timer';
  readonly schedule: NcrontabSchedule;
  readonly runOnStartup: boolean;
  /** Undefined: the app did not say, so the interval decides. */
  readonly useMonitor: boolean | undefined;
  readonly retry: RetryPolicy | undefined;
}

/** A function of the app, checked and with its settings filled in. */
export type RegisteredFunction = HttpFunction | EventHubFunction | TimerFunction;

const binding = z.object({ name: z.string(), type: z.string() });
const httpTrigger = z.object({
  authLevel: z.enum(['anonymous', 'function', 'admin']),
  methods: z.array(z.string()).min(1),
  route: z.string().optional(),
});
const eventHubTrigger = z.object({
  eventHubName: z.string(),
  connection: z.string(),
  consumerGroup: z.string().default('$Default'),
  cardinality: z.literal('many'),
  dataType: z.literal('binary'),
});
const timerTrigger = z.object({
  schedule: z.string(),
  runOnStartup: z.boolean().default(false),
  useMonitor: z.boolean().optional(),
});

/**
 * Checks what the app registered. Throws {@link InvalidRegistrationError} for what would fail or lose data in Azure:
 * no function at all (the usual sign of a failed injection), an Event Hub function that does not take batches of raw
 * bytes, an HTTP function whose `authLevel` nobody chose, a trigger that the local host does not have.
 */
export function checkRegistrations(
  declarations: readonly FunctionDeclaration[],
  settings: Settings,
  routePrefix: string,
): RegisteredFunction[] {
  if (declarations.length === 0) {
    throw new InvalidRegistrationError(
      'The app registered no function. Either its files register none, or they use another copy of @azure/functions ' +
        'than the one that resolves from the app folder.',
    );
  }
  return declarations.map((declaration) => checkOne(declaration, settings, routePrefix));
}

function checkOne(declaration: FunctionDeclaration, settings: Settings, routePrefix: string): RegisteredFunction {
  const where = `Function ${declaration.name}`;
  const { name: bindingName, type } = parseTrigger(binding, declaration, where);
  const base = { name: declaration.name, bindingName };
  try {
    switch (type.toLowerCase()) {
      case 'httptrigger':
        return { ...base, ...checkHttp(declaration, where, routePrefix) };
      case 'eventhubtrigger':
        return { ...base, ...checkEventHub(declaration, settings, where) };
      case 'timertrigger':
        return { ...base, ...checkTimer(declaration, settings, where) };
      default:
        throw new InvalidRegistrationError(`${where} has a ${type}, which the local host does not offer.`);
    }
  } catch (error) {
    if (error instanceof InvalidRegistrationError || error instanceof HostConfigurationError) {
      throw error;
    }
    throw new InvalidRegistrationError(`${where}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function parseTrigger<T extends z.ZodType>(schema: T, { trigger }: FunctionDeclaration, where: string): z.output<T> {
  const parsed = schema.safeParse(trigger);
  if (!parsed.success) {
    throw new InvalidRegistrationError(`${where} has wrong trigger options:\n${z.prettifyError(parsed.error)}`);
  }
  return parsed.data;
}

function checkHttp(
  declaration: FunctionDeclaration,
  where: string,
  routePrefix: string,
): Omit<HttpFunction, keyof FunctionBase> {
  if (!declaration.explicitAuthLevel) {
    throw new InvalidRegistrationError(
      `${where} names no authLevel, and the library then opens it to everybody. Say 'function', 'admin' or 'anonymous'.`,
    );
  }
  const { authLevel, methods, route } = parseTrigger(httpTrigger, declaration, where);
  const path = [routePrefix, route ?? declaration.name].filter((part) => part !== '').join('/');
  return {
    kind: 'http',
    authLevel,
    methods: methods.map((method) => method.toUpperCase()),
    route: parseRoute(path),
  };
}

function checkEventHub(
  declaration: FunctionDeclaration,
  settings: Settings,
  where: string,
): Omit<EventHubFunction, keyof FunctionBase> {
  const { eventHubName, connection, consumerGroup } = parseTrigger(eventHubTrigger, declaration, where);
  return {
    kind: 'eventHub',
    eventHubName: expandSettings(eventHubName, settings, where),
    connection: expandSettings(connection, settings, where),
    consumerGroup: expandSettings(consumerGroup, settings, where),
    retry: readRetryPolicy(declaration.retry),
  };
}

function checkTimer(
  declaration: FunctionDeclaration,
  settings: Settings,
  where: string,
): Omit<TimerFunction, keyof FunctionBase> {
  const { schedule, runOnStartup, useMonitor } = parseTrigger(timerTrigger, declaration, where);
  return {
    kind: 'timer',
    schedule: parseNcrontab(expandSettings(schedule, settings, where)),
    runOnStartup,
    useMonitor,
    retry: readRetryPolicy(declaration.retry),
  };
}
