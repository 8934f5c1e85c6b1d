import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { DATA_FORMAT } from '#shared/base/data-format.ts';
import { loadReleaseSettings } from '#shared/base/env.ts';

const COMMIT = '0f2ea3f6c0b8e1f6d8f0a2c4e6a8c0e2f4a6b8d0';

it.each([
  [{}, { SERVICE_VERSION: 'unknown', SOURCE_COMMIT: 'unknown' }],
  [
    { SERVICE_VERSION: '1.2.3', SOURCE_COMMIT: COMMIT },
    { SERVICE_VERSION: '1.2.3', SOURCE_COMMIT: COMMIT },
  ],
  [
    { SERVICE_VERSION: '1.2.3-rc.1', SOURCE_COMMIT: `${COMMIT}-modified` },
    { SERVICE_VERSION: '1.2.3-rc.1', SOURCE_COMMIT: `${COMMIT}-modified` },
  ],
])('the settings %j state the release %j', (settings, expected) => {
  expect(loadReleaseSettings(settings)).toEqual(expected);
});

it.each([
  [{ SERVICE_VERSION: 'one' }, 'must be a semantic version'],
  [{ SOURCE_COMMIT: 'main' }, 'must be a commit of 40 characters in hex, or unknown'],
])('the settings %j are refused', (settings, problem) => {
  expect(() => loadReleaseSettings(settings)).toThrow(problem);
});

it('a line of the log has version, commit and data format of the function behind its own fields', () => {
  const program = `import('#shared/base/log-lines.ts').then(({ workerLog }) =>
    workerLog('message-1', undefined, () => 0)('Something failed', { place: 'here' }))`;
  const line = execFileSync(process.execPath, ['--eval', program], {
    env: { SERVICE_VERSION: '1.2.3', SOURCE_COMMIT: COMMIT },
    encoding: 'utf8',
  });
  expect(JSON.parse(line)).toEqual({
    level: 'ERROR',
    message: 'Something failed',
    timestamp: '1970-01-01T00:00:00.000Z',
    service: 'relay',
    request_id: 'message-1',
    place: 'here',
    version: '1.2.3',
    commit: COMMIT,
    data_format: DATA_FORMAT,
  });
});
