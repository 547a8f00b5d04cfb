import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostConfigurationError } from '../../../local/host/errors.ts';
import { connectionString, expandSettings } from '../../../local/host/settings.ts';

test('%NAME% is replaced by the setting, and one that is missing is named', () => {
  assert.equal(expandSettings('a-%X%-%Y%', { X: '1', Y: '2' }, 'f'), 'a-1-2');
  assert.equal(expandSettings('100%', {}, 'f'), '100%');
  assert.throws(
    () => expandSettings('%Z%', { X: '1' }, 'f'),
    new HostConfigurationError('f refers to %Z%, and there is no such setting.'),
  );
});

test('a connection is found under its name or with the AzureWebJobs prefix', () => {
  assert.equal(connectionString('HUB', { HUB: 'a' }, 'f'), 'a');
  assert.equal(connectionString('HUB', { AzureWebJobsHUB: 'b' }, 'f'), 'b');
  assert.throws(() => connectionString('HUB', { HUB: '' }, 'f'), /f needs the setting HUB/);
  assert.throws(
    () => connectionString('HUB', { HUB__credential: 'x' }, 'f'),
    /identity-based connection HUB__credential/,
  );
});
