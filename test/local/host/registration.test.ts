import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AppLoadError,
  type FunctionsHostError,
  HostConfigurationError,
  InvalidRegistrationError,
} from '../../../local/host/errors.ts';
import { startFunctionsHost } from '../../../local/host/host.ts';
import { checkRegistrations } from '../../../local/host/registration.ts';
import { fixture, journal, startFixture } from './testApp.ts';

const start = (name: string, settings: Record<string, string> = {}) =>
  startFunctionsHost({ appRoot: fixture(name), settings, functionKey: 'k' });

describe('the host refuses to start', { concurrency: 3 }, () => {
  const refusals: [
    reason: string,
    app: string,
    error: new (...args: never[]) => FunctionsHostError,
    message: RegExp,
  ][] = [
    ['an app that registers no function', 'noFunctions', InvalidRegistrationError, /registered no function/],
    ['an HTTP function without authLevel', 'anonymousByDefault', InvalidRegistrationError, /open names no authLevel/],
    [
      'an Event Hub function without binary data',
      'stringEvents',
      InvalidRegistrationError,
      /function strings has wrong trigger options:[\s\S]*dataType/i,
    ],
    ['an app whose files throw', 'brokenApp', AppLoadError, /the entry file is broken/],
    ['a folder without host.json', 'missing', HostConfigurationError, /host\.json cannot be read/],
    ['a schedule whose setting is missing', 'timer', HostConfigurationError, /%TICK%/],
  ];
  for (const [reason, app, type, message] of refusals) {
    test(reason, async () => {
      await assert.rejects(start(app), (error: Error) => {
        assert.ok(error instanceof type, error.stack);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  test('an identity-based connection', async () => {
    await assert.rejects(
      start('admin', { WITH_HUB: '1', HUB__fullyQualifiedNamespace: 'x', JOURNAL: 'x' }),
      /identity-based connection HUB__fullyQualifiedNamespace/,
    );
  });

  test('a trigger that it does not have', () => {
    const declaration = { name: 'q', trigger: { name: 't', type: 'queueTrigger' }, explicitAuthLevel: false };
    assert.throws(() => checkRegistrations([declaration], {}, 'api'), /q has a queueTrigger/);
  });
});

test('the functions are listed with their triggers', async (t) => {
  const { path } = journal(t);
  const host = await startFixture(t, 'admin', { settings: { JOURNAL: path } });
  assert.deepEqual(
    host.functions.map(({ name, kind }) => [name, kind]),
    [
      ['yearly', 'timer'],
      ['hook', 'http'],
    ],
  );
});
